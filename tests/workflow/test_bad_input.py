"""What bad input is answered with: one sentence that says where and what to do, a failed run, nothing half-written.

Snakemake takes seconds to start, so faults that only a job can meet are met together, each as a target of its own.
"""

import gzip
import hashlib
import json
import re
import shutil
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

import pytest
import yaml
from tiny_bert import tiny_bert, word_tokenizer

from headwork.corpora.annotated.glue import TASKS
from headwork.corpora.subwords import frequencies
from headwork.corpora.subwords import learning as subwords
from headwork.models.architectures.build import build
from headwork.models.loading.checkpoints import read_tokenizer, save

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def files_below(folder: Path) -> set[str]:
    """Every file of the results, but the empty ones that downloads are locked with, and git's and DVC's."""
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if not name.endswith(".lock")} - {"README.md", ".gitignore"}


def failed_without_traceback(done) -> str:
    """What Snakemake said, after making sure that it failed, and as at a user's fault."""
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert "Traceback (most" not in said
    return said


def said_by(clone, done, job: str, message: str) -> None:
    """The job's log ends with one sentence, which is among the last lines of the run, with the path of the log."""
    log = f"logs/miniature/{job}.log"
    lines = (clone / log).read_text().splitlines()
    errors = [line for line in lines if " ERROR " in line]
    assert errors == lines[-1:]
    assert re.search(message, errors[0]), errors[0]
    failed_without_traceback(done)
    last = re.search(r"(?:\n.*\nlog: \S+\.log)+\n\Z", done.stderr)[0]
    assert f"\n{errors[0].partition(' ERROR ')[2]}\nlog: {log}\n" in last


# What is seen before any job: settings (bad_settings.yaml has all the cases), targets, files of the data folder.

OVERLAY = ("--configfile", "config/workstation.yaml")
COLUMNS = "Quality\tsentence\n1\towls sleep\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--config", "device=gpu"], r"^command line: `device`: it is 'gpu', but must be 'cpu' or 'cuda'$"),
        (
            ["voita2019_figure77"],
            r"^voita2019_figure77: no item, rule .*; did you mean 'voita2019_figure7'\?$",
        ),
        (
            ["results/miniature/studies/voita2019/figure77.svg"],
            r"no item, rule or file of this name; did you mean 'results/miniature/studies/voita2019/figure7.svg'\?$",
        ),
        (
            [*OVERLAY, "--", "results/workstation/corpora/news-ru/cleaning.csv"],
            r"^corpus 'news-ru': .*the data folder is not given; name it in the config or on the command line",
        ),
        (
            [*OVERLAY, "--config", "data=docs", "--", "kovaleva2019_figure9"],
            r"^docs/glue/.*: the file does not exist, .*check `path`",
        ),
        (
            [*OVERLAY, "--config", "data=data", "--", "kovaleva2019_figure9"],
            r"^data/glue/MRPC/train.tsv:1: no column '#1 String', which MRPC needs; the head has Quality, sentence$",
        ),
    ],
)
def test_the_last_line_of_a_run_that_cannot_start(clone, words: list[str], message: str) -> None:
    for task in TASKS:
        (clone / f"data/glue/{task}").mkdir(parents=True)
    (clone / "data/glue/MRPC/train.tsv").write_text(COLUMNS)
    done = clone.snakemake("--dry-run", *words, check=False)
    assert re.search(message, failed_without_traceback(done).splitlines()[-1])
    assert files_below(clone / "results") == set()


def test_a_config_that_is_not_yaml(clone) -> None:
    (clone / "config/config.yaml").write_text("recipes: {base: [1\nheads: 2\n")
    done = clone.snakemake("--dry-run", check=False)
    (line,) = [line for line in done.stderr.splitlines() if "profile" not in line]
    assert line.startswith("config/config.yaml:2: the file is not valid YAML: ")
    assert done.returncode == 1


# What jobs meet in corpora and treebanks.

