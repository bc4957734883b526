# What these files share: the settings, checked, and the functions that several of them choose inputs by.
import inspect
import os
import shutil
from pathlib import Path

from headwork.plan import checks
from headwork.corpora.annotated.glue import TASKS
from headwork.corpora.parallel.splits import SPLITS
from headwork.errors import InputError
from headwork.run.fingerprint import Fingerprints
from headwork.run.frame import RUN, this_process
from headwork.run.closing import ClosingReport
from headwork.run.outputs import check_writable, date_back
from headwork.plan.annotated import Annotated
from headwork.plan.scale import Scale, world
from headwork.plan.studied import Studied
from headwork.plan.texts import WORLD_TASKS, Texts
from headwork.plan.trained import Trained
from headwork.run.lock import lock_folder
from headwork.settings.base import require
from headwork.run.commit import commit
from headwork.run.made_by import note_run
from headwork.run.versions import LOCK, Versions
from headwork.studies.gallery.captions import caption

ROOT = Path(workflow.basedir)
STUDIES = "workflow/studies"
os.environ[RUN] = this_process()  # jobs end with this process
GPU = int(config["device"] == "cuda")
CONFIG_FILES = [
    os.path.relpath(path) for path in (ROOT / "config/config.yaml", *workflow.overwrite_configfiles)
]
config["data"] = config["data"] or os.environ.get("HEADWORK_DATA")


try:
    runs, studies = checks.checked(config, ROOT, CONFIG_FILES, workflow.config_settings.config)
except InputError as error:
    stop(error)

# What the rules read is found by these (headwork.plan): see `of_job`.
SHEETS = list(dict.fromkeys(path for path, _ in runs.attrs["places"]))
scale = Scale(config, runs, studies)
texts = Texts(scale, config["data"])
annotated = Annotated(texts)
trained = Trained(annotated)
studied = Studied(annotated, CONFIG_FILES, ROOT)


onstart:
    try:
        require(
            workflow.executor_plugin.name != "slurm" or shutil.which("sbatch"),
            "sbatch: SLURM is not on this machine; start the run on one of its nodes, or leave out the profile",
        )
        lock_folder(".snakemake/run.lock")
        check_writable("results")
    except InputError as error:
        stop(error)
    for folder in ("results", ROOT / "config", ROOT / "workflow"):
        date_back(folder)
    note_run({} if workflow.touch else versions.by_job(), commit(ROOT))


def targets_by_name():
    """The rules that can be asked for by name, and what those of single files make."""
    named = [rule for rule in workflow.rules if not rule.has_wildcards()]
    return [*(rule.name for rule in named), *(str(file) for rule in named for file in rule.output)]


for handler in workflow.logger_manager.get_log_handlers():
    if isinstance(handler, ClosingReport):
        handler.names, handler.asked = targets_by_name, lambda: workflow.dag_settings.targets


def named(wildcards, name):
    """The value of a wildcard; the corpus of a job that has none is the one that its run is trained on."""
    of_its_run = name == "corpus" and "corpus" not in wildcards.keys()
    return scale.corpus_of(wildcards.run) if of_its_run else wildcards[name]


def of_job(method, **fixed):
    """An input or parameter function: what `method` returns for the wildcards that are its other arguments.

    An `InputError` ends the run with its sentence.
    """
    names = [name for name in inspect.signature(method).parameters if name not in fixed]

    def found(wildcards):
        try:
            return method(**{name: named(wildcards, name) for name in names}, **fixed)
        except InputError as error:
            stop(error)

    return found


def setting(section, key=None):
    """A parameter function: the entry of a section of the config (`corpora`) that the wildcard (`corpus`) names, or a key of it."""
    wildcard = {"corpora": "corpus"}.get(section, section.removesuffix("s"))

    def found(wildcards):
        entry = config[section][named(wildcards, wildcard)]
        return entry if key is None else entry[key]

    return found


def of_run(pattern):
    """An input function: `pattern` with the job's run and the {corpus} or text that it is trained on."""
    return lambda wildcards: pattern.format(run=wildcards.run, corpus=named(wildcards, "corpus"))


def one_of(names):
    """A wildcard constraint: exactly these names; none at all if there are none."""
    return "|".join(names) or "(?!)"


wildcard_constraints:
    study=one_of(studies),
    run=one_of(runs.index),
    corpus=one_of(config["corpora"]),
    text=one_of(config["texts"]),
    task=one_of(config["tasks"]),
    parser=one_of(config["parsers"]),
    split=one_of(SPLITS),


fingerprints = Fingerprints(Path(".snakemake/fingerprints.json"))
versions = Versions(ROOT / LOCK, fingerprints)


def version(job, *sources):
    """The version of the results of the rule `job`, or the hash of its code, if that is not the one in the lock."""
    return versions(job, *(ROOT / source for source in sources))


def calls(job, function, *sources):
    """What call.py needs in `params`: the function that it calls, and the version of the job's results, whose code is
    that of the function, of `sources` and of all that they import.

    The function is not recorded, as `device` is not, so that it may move.
    """
    place, _, _ = function.rpartition(".")
    source = f"workflow/src/{place.replace('.', '/')}.py"
    return {
        "function": not_recorded(function),
        "version": version(job, "workflow/scripts/call.py", source, *sources),
    }


def fetches(function):
    """What call.py needs where a file is fetched: what comes depends on its address and checksum, or version, not on
    the code, so that no version of ours is recorded.
    """
    return {"function": not_recorded(function), "version": not_recorded(None)}


def tracked(path):
    """A file of this repository as an input: relative, so that a clone elsewhere has the same inputs."""
    return os.path.relpath(ROOT / path)


def all_tracked(*patterns):
    """The same of all files with these patterns."""
    return [tracked(path) for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def device(wildcards, input):
    """The device of a job. As a function of `input` it is not recorded, so that results are up to date on any device."""
    return config["device"]


def threads_given(wildcards, input, threads):
    """The threads of a job, not recorded either."""
    return threads


def not_recorded(value):
    """A parameter that Snakemake does not record, since it follows from others: a function of `input`."""
    return lambda wildcards, input: value


def captioned(item):
    """The caption of an item, for Snakemake's report (workflow/report/item.rst)."""
    study = studies[item.study]
    return lambda wildcards, input: caption(
        study, item, config, studied.item_runs(study.key, item.key), ROOT / STUDIES
    )


def model_files(folder, *more):
    """The files of an encoder's folder that transformers loads, and `more`."""
    names = ("model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json")
    return [f"{folder}/{name}" for name in (*names, *more)]


# The files of a run that transformers loads: of an encoder, and of a translation model.
ENCODER = model_files("<results>/models/{run}")
TRANSLATOR = [*ENCODER, "<results>/models/{run}/generation_config.json"]


def made_with(files):
    """What every training leaves: the model, the losses by update, and what it was given."""
    folder = "<results>/models/{run}"
    return {"model": files, "history": f"{folder}/history.csv", "run": f"{folder}/run.json"}


def crated_workflow(wildcards):
    """The workflow's files that a study is made by, Snakefile first; the library is named by its commit."""
    study = wildcards.study
    of_study = [f"{STUDIES}/{study}/{files}" for files in ("*.py", "study.yaml", "published/*.csv")]
    return all_tracked("Snakefile", "workflow/rules/*.smk", *of_study, *SHEETS)
