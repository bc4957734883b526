"""From archives of the real shape, on a server of this machine, to corpora, texts and tasks: by Snakemake."""

import gzip
import hashlib

import pytest
import yaml
from flaky_server import Server, serving, tgz, zipped
from hub_server import COMMIT, NAME, Hub
from tiny_bert import tiny_bert, word_tokenizer

from headwork.models.loading.checkpoints import save

pytestmark = [pytest.mark.workflow, pytest.mark.long]

ENGLISH = [f"The {animal} number {n} sleeps ." for n in range(1, 31) for animal in ("cat", "owl")]
RUSSIAN = [f"{animal} номер {n} спит ." for n in range(1, 31) for animal in ("Кот", "Сова")]
SET = '<{kind} setid="t" srclang="en" trglang="ru"><doc docid="d"><p>{segments}</p></doc></{kind}>\n'


def lines(texts: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def sgm(kind: str, texts: list[str]) -> bytes:
    segments = "\n".join(f'<seg id="{n}">{text}</seg>' for n, text in enumerate(texts, 1))
    return SET.format(kind=kind, segments=f"\n{segments}\n").encode()


def archives() -> dict[str, bytes]:
    """The archives by their path on the server, laid out as those of WMT, OPUS and GLUE are."""
    noise = b"".join(hashlib.sha256(bytes([n % 256, n // 256])).digest() for n in range(5000))
    ids = "".join(
        f"en/1/{n // 20}.xml.gz\tru/1/{n // 20}.xml.gz\t{n % 20 + 1}\t{n % 20 + 1}\n" for n in range(60)
    )
    groups = "".join(
        f'<linkGrp targType="s" fromDoc="en/1/{film}.xml.gz" toDoc="ru/1/{film}.xml.gz">\n'
        + "".join(
            f'<link id="SL{n}" xtargets="{n};{n}" overlap="{0.95 if n % 2 else 0.4}" />\n'
            for n in range(1, 21)
        )
        + '<link id="SL21" xtargets="21;" />\n</linkGrp>\n'
        for film in range(3)
    )
    links = f'<?xml version="1.0" encoding="utf-8"?>\n<cesAlign version="1.0">\n{groups}</cesAlign>\n'
    rte = "index\tsentence1\tsentence2\tlabel\n0\tOwls sleep .\tCats sleep .\tnot_entailment\n"
    pairs = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t1\t2\tOwls .\tOwls !\n0\t3\t4\tCats .\tDogs .\n"
    return {
        "wmt13/training-parallel-commoncrawl.tgz": tgz(
            {
                "commoncrawl.ru-en.annotation": noise,
                "commoncrawl.ru-en.en": lines(ENGLISH[:40]),
                "commoncrawl.ru-en.ru": lines(RUSSIAN[:40]),
            }
        ),
        "wmt19/dev.tgz": tgz(
            {
                "dev/newstest2013.en": lines(ENGLISH[40:45]),
                "dev/newstest2013.ru": lines(RUSSIAN[40:45]),
                "dev/newstest2014-ruen-src.en.sgm": sgm("srcset", ENGLISH[45:50]),
                "dev/newstest2014-ruen-ref.ru.sgm": sgm("refset", RUSSIAN[45:50]),
            }
        ),
        "v2018/moses/en-ru.txt.zip": zipped(
            {
                "README": b"OPUS",
                "LICENSE": b"see the site",
                "OpenSubtitles.en-ru.en": lines(ENGLISH),
                "OpenSubtitles.en-ru.ru": lines(RUSSIAN),
                "OpenSubtitles.en-ru.ids": ids.encode(),
            }
        ),
        "v2018/xml/en-ru.xml.gz": gzip.compress(links.encode(), mtime=0),
        "wikipedia.txt.gz": gzip.compress(lines([" ".join(ENGLISH[n : n + 3]) for n in range(60)]), mtime=0),
        "glue/RTE.zip": zipped({"RTE/train.tsv": rte.encode(), "RTE/dev.tsv": rte.encode()}),
        "senteval/msr_paraphrase_train.txt": pairs.encode(),
        "glue/mrpc_dev_ids.tsv": b"3\t4\n",
    }


NAMES = {
    "commoncrawl": "wmt13/training-parallel-commoncrawl.tgz",
    "wmt-dev": "wmt19/dev.tgz",
    "films": "v2018/moses/en-ru.txt.zip",
    "film-links": "v2018/xml/en-ru.xml.gz",
    "wikipedia": "wikipedia.txt.gz",
    "glue-rte": "glue/RTE.zip",
    "mrpc-pairs": "senteval/msr_paraphrase_train.txt",
    "mrpc-dev-ids": "glue/mrpc_dev_ids.tsv",
}
PLAIN = {
    "source": "en",
    "target": "ru",
    "tokenisation": "moses",
    "subwords": {"vocabulary": 60},
    "parser": "world",
}


def of(name: str, source: str, target: str, **more) -> dict:
    """A source of two members of one archive."""
    return {"type": "download", "download": name, "member": {"source": source, "target": target}, **more}


def settings(server: Server) -> dict:
    """The part of the config that names these downloads, and what is made of them."""
    crawl = of("commoncrawl", "commoncrawl.ru-en.en", "commoncrawl.ru-en.ru")
    sets = [
        of("wmt-dev", "dev/newstest2013.en", "dev/newstest2013.ru", split="dev"),
        of("wmt-dev", "dev/newstest2014-ruen-src.en.sgm", "dev/newstest2014-ruen-ref.ru.sgm", split="test"),
    ]
    overlap = {
        "ids": {"download": "films", "member": "OpenSubtitles.en-ru.ids"},
        "links": {"download": "film-links"},
        "at_least": 0.9,
    }
    films = of("films", "OpenSubtitles.en-ru.en", "OpenSubtitles.en-ru.ru", overlap=overlap)
    return {
        "downloads": {
            name: {
                "url": server.url(path),
                "sha256": hashlib.sha256(server.files[path]).hexdigest(),
                "bytes": len(server.files[path]),
                "licence": f"terms of {name}",
            }
            for name, path in NAMES.items()
        },
        "corpora": {
            "wmt": PLAIN | {"sources": [*sets, crawl]},
            "wmt-small": PLAIN | {"sources": [*sets, crawl], "limit": 9},
            "subtitles": PLAIN | {"sources": [films], "splits": {"dev": 0.2, "test": 0.2}},
        },
        "texts": {
            "articles": {
                "source": "en",
                "sources": [
                    {"type": "download", "download": "wikipedia", "lines": "paragraphs"},
                ],
                "splits": {"dev": 0.2, "test": 0.2},
                "subwords": {"kind": "wordpiece", "vocabulary": 60},
            }
        },
        "tasks": {
            "real-rte": {"task": "RTE", "download": "glue-rte"},
            "real-mrpc": {"task": "MRPC", "download": "mrpc-pairs", "dev_ids": "mrpc-dev-ids"},
        },
    }


@pytest.fixture(scope="module")
def fetched(smoke_clone):
    """A clone in which these were made, from a server that truncates the first body; the server's requests; its end."""
    clone = smoke_clone("downloads")
    with serving(Server()) as server:
        server.files = archives()
        (clone / "config/fetched.yaml").write_text(yaml.safe_dump(settings(server)))
        server.faults = [(100, False)]
        clone.snakemake("--configfile", "config/fetched.yaml", "--", *TARGETS)
        requests = list(server.requests)
    return clone, requests


TARGETS = [
    *(f"results/miniature/corpora/{name}/cleaning.csv" for name in ("wmt", "wmt-small", "subtitles")),
    "results/miniature/corpora/articles/paragraphs.csv",
]


def test_corpora_and_texts_are_made_of_what_was_fetched(fetched) -> None:
    clone, _ = fetched

    def read(path: str) -> list[str]:
        return (clone / "results/miniature/corpora" / path).read_text().splitlines()

    assert read("wmt/train.source.txt") == ENGLISH[:40]
    assert read("wmt/dev.target.txt") == RUSSIAN[40:45]
    assert read("wmt/test.source.txt") == ENGLISH[45:50]
    assert len(read("wmt-small/train.source.txt")) == 9
    splits = [read(f"subtitles/{split}.source.txt") for split in ("train", "dev", "test")]
    assert sorted(line for split in splits for line in split) == sorted(ENGLISH[::2]), (
        "half of the links overlap enough"
    )
    assert read("articles/paragraphs.csv")


def test_each_address_was_asked_for_once_and_a_broken_one_went_on(fetched) -> None:
    _, requests = fetched
    asked = [path for path, wanted in requests if wanted is None]
    used = {"commoncrawl", "wmt-dev", "films", "film-links", "wikipedia"}
    assert sorted(asked) == sorted(f"/{NAMES[name]}" for name in used)
    assert [wanted for _, wanted in requests if wanted] == ["bytes=100-"]


def test_files_stay_with_their_licences_members_go_and_a_second_run_asks_for_nothing(fetched) -> None:
    clone, _ = fetched
    downloads = clone / "results/miniature/corpora/downloads"
    assert "Licence: terms of films" in (downloads / "films/en-ru.txt.zip.licence.txt").read_text()
    left = [path for path in (clone / "results/miniature/corpora/unpacked").rglob("*") if path.is_file()]
    assert left == []
    assert not list(downloads.rglob("*.part"))
    assert clone.planned(*TARGETS, options=["--configfile", "config/fetched.yaml"]) == {}


def test_tasks_and_what_is_needed_for_the_runs_of_the_sheet(smoke_clone) -> None:
    clone = smoke_clone("tasks")
    with serving(Server()) as server:
        server.files = archives()
        (clone / "config/fetched.yaml").write_text(yaml.safe_dump(settings(server)))
        with (clone / "tests/config/runs-smoke.tsv").open("a") as sheet:
            for run, task in (("rte", "real-rte"), ("mrpc", "real-mrpc")):
                sheet.write(
                    f"{run}\tkovaleva2019\t{task}\tclassification\tbert\ttask\t1\tbert-s1\tnone\t0\t\n"
                )
        splits = [f"glue-rte/RTE/{split}.tsv" for split in ("train", "dev")]
        splits += [f"mrpc-pairs/MRPC/{split}.tsv" for split in ("train", "dev")]
        made = [f"results/miniature/corpora/unpacked/{split}" for split in splits]
        clone.snakemake("--configfile", "config/fetched.yaml", "--notemp", "--", "all_downloads", *made)
    assert "0\tOwls sleep .\tCats sleep .\tnot_entailment" in (clone / made[0]).read_text()
    assert [(clone / path).read_text().splitlines()[1][0] for path in made[2:]] == ["1", "0"]
    fetched = {path.name for path in (clone / "results/miniature/corpora/downloads").iterdir()}
    assert fetched == {"glue-rte", "mrpc-pairs", "mrpc-dev-ids"}, (
        "what no run of the sheet needs is not fetched"
    )
    used = [path for path, _ in server.requests]
    assert len(used) == len(set(used)) == 3
    # the fine-tuning of a run asks for these very files
    planned = clone.planned(
        "results/miniature/models/mrpc/scores.json", options=["--configfile", "config/fetched.yaml"]
    )
    assert planned["finetune"] == 1
    assert "download" not in planned


def test_a_model_of_the_hub(smoke_clone, tmp_path, monkeypatch) -> None:
    tokenizer = word_tokenizer(["owls", "sleep"])
    save(tmp_path / "made", tiny_bert(tokenizer), tokenizer)
    files = {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()}
    clone = smoke_clone("hub")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    digest = hashlib.sha256(files["model.safetensors"]).hexdigest()
    named = {"model": NAME, "revision": COMMIT, "sha256": digest}
    target = "results/miniature/hub/named/model.safetensors"
    (clone / "config/hub.yaml").write_text(yaml.safe_dump({"architectures": {"named": named}}))
    with serving(Hub(files | {"pytorch_model.bin": b"pickled"})) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        clone.snakemake("--configfile", "config/hub.yaml", "--", target)
    assert (clone / target).read_bytes() == files["model.safetensors"]
    assert {path.name for path in (clone / "results/miniature/hub/named").iterdir()} == {
        "model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json", "hub.json"
    }  # fmt: skip