ENGLISH = [f"the {animal} number {n} sleeps" for n in range(20) for animal in ("cat", "dog", "owl")]
OTHER = [f"{sentence} indeed" for sentence in ENGLISH]
ROW = "{}\t{}\t_\t{}\t_\t_\t{}\t{}\t_\t_\n"
TREE = ROW.format(1, "owls", "NOUN", 2, "nsubj") + ROW.format(2, "sleep", "VERB", 0, "root") + "\n"
CIRCLE = (
    TREE.replace("\n\n", "\n") + ROW.format(3, "not", "ADV", 4, "advmod") + ROW.format(4, "!", "X", 3, "dep")
)


def local(path: str | dict, **more) -> dict:
    """A corpus of one source in the data folder."""
    return {"sources": [{"type": "local", "path": path, **more}]}


def download(name: str, member: str) -> dict:
    """A corpus of one source that the test's own server has."""
    return {"sources": [{"type": "download", "download": name, "member": member}]}


# corpus: what stands in the config, and what is said of it
CORPORA = {
    "ragged": (
        local("ragged"),
        r" data/ragged.en:60: nothing stands opposite: .* 60 segments, .* 59; the two must be aligned line by line",
    ),
    "empty": (local("empty"), r" data/empty.en: the file is empty; fetch it again"),
    "latin": (
        local("latin"),
        r" data/latin.xx:2: byte 3 of the line is not UTF-8; convert the file with iconv",
    ),
    "cut": (
        local("cut"),
        r" data/cut.en.gz:\d+: the compressed file is truncated or damaged .*; fetch it again",
    ),
    "columns": (
        local("table.tsv", columns={"source": "English", "target": "Other"}),
        r" data/table.tsv:1: no column 'Other'; the header has English, Andere",
    ),
    "annotated": (
        local({"source": "broken.conllu", "target": "good.xx"}),
        r" data/broken.conllu:1: 9 columns where CoNLL-U has 10, separated by tabs; fix the line",
    ),
    "long": (
        local("good") | {"cleaning": {"max_words": 3}},
        r" no pair is left for train \(of 0\); \d+ of \d+ were dropped for too long, the rule `max_words`; .* milder",
    ),
    # those whose download or archive is at fault: the job before them says so
    "checksum": (download("wrong", "text.en"), None),
    "gone": (download("gone", "text.en"), None),
    "member": (download("fair", "text.xx"), None),
}
# parser: the treebank it is trained on, and what is said of it
TREEBANKS = {
    "circle": (CIRCLE, r" data/circle.conllu:1: .* is no tree: words 3, 4 form a cycle"),
    "broken": (TREE.replace("\t_\n", "\n", 1), r" data/broken.conllu:1: .* 10 columns .*; this has 9"),
    "untagged": (
        TREE.replace("NOUN", "_"),
        r" data/untagged.conllu:1: word 1 .*'owls', has no UPOS .*; tag the treebank",
    ),
}
FAULTS = (
    {f"corpora/corpus/{name}": message for name, (_, message) in CORPORA.items() if message}
    | {
        "corpora/download/wrong/good.zip": (
            r"/good.zip: the file that came has sha256 \w{64}, not 0{64}, and was removed; .*fix `sha256` or `url`"
        ),
        "corpora/download/gone/gone.zip": r"/gone.zip: the server answers 404 .*; check the url",
        "corpora/unpack/fair/text.xx": (
            r" results/miniature/corpora/downloads/fair/fair.zip: no member 'text.xx'; it has 1, such as text.en"
        ),
    }
    | {f"parses/parser_treebank/{name}": message for name, (_, message) in TREEBANKS.items()}
    | {
        "corpora/subwords/good": r" subwords: a vocabulary of 10 has no room for .*; raise `vocabulary`",
    }
)


