# Two commands: `make results` and `make test`. Each makes .venv by itself, and the second adds what only tests need.
VENV ?= .venv
PYTHON ?= python3
UV := $(VENV)/bin/uv
# uv does not read pip's configuration: hand it a local wheel folder if this machine has one (a CPU build of torch may lie
# there; without it a CPU machine downloads gigabytes of CUDA libraries). On other machines it is empty.
FIND_LINKS := $(or $(UV_FIND_LINKS),$(PIP_FIND_LINKS),$(shell $(PYTHON) -m pip config get global.find-links 2>/dev/null))
WITH_LINKS := $(if $(FIND_LINKS),UV_FIND_LINKS="$(FIND_LINKS)")
# On a terminal Snakemake's own progress is enough; CORES=1 keeps a shared machine usable.
CORES ?= all
# CONFIG=config/workstation.yaml: another scale than the miniature one; its results lie in results/workstation.
CONFIG ?=
export PATH := $(abspath $(VENV))/bin:$(PATH)
export DVC_NO_ANALYTICS := 1
# What a killed DVC leaves: notes of half a folder, whose other half does not exist for it (the next push says that all is in
# the remote), and temporary files among the results, which no later pull removes or passes by. Pull and push begin without.
export DVC_SITE_CACHE_DIR := $(CURDIR)/.dvc/tmp/site
FORGET_KILLS := rm -rf .dvc/tmp/site/repo/*/index; find results -name '.??????????????????????.tmp' -delete
# glibc gives large blocks back to the system after every use; training asks for the same ones again at each step.
export MALLOC_MMAP_THRESHOLD_ := 2000000000
export MALLOC_TRIM_THRESHOLD_ := 8000000000
export MALLOC_TOP_PAD_ := 268435456

# What lies in the DVC remote inside the repository: the phases that dvc.lock knows, less those that go to a store of your own.
PUBLISHED = $$(sed -nE 's/^  ((heads|relevance|pruning|representations|studies)@[a-z]+|weights|atlases|records):$$/\1/p' dvc.lock)

.PHONY: results gallery pull test test-all verify faults lint format docs bench peers lock env dev publish clean

results: env  ## every table and figure of the miniature scale, then results/index.html
	snakemake --cores $(CORES) $(if $(CONFIG),--configfile $(CONFIG))
	snakemake --cores 1 gallery $(if $(CONFIG),--configfile $(CONFIG))

gallery: env  ## results/index.html: pages of all results that are there, of every scale, made or pulled
	snakemake --cores 1 gallery

pull: env  ## the published figures, tables and head statistics, without training anything
	$(FORGET_KILLS)
	dvc pull --quiet $(PUBLISHED) || { echo "either files made here would be overwritten (dvc pull --force overwrites them), or a published file is missing or damaged (git checkout -- .dvc/published, then make pull)"; exit 1; }
	headwork records use

# Each worker takes whole files, in the order of tests/conftest.py.
PYTEST := pytest -n 2 --dist loadfile --no-loadscope-reorder

test: dev  ## unit and equation tests, the smoke scale once, pages in a browser: ten minutes
	$(PYTEST) -m "not benchmark and not long"

test-all: dev  ## these, and what needs servers, daemons, a second whole run, or many minutes; kills are in `make faults`
	$(PYTEST) -m "not benchmark" $(addprefix --ignore tests/faults/test_,kills.py runs.py files.py)

verify: dev  ## against=COMMIT: the smoke scale made by its code and by the code as it is, compared; then workflow/jobs.lock follows
	python -m headwork.run.verify $(against) $(if $(moved),--moved $(moved)) --cores $(CORES)

faults: dev  ## killed a hundred times, a full disk, a clock moved back and other faults: docs/faults.md (HEADWORK_KILLS=10 kills less often)
	HEADWORK_FAULTS=docs/faults.md pytest tests/faults

bench: dev  ## speed and memory against other tools, and growth, one after the other: docs/benchmarks.md
	HEADWORK_BENCHMARKS=docs/benchmarks.md pytest -m benchmark -s tests/benchmarks

peers: .venv-peers/.stamp  ## the tools that `make bench` compares with, in an environment of their own

docs: dev  ## docs/config, made of the models of settings
	python -m headwork.settings.pages

lint: dev  ## ruff, snakefmt and Snakemake's own linter
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile workflow
	snakemake --lint

format: dev
	ruff check --fix .
	ruff format .
	snakefmt Snakefile workflow

publish: results  ## record this checkout's results, and refresh the DVC remote inside the repository: one version, no more
	headwork records keep
	dvc commit --force --quiet
	rm -rf .dvc/published
	$(FORGET_KILLS)
	dvc push --remote published $(PUBLISHED)
	du -sh .dvc/published

lock: env  ## resolve what is required again, for all platforms at once
	env -u UV_FIND_LINKS $(UV) pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header \
	    --upgrade envs/requirements.in envs/dev.in pyproject.toml --extra workflow --output-file envs/constraints.txt
	env -u UV_FIND_LINKS $(UV) pip compile --quiet --python-version 3.11 --no-annotate --no-header --upgrade \
	    envs/peers.in --output-file envs/peers.txt

# Compiled once here: where PYTHONDONTWRITEBYTECODE is set, every job would compile torch and transformers anew, in 8 s.
INSTALL = $(WITH_LINKS) $(UV) pip install --quiet --compile-bytecode --python $(VENV) -c envs/constraints.txt

env: $(VENV)/.stamp  ## what `make results` needs
dev: $(VENV)/.stamp-dev  ## and what tests, benchmarks and linters need

$(VENV)/.stamp: envs/requirements.in envs/constraints.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check uv==0.13.8
	$(INSTALL) -r envs/requirements.in -e ".[workflow]"
	touch $@

$(VENV)/.stamp-dev: $(VENV)/.stamp envs/dev.in
	$(INSTALL) -r envs/dev.in
	touch $@

.venv-peers/.stamp: envs/peers.txt | env
	$(PYTHON) -m venv .venv-peers
	$(WITH_LINKS) $(UV) pip install --quiet --compile-bytecode --python .venv-peers -r envs/peers.txt
	touch $@

clean:  ## forget everything computed (the figures come back with `dvc pull`)
	git clean -dfqX results .snakemake .checkpoints logs benchmarks
