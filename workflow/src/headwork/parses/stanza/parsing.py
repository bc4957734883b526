"""Parsing of tokenised text with stanza, without changing the tokens.

The models are either trained by this project (a folder with tagger.pt and parser.pt, see `training`) or
published ones (a folder of stanza's resources), downloaded by stanza, with checksums, by a job of its own.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from pickle import UnpicklingError
from tempfile import TemporaryDirectory
from typing import Any

import requests
import stanza
from tqdm import tqdm

from headwork.corpora.sources.readers import lines
from headwork.errors import InputError
from headwork.parses.conllu import Sentence, Word, write_conllu
from headwork.parses.tokens import read_tokens
from headwork.run.frame import Files, folder_of
from headwork.settings.parses import PublishedParser

# Interface of a pipeline: from lists of tokens to stanza's document.
Parse = Callable[[list[list[str]]], stanza.Document]

PROCESSORS = "tokenize,pos,lemma,depparse"  # depparse requires lemmas from any processor
WORK = Path(".checkpoints/stanza")
_PRETOKENISED = {
    "processors": PROCESSORS,
    "tokenize_pretokenized": True,
    "download_method": None,
    "verbose": False,
}


def trained_pipeline(
    tagger: str | Path,
    parser: str | Path,
    language: str = "en",
    device: str = "cpu",
    tagger_batch: int = 200,
    parser_batch: int = 5000,
) -> stanza.Pipeline:
    """A pipeline of models trained by `headwork.parses.stanza.training`; lemmas are the forms.

    `tagger_batch` counts sentences and `parser_batch` words. Raises InputError if a model is not there.
    """
    for path in (tagger, parser):
        if not Path(path).is_file():
            raise InputError.at(path, "the model does not exist; train it, or name the folder that has it")
    options = {
        "allow_unknown_language": True,
        "lemma_use_identity": True,
        "pos_model_path": str(tagger),
        "depparse_model_path": str(parser),
        "pos_pretrain_path": None,
        "depparse_pretrain_path": None,
        "pos_batch_size": tagger_batch,
        "depparse_batch_size": parser_batch,
        "device": device,
    }
    with TemporaryDirectory(prefix="headwork-stanza-") as resources:
        # stanza requires a list of published models even if none is used
        (Path(resources) / "resources.json").write_text("{}", encoding="utf-8")
        try:
            return stanza.Pipeline(language, dir=resources, **options, **_PRETOKENISED)
        except (UnpicklingError, EOFError, RuntimeError, KeyError) as error:
            message = f"stanza cannot load this tagger with {parser} ({error}); train them again"
            raise InputError.at(tagger, message) from None


def published_pipeline(
    resources: str | Path, language: str = "en", package: str = "default", device: str = "cpu"
) -> stanza.Pipeline:
    """A pipeline of published models from a folder of stanza's resources.

    Raises InputError if the folder does not have the language or the package's models.
    """
    folder = Path(resources)
    listed = json.loads((folder / "resources.json").read_text(encoding="utf-8"))
    known = sorted(name for name in listed if (folder / name).is_dir())
    if language not in known:
        has = ", ".join(known) or "no language"
        raise InputError.at(folder, f"there are no models for '{language}'; the folder has {has}")
    options: dict[str, Any] = {"package": package, "device": device, **_PRETOKENISED}
    try:
        return stanza.Pipeline(language, dir=str(folder), **options)
    except (FileNotFoundError, ValueError) as error:
        raise InputError.at(
            folder, f"stanza cannot load package '{package}' of '{language}': {error}"
        ) from None


def pipeline_from(folder: str | Path, language: str = "en", **options: Any) -> stanza.Pipeline:
    """The pipeline of a model directory: tagger.pt and parser.pt trained here, or stanza's resources.

    `options` go to `trained_pipeline` or `published_pipeline`. Raises InputError if it is neither.
    """
    folder = Path(folder)
    if (folder / "tagger.pt").is_file() or (folder / "parser.pt").is_file():
        return trained_pipeline(folder / "tagger.pt", folder / "parser.pt", language, **options)
    if (folder / "resources.json").is_file():
        return published_pipeline(folder, language, **options)
    state = "it has neither" if folder.is_dir() else "there is no such folder"
    raise InputError.at(
        folder, f"a model directory holds tagger.pt and parser.pt, or stanza's resources.json; {state}"
    )


def _sentence(parsed: Any) -> Sentence:
    words = [
        Word(
            word.text,
            lemma=word.lemma,
            upos=word.upos,
            xpos=word.xpos,
            feats=dict(pair.split("=", 1) for pair in word.feats.split("|")) if word.feats else {},
            head=word.head,
            deprel=word.deprel,
        )
        for word in parsed.words
    ]
    return Sentence(words)


def parses(
    sentences: Iterable[list[str]],
    pipeline: Parse,
    total: int | None = None,
    at_once: int = 2000,
) -> Iterator[Sentence]:
    """The tree of each sentence (a list of tokens), in order, with a bar on a terminal.

    stanza sorts `at_once` sentences by length and batches them; more sentences need more memory and save no time. The
    parses are checked to have the input tokens.
    """
    with tqdm(total=total, desc="parse", unit="sentence", disable=None) as bar:
        remaining = iter(sentences)
        while chunk := list(islice(remaining, at_once)):
            parsed = [_sentence(each) for each in pipeline(chunk).sentences]
            if [sentence.forms for sentence in parsed] != chunk:
                raise RuntimeError("stanza changed the tokens")
            yield from parsed
            bar.update(len(chunk))


def parse_text(input: Files, output: Files, language: str, device: str = "cpu") -> None:
    """Parse each of the `lines` of a tokenised text with the `models` of a folder; write the `trees` as CoNLL-U.

    Raises InputError for an empty line or token, and as `pipeline_from` does.
    """
    pipeline = pipeline_from(folder_of(input.models), language, device=device)
    total = sum(1 for _ in lines(input.lines))
    write_conllu(output.trees, parses(read_tokens(input.lines), pipeline, total))


def fetch_parser(input: Files, output: Files, published: PublishedParser) -> None:
    """Fetch a published parser to the folder of its `resources` (json)."""
    folder = output.resources.parent
    fetch_models(published.language, published.package, folder, WORK / folder.name)


def fetch_models(language: str, package: str, folder: Path, work: Path, **where: str) -> None:
    """Download a package's models and stanza's resources.json to `folder`; `work` holds them until complete.

    `where` are stanza's own `resources_url` and `model_url`. Raises InputError if the network or the language fails;
    `folder` then holds what it held before.
    """
    try:
        stanza.download(language, str(work), package, PROCESSORS, verbose=False, **where)
    except (requests.RequestException, ValueError, OSError, KeyError) as error:
        raise InputError(
            f"stanza's models of '{language}' ({package}) were not fetched ({type(error).__name__}); check the network "
            "and the names, and run again"
        ) from error
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(work / language, folder / language, dirs_exist_ok=True)
    shutil.move(work / "resources.json", folder / "resources.json")
    shutil.rmtree(work)