def write_data(folder: Path) -> None:
    """One file of each kind of fault, and good ones beside them."""
    folder.mkdir()
    english, other = ("".join(f"{line}\n" for line in lines).encode() for lines in (ENGLISH, OTHER))
    for name in ("good", "ragged", "latin"):
        (folder / f"{name}.en").write_bytes(english)
        (folder / f"{name}.xx").write_bytes(other)
    (folder / "ragged.xx").write_bytes(other[: other[:-1].rindex(b"\n") + 1])
    (folder / "latin.xx").write_bytes(other.replace(b"\nthe", b"\nth\xe9", 1))
    (folder / "empty.en").touch()
    shutil.copy(folder / "good.xx", folder / "empty.xx")
    (folder / "cut.en.gz").write_bytes(gzip.compress(english)[:-20])
    shutil.copy(folder / "good.xx", folder / "cut.xx")
    (folder / "table.tsv").write_text("English\tAndere\nowls\tuilen\n")
    for name, (treebank, _) in TREEBANKS.items():
        (folder / f"{name}.conllu").write_text(treebank)
    (folder / "dev.conllu").write_text(TREE.replace("owls", "cats"))
    for name in ("good.zip", "fair.zip"):
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr("text.en", english)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server on this machine: its address and the folder it serves."""
    folder = tmp_path_factory.mktemp("served") / "data"
    write_data(folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", folder
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def failed(smoke_clone, server):
    """A clone in which every one of these targets was asked for, and how Snakemake ended."""
    clone, (address, data) = smoke_clone("faults"), server
    shutil.copytree(data, clone / "data")
    plain = {"source": "en", "target": "xx", "tokenisation": "none", "splits": {"dev": 0.2, "test": 0.2}}
    plain |= {"subwords": {"vocabulary": 10}, "parser": "world"}
    fair = hashlib.sha256((data / "fair.zip").read_bytes()).hexdigest()
    names = {"wrong": ("good.zip", "0" * 64), "gone": ("gone.zip", "0" * 64), "fair": ("fair.zip", fair)}
    settings = {
        "data": "data",
        "downloads": {
            name: {"url": f"{address}/{file}", "sha256": sha256, "licence": "none"}
            for name, (file, sha256) in names.items()
        },
        "corpora": {"good": plain | local("good")}
        | {name: plain | entry for name, (entry, _) in CORPORA.items()},
        "parsers": {
            name: {
                "treebank": {"type": "local", "train": f"{name}.conllu", "dev": "dev.conllu"},
                "tagger": {},
                "parser": {},
            }
            for name in TREEBANKS
        },
    }
    (clone / "config/faults.yaml").write_text(yaml.safe_dump(settings))
    targets = [
        *(f"results/miniature/corpora/{name}/cleaning.csv" for name in CORPORA),
        *(f"results/miniature/parses/parsers/{name}/train.conllu" for name in TREEBANKS),
        "results/miniature/corpora/good/tokenizer.json",
    ]
    rules = ("--allowed-rules", "download", "unpack", "corpus", "subwords", "parser_treebank")
    options = ("--keep-going", "--retries", "0")
    return clone, clone.snakemake(
        "--configfile", "config/faults.yaml", *options, *rules, "--", *targets, check=False
    )


@pytest.mark.parametrize("job", FAULTS)
def test_a_fault_in_text_or_trees(failed, job: str) -> None:
    said_by(*failed, job, FAULTS[job])


def test_faults_leave_what_went_well_and_nothing_else(failed) -> None:
    clone, _ = failed
    sides = product(("train", "dev", "test"), ("source", "target", "reference"))
    good = {
        f"corpora/good/{split}.{side}.txt" for split, side in sides if (split, side) != ("train", "reference")
    }
    fair = {"corpora/downloads/fair/fair.zip", "corpora/downloads/fair/fair.zip.licence.txt"}
    assert files_below(clone / "results/miniature") == good | fair | {"corpora/good/cleaning.csv"}


# What jobs meet in models, and in text and trees that do not fit them.

MISFITS = {
    "heads/shape": r"models/shape: has weights of another shape than its config says, .*from one run",
    "heads/foreign": r"models/foreign: the tokenizer has ids up to 69, the model 60 rows; take both from one run",
    "heads/trees": r"parses/small/test.stanza.conllu:1: the tree .* is of 'owls sleep'; parse this text again",
    "models/translate/long": r"test.source.txt:2: the line has \d+ pieces, the model has 32 positions; shorten it",
    "models/train/many": r" there are gates of 4 heads for encoder 1, which has 2 heads in this model; take .*one run",
    "models/train/deep": r" the model has no attention encoder 3; it has encoder 1, encoder 2, decoder 1, cross 1$",
    "pruning/loud": r"models/loud/gates.csv: says that encoder 1-2 is closed, .*take model and gates from one",
}
# run: its gates, and its gates.csv if it was trained
GATES = {
    "many": ("mask:four-heads", None),
    "four-heads": ("encoder", "encoder,1,1,1\nencoder,1,2,0\nencoder,1,3,0\nencoder,1,4,1\n"),
    "deep": ("mask:three-layers", None),
    "three-layers": ("encoder", "encoder,3,1,1\nencoder,3,2,0\n"),
    "loud": ("encoder", "encoder,1,1,1\nencoder,1,2,0\n"),
}
ROW_OF_SHEET = "{run}\tvoita2019\tsmall\ttranslation\tminiature\tbase\t1\t{init}\t{gates}\t0\t\n"


def write_models(folder: Path, corpus: Path) -> None:
    """A model for each run of `MISFITS`, with a fault or without, and the text that they are for."""
    corpus.mkdir(parents=True)
    texts = {side: corpus / f"test.{side}.txt" for side in ("source", "target", "reference")}
    for path, lines in zip(texts.values(), (ENGLISH, OTHER, OTHER), strict=True):
        lines = [lines[0], " ".join(lines), *lines[2:]]
        path.write_text("".join(f"{line}\n" for line in lines))
    tokenizers = {}
    for size in (60, 70):
        tokenizers[size] = subwords.learn([*texts.values()], subwords.Subwords(vocabulary=size))
        subwords.save(tokenizers[size], corpus / f"{size}.json")
    texts.pop("reference")
    frequencies.save(frequencies.frequencies(texts, tokenizers[60]), corpus / "frequencies.parquet")
    shutil.copy(corpus / "60.json", corpus / "tokenizer.json")
    for split, side in product(("train", "dev"), ("source", "target")):
        shutil.copy(texts[side], corpus / f"{split}.{side}.txt")
    tokenizer = read_tokenizer(corpus / "60.json")
    layers = {"encoder_layers": 1, "decoder_layers": 1, "max_positions": 32}
    model = build({"family": "pegasus", "heads": 2, "width": 16, "feed_forward": 16, **layers}, tokenizer, 1)
    for job in MISFITS:
        if not job.startswith("models/train"):
            save(folder / Path(job).name, model, tokenizer)
    for run, (_, gates) in GATES.items():
        if gates:
            (folder / run).mkdir(exist_ok=True)
            (folder / run / "gates.csv").write_text(f"kind,layer,head,kept\n{gates}")
    shape = folder / "shape/config.json"
    shape.write_text(json.dumps(json.loads(shape.read_text()) | {"encoder_ffn_dim": 32}))
    shutil.copy(corpus / "70.json", folder / "foreign/tokenizer.json")


# What jobs meet in encoders, and in the text, trees and tasks that are for them.

ENCODERS = {
    "heads/segments/short": r" segments of 64 pieces are longer than the model's 16 positions; set `segments.pieces`",
    "heads/segments/alien": r"models/alien: the tokenizer has ids up to 11, the model 11 rows; .*from one run",
    "heads/words/circle": r"parses/treebanks/world/dev.conllu:1: .* is no tree: words 3, 4 form a cycle",
    "models/train/narrow": r" run 'narrow': segments of 64 pieces for a model of 16 positions; lower `pieces`",
    "models/train/labels": r" data/labels/train.tsv:3: unknown label 'maybe'; RTE has entailment, not_entailment$",
    "models/train/quotes": r" data/quotes/train.tsv:2: the row .* cannot be read .*; close its quotation marks",
    "models/train/first": r" run 'first': examples of 64 pieces for a model of 16 positions; lower `longest`",
}
# task: its name in GLUE, and its files
TASK_FILES = {
    "labels": (
        "RTE",
        "index\tsentence1\tsentence2\tlabel\n0\towls\tcats\tnot_entailment\n1\towls\tcats\tmaybe\n",
    ),
    "quotes": (
        "QQP",
        'id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n0\t1\t2\t"who sleeps?\twho?\t1\n',
    ),
}
# run: corpus, objective, architecture, recipe, the run it starts from
ENCODER_RUNS = {
    **dict.fromkeys(("short", "alien", "circle"), ("paragraphs", "mlm", "bert", "masked", "")),
    "narrow": ("paragraphs", "mlm", "narrow", "masked", ""),
    **{task: (task, "classification", "bert", "task", "circle") for task in TASK_FILES},
    "first": ("labels", "classification", "bert", "task", "short"),
}


def write_encoders(results: Path) -> None:
    """What the jobs of `ENCODERS` read, with their faults; there is nothing in frequencies: no job comes to them."""
    text = results / "corpora/paragraphs"
    text.mkdir(parents=True)
    words = ["the", "cat", "dog", "owl", "number", "sleeps"]
    tokenizer = word_tokenizer(words)
    tokenizer.backend_tokenizer.save(str(text / "tokenizer.json"))
    for split in ("train", "dev", "test"):
        (text / f"{split}.txt").write_text("\t".join(ENGLISH) + "\n")
    for name, trees in (("parses/treebanks/world/dev", CIRCLE), ("corpora/world/news", TREE)):
        path = results / f"{name}.conllu"
        path.parent.mkdir(parents=True)
        path.write_text(trees)
    for run, positions in (("short", 16), ("alien", 64), ("circle", 64)):
        folder = results / "models" / run
        save(folder, tiny_bert(tokenizer, max_position_embeddings=positions), tokenizer)
        (folder / "frequencies.parquet").touch()
    word_tokenizer([*words, "indeed"]).backend_tokenizer.save(str(results / "models/alien/tokenizer.json"))


@pytest.fixture(scope="module")
def misfit(smoke_clone):
    """A clone with these models and encoders, what it held, and how Snakemake ended when it was asked to use them."""
    clone = smoke_clone("misfits")
    results = clone / "results/miniature"
    write_models(results / "models", results / "corpora/small")
    write_encoders(results)
    trees = results / "parses/small/test.stanza.conllu"
    trees.parent.mkdir(parents=True)
    trees.write_text(TREE)
    for task, (_, rows) in TASK_FILES.items():
        (clone / "data" / task).mkdir(parents=True)
        for split in ("train", "dev"):
            (clone / f"data/{task}/{split}.tsv").write_text(rows)
    before = files_below(clone / "results")
    with (clone / "tests/config/runs-smoke.tsv").open("a") as rows:
        for run in dict.fromkeys([*(Path(job).name for job in MISFITS), *GATES]):
            gates = GATES.get(run, ("none",))[0]
            rows.write(ROW_OF_SHEET.format(run=run, gates=gates, init="long" if run == "loud" else ""))
        for run, (corpus, objective, architecture, recipe, init) in ENCODER_RUNS.items():
            row = (run, "clark2019", corpus, objective, architecture, recipe, "1", init, "none", "0", "")
            rows.write("\t".join(row) + "\n")
    settings = yaml.safe_load((clone / "config/config.yaml").read_text())
    settings["data"] = "data"
    settings["corpora"]["small"] = settings["corpora"]["subtitles-karvan"]
    settings["architectures"]["narrow"] = settings["architectures"]["bert"] | {"max_positions": 16}
    settings["tasks"] |= {name: {"task": task, "path": name} for name, (task, _) in TASK_FILES.items()}
    (clone / "config/config.yaml").write_text(yaml.safe_dump(settings))
    rules = (
        "heads",
        "translate",
        "train_gated",
        "remove_heads",
        "segment_heads",
        "word_heads",
        "pretrain",
        "finetune",
    )
    files = {
        "models/translate": "models/{}/scores.json",
        "models/train": "models/{}/model.safetensors",
        "pruning": "pruning/{}/removal.json",
        "heads": "heads/{}.parquet",
        "heads/segments": "heads/{}.segments.parquet",
        "heads/words": "heads/{}.words.parquet",
    }
    jobs = map(Path, [*MISFITS, *ENCODERS])
    targets = [f"results/miniature/{files[str(job.parent)].format(job.name)}" for job in jobs]
    return (
        clone,
        before,
        clone.snakemake("--keep-going", "--allowed-rules", *rules, "--", *targets, check=False),
    )


@pytest.mark.parametrize("job", [*MISFITS, *ENCODERS])
def test_a_model_that_does_not_fit(misfit, job: str) -> None:
    clone, _, done = misfit
    said_by(clone, done, job, (MISFITS | ENCODERS)[job])


def test_models_that_do_not_fit_leave_nothing(misfit) -> None:
    clone, before, _ = misfit
    assert files_below(clone / "results") == before
