"""Files of trees, word alignments, senses and labels that analyses read: gold, parsed, or of the data folder."""

from pathlib import Path
from typing import Any

from headwork.errors import InputError
from headwork.parses.senses import keys_beside
from headwork.plan.scale import Row, embedded, world
from headwork.plan.texts import Texts

PARTS = ("train", "dev")  # of a treebank


class Annotated:
    """The annotation of the texts of a scale."""

    def __init__(self, texts: Texts) -> None:
        self.texts, self.scale, self.config = texts, texts.scale, texts.config

    def world_trees(self, corpus: str) -> list[str]:
        """The gold trees of a corpus's part of the miniature world."""
        return world(self.scale.domains(corpus))

    def trees(self, corpus: str, split: str) -> str:
        """The trees that analyses of a corpus stand on: gold, or those of the parser that its settings name."""
        kind = "gold" if self.config["corpora"][corpus]["parser"] == "gold" else "stanza"
        return f"<results>/parses/{corpus}/{split}.{kind}.conllu"

    def scored(self) -> list[str]:
        """The corpora of which there are both gold trees and a parser's."""
        entries = self.config["corpora"]
        return [
            name for name in self.scale.used if self.scale.domains(name) and entries[name]["parser"] != "gold"
        ]

    def parser_files(self, corpus: str) -> str | list[str]:
        """The tagger and parser of a corpus: trained here, published, or models that lie in a folder."""
        parser = self.config["corpora"][corpus]["parser"]
        folder = self.config["parsers"][parser].get("folder") or f"<results>/parses/parsers/{parser}"
        if parser in self.texts.published_parsers or Path(folder, "resources.json").is_file():
            return f"{folder}/resources.json"
        return [f"{folder}/tagger.pt", f"{folder}/parser.pt"]

    def parsed_texts(self, parser: str) -> list[str]:
        """The texts that a parser will parse."""
        parsed = [name for name in self.scale.used if self.config["corpora"][name]["parser"] == parser]
        return [f"<results>/corpora/{name}/{self.config['heads']['split']}.source.txt" for name in parsed]

    def treebank_files(self, parser: str) -> dict[str, list[str]]:
        """The CoNLL-U files of a treebank: the world's trees, or files of the data folder."""
        source = self.config["parsers"][parser]["treebank"]
        if source["type"] == "embedded":
            return {"train": world(self.config["world"]["sentences"]), "dev": []}
        return {part: [self.texts.data_file(source[part])] for part in PARTS}

    def treebank(self, run: str) -> dict[str, str]:
        """The treebank that a run's heads and probes are measured on: a parser's, or the corpus's own gold trees."""
        corpus = self.scale.corpus_of(run)
        entry = self.config["texts" if corpus in self.config["texts"] else "corpora"][corpus]
        parser = entry.get("treebank") or entry.get("parser")
        if parser is None:
            raise _lacking(corpus, "treebank")
        if parser == "gold":
            return {part: f"<results>/parses/{corpus}/{part}.gold.conllu" for part in PARTS}
        return {part: f"<results>/parses/treebanks/{parser}/{part}.conllu" for part in PARTS}

    def probed_trees(self, run: str) -> dict[str, str]:
        """The same as inputs of a rule."""
        return {f"{part}_trees": path for part, path in self.treebank(run).items()}

    def alignments(self, corpus: str) -> dict[str, str]:
        """Gold links and their text: a corpus's test set, unless the links have a text of their own."""
        entry = self.config["corpora"][corpus]["alignments"]
        if entry.get("text"):
            return {name: self.texts.data_file(entry[name]) for name in ("text", "links")}
        sides = {side: f"<results>/corpora/{corpus}/test.{side}.txt" for side in ("source", "target")}
        if entry["type"] == "local":
            return {**sides, "links": self.texts.data_file(entry["links"])}
        language = self.config["corpora"][corpus]["target"]
        domain = f"<results>/corpora/world/{entry['domain']}"
        of_world = {"world_source": f"{domain}.conllu", "world_target": f"{domain}.{language}.txt"}
        return {**sides, **of_world, "links": f"{domain}.{language}.align"}

    def probing_tasks(self, probes: str) -> dict[str, Row]:
        """Task -> its settings, of `tags` or `edge_probes`; a scale may leave out what it has no labels for."""
        tasks = self.config["representations"][probes]["tasks"]
        return {name: entry for name, entry in tasks.items() if entry is not None}

    def labelled(self, run: str, probes: str) -> dict[str, list[str]]:
        """For each task the file that probes learn from, and that on which they are scored."""
        trees, tasks = self.treebank(run), self.probing_tasks(probes).values()
        return {
            part: [self.texts.data_file(task[part]) if task.get("train") else trees[own] for task in tasks]
            for part, own in (("train", "train"), ("test", "dev"))
        }

    def analysed_files(self, corpus: str) -> dict[str, str | list[str]]:
        """The text whose tokens are analysed, its trees (the world's own, if it is the world's), and a file of tags."""
        text = self.config["representations"]["text"]
        trees = self.world_trees(corpus) or self.trees(corpus, text["split"])
        files = {"source": f"<results>/corpora/{corpus}/{text['split']}.source.txt", "trees": trees}
        return files | ({"tags": self.texts.data_file(text["tags"])} if text.get("tags") else {})

    def word_files(self, run: str) -> dict[str, str | list[str]]:
        """Trees, and texts with mentions; of the world's, those of the paragraphs that the model was not trained on."""
        text = self.scale.corpus_of(run)
        sources = self.config["texts"][text].get("mentions") or []
        if not sources:
            raise _lacking(text, "mentions")
        files = [world(embedded([source])) or [self.texts.data_file(source["path"])] for source in sources]
        mentions = [file for of_source in files for file in of_source]
        return {
            "trees": self.treebank(run)["dev"],
            "mentions": mentions,
            "held_out": _held_out(text, sources),
        }

    def sense_sources(self, run: str) -> list[dict[str, Any]]:
        """The annotated texts of a run's text: path, and for local ones the keys and the part that they are for."""
        text, found = self.scale.corpus_of(run), []
        for source in self.config["texts"][text].get("senses") or []:
            if source["type"] == "embedded":
                found += [{"path": path} for path in world(embedded([source]))]
                continue
            path = self.texts.data_file(source["path"])
            beside = keys_beside(Path(path))
            keys = self.texts.data_file(source["keys"]) if source.get("keys") else beside and str(beside)
            found.append({"path": path, "keys": keys, "split": source.get("split")})
        if not found:
            raise _lacking(text, "senses")
        return found

    def sense_settings(self, run: str) -> list[dict[str, Any]]:
        """Of each of these texts, whether it has keys, and the part that it is for; the files are inputs."""
        return [
            {"keys": bool(source.get("keys")), "split": source.get("split")}
            for source in self.sense_sources(run)
        ]

    def sense_files(self, run: str) -> dict[str, str | list[str]]:
        """Texts with senses and their keys; of the world's, the paragraphs that the model was not trained on count."""
        found, text = self.sense_sources(run), self.scale.corpus_of(run)
        return {
            "senses": [source["path"] for source in found],
            "gold": [source["keys"] for source in found if source.get("keys")],
            "held_out": _held_out(text, self.config["texts"][text]["senses"]),
        }


def _lacking(text: str, key: str) -> InputError:
    return InputError(
        f"text '{text}' has no `{key}`; name annotated text, or ask for items that do not need it"
    )


def _held_out(text: str, sources: list[Row]) -> str | list[str]:
    """The test split of a text, if any of these sources of it is the world's."""
    return f"<results>/corpora/{text}/test.txt" if embedded(sources) else []
