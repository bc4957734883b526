"""Files of corpora, texts and tasks: of the miniature world, of the data folder, or fetched.

Input functions of jobs that read raw text. `InputError` says which file the data folder lacks.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from headwork.corpora.annotated.glue import TASKS, check_header, task_file
from headwork.corpora.selection.select import files_of
from headwork.corpora.sources.local import below, file_at
from headwork.corpora.sources.locations import Fetched, Places
from headwork.corpora.sources.streams import distilled_files, fetched_files, local_files
from headwork.errors import InputError
from headwork.plan import run_checks
from headwork.plan.scale import Row, Scale, embedded, world
from headwork.settings.corpora import ParallelText, Text

# The tasks that the world can make.
WORLD_TASKS = [name for name in TASKS if name != "CoLA"]
DISTILLED = Path("<results>/corpora/distilled")
HINT = "`headwork data` lists all that is missing, and the items that can be made without it"


class Texts:
    """The texts of a scale; `data` is the data folder, if one is given."""

    def __init__(self, scale: Scale, data: str | None) -> None:
        self.scale, self.config, self.data = scale, scale.config, data
        urls = {name: entry["url"] for name, entry in self.config.get("downloads", {}).items()}
        self.fetched = Fetched(urls, Path("<results>/corpora"))

    def data_folder(self, path: str) -> Path:
        """The data folder, in which `path` is looked for."""
        return Places(data=self.data and Path(self.data)).folder("data", path)

    def data_file(self, path: str | Row) -> str:
        """A file of the data folder, plain or compressed; or, if it says so, one that is fetched."""
        try:
            if isinstance(path, Mapping):
                return str(self.fetched.file(path["download"], path.get("member")))
            return str(file_at(self.data_folder(path), path))
        except InputError as error:
            raise InputError(f"{error}; {HINT}") from error

    def task_split(self, entry: Row, split: str) -> str:
        """The file of one split of a task: the world's, one of its folder in the data folder, or a fetched one."""
        if entry.get("download"):
            member = f"{entry.get('folder') or entry['task']}/{split}.tsv"
            return self.data_file({"download": entry["download"], "member": member})
        if not entry.get("path"):
            return f"<results>/corpora/tasks/{entry['task']}/{split}.tsv"
        try:
            file = task_file(below(self.data_folder(entry["path"]), entry["path"]), entry["task"], split)
        except InputError as error:
            raise InputError(f"{error}; {HINT}") from error
        check_header(file, entry["task"])
        return str(file)

    def task_files(self, run: str) -> list[str]:
        """The train and dev sets of the task that a run is fine-tuned on."""
        entry = self.config["tasks"][self.scale.corpus_of(run)]
        return [self.task_split(entry, split) for split in ("train", *dev_splits(entry))]

    def dev_files(self, run: str) -> dict[str, str | list[str]]:
        """The (first) dev set of a fine-tuned run's task, and its trees: the world's, or those of the settings."""
        entry = self.config["tasks"][self.scale.corpus_of(run)]
        split, *_ = dev_splits(entry)
        trees: str | list[str] = f"<results>/corpora/tasks/{entry['task']}/{split}.conllu"
        if not of_the_world(entry):
            trees = self.data_file(entry["trees"]) if entry.get("trees") else []
        return {"task": self.task_split(entry, split), "trees": trees}

    @cached_property
    def world_tasks(self) -> list[str]:
        """The tasks of runs that the world makes."""
        tasks = self.scale.with_objective("classification", "corpus")
        return [task for task in tasks if of_the_world(self.config["tasks"][task])]

    def corpus_files(self, corpus: str) -> dict[str, list[str]]:
        """What a corpus is made of: files of the world, of the data folder, and what is fetched."""
        entry, domains = self.config["corpora"][corpus], self.scale.domains(corpus)
        sides = [f"{side}.txt" for side in (entry["source"], entry["target"]) if side != "en"]
        of_world = [
            file for name in domains for ending in ("conllu", *sides) for file in world([name], ending)
        ]
        made = ParallelText.read(self.scale.corpus_settings(corpus), f"corpus '{corpus}'")
        distilled = list(map(str, distilled_files(made, DISTILLED)))
        of_corpus = {"world": of_world, **self._local_and_fetched(f"corpus '{corpus}'", made)}
        return of_corpus | ({"distilled": distilled} if distilled else {})

    def selected_from(self, distilled: str) -> list[str]:
        """What the sentences of a distilled text are selected from, and the test sets that none of them is of."""
        place = f"distilled text '{distilled}'"
        try:
            folder = Places(data=self.data and Path(self.data)).folder("data", place)
            return list(map(str, files_of(self.config["distilled"][distilled]["selection"], folder)))
        except InputError as error:
            raise InputError(f"{place}: {error}; {HINT}") from error

    def text_files(self, text: str) -> dict[str, list[str]]:
        """What a text is made of: trees and tasks of the world, files of the data folder, and what is fetched."""
        entry = self.config["texts"][text]
        tasks = [self.task_split(part, "train") for part in entry["sources"] if part["type"] == "task"]
        found = {"world": world(embedded(entry["sources"])), "tasks": tasks}
        made = Text.read(entry, f"text '{text}'")
        return found | self._local_and_fetched(f"text '{text}'", made)

    def _local_and_fetched(self, name: str, made: ParallelText | Text) -> dict[str, list[str]]:
        try:
            files = {"data": local_files(made, self.data), "fetched": fetched_files(made, self.fetched)}
        except InputError as error:
            raise InputError(f"{name}: {error}; {HINT}") from error
        return {name: list(map(str, paths)) for name, paths in files.items()}

    def other_sources(self, corpus: str) -> list[str]:
        """The source sides of other corpora on which a corpus's subwords are learned too, to split words alike."""
        others = (self.config["corpora"][corpus].get("subwords") or {}).get("sources_of") or []
        for other in others:
            if other not in self.config["corpora"]:
                place = f"corpora.{corpus}.subwords.sources_of"
                raise InputError(f"config: `{place}`: there is no corpus '{other}'")
        return [f"<results>/corpora/{other}/train.source.txt" for other in others]

    def addresses(self, section: str, name: str) -> dict[str, str | None]:
        """The addresses of what an entry of `corpora` or `texts` is made of, by the ids of `downloads`."""
        return {
            key: self.fetched.urls.get(key) for key in named_downloads(self.config[section][name]["sources"])
        }

    @cached_property
    def split_here(self) -> dict[str, str]:
        """Download of MRPC's pairs -> download of the ids of its dev pairs: its two splits are not in one archive."""
        tasks = self.config["tasks"].values()
        return {entry["download"]: entry["dev_ids"] for entry in tasks if entry.get("dev_ids")}

    def downloaded(self, download: str) -> str:
        """The file of a download: an archive that members are unpacked from, for instance."""
        return str(self.fetched.file(download))

    def dev_ids(self, download: str) -> str:
        """The file that says which of MRPC's pairs are dev."""
        return self.downloaded(self.split_here[download])

    @cached_property
    def published_parsers(self) -> list[str]:
        """Parsers that stanza publishes, and that are fetched."""
        return [parser for parser, entry in self.config["parsers"].items() if entry.get("published")]

    def from_the_net(self) -> list[str]:
        """The downloads and the models of the hub that the sheet's runs need, their parsers, and tags to probe for."""
        parts = [
            self.config[section][row["corpus"]]
            for row in self.scale.sheet
            for section in run_checks.TRAINED_ON[row["objective"]]
            if row["corpus"] in self.config[section]
        ]
        treebanks = [part[key] for part in parts for key in ("parser", "treebank") if key in part]
        parts += [self.config["parsers"][name] for name in treebanks if name != "gold"]
        parts.append(self.config["representations"]["tags"])
        wanted = set(named_downloads(parts))
        wanted |= {self.split_here[name] for name in wanted & set(self.split_here)}
        parsers = {self.config["corpora"][corpus]["parser"] for corpus in self.scale.used}
        models = {row["architecture"] for row in self.scale.sheet} & set(self.scale.from_hub)
        return [
            *(str(self.fetched.file(name)) for name in sorted(wanted)),
            *(f"<results>/hub/{name}/model.safetensors" for name in sorted(models)),
            *(
                f"<results>/parses/parsers/{name}/resources.json"
                for name in sorted(parsers & set(self.published_parsers))
            ),
        ]


def dev_splits(entry: Row) -> tuple[str, ...]:
    """The dev sets of a task: those that its entry in the config names, or those of the kind of task."""
    return tuple(entry.get("dev") or TASKS[entry["task"]].dev)


def of_the_world(entry: Row) -> bool:
    """Whether the miniature world makes a task."""
    return not (entry.get("path") or entry.get("download"))


def named_downloads(part: Any) -> Iterator[str]:
    """The ids of the downloads that a part of the config names anywhere; one may come twice."""
    if isinstance(part, dict):
        named = part.get("download")
        yield from named.values() if isinstance(named, dict) else [named] if named else []
    for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else []:
        yield from named_downloads(value)
