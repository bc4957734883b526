"""Files that trainings and measurements of models read, and what else a run's row of the sheet says of its training."""

import math
from collections.abc import Iterable
from itertools import product

from headwork.errors import InputError
from headwork.models.loading.wheels import files_of_model
from headwork.plan.annotated import Annotated
from headwork.settings.run_sheets import LEARNED, mask_run, whole_run
from headwork.settings.sentences import spelling

Files = dict[str, str | list[str]]
BOTH = ("source", "target")  # sides of a parallel corpus


class Trained:
    """The models of a scale."""

    def __init__(self, annotated: Annotated) -> None:
        self.annotated, self.texts = annotated, annotated.texts
        self.scale, self.config = annotated.scale, annotated.config

    def text(self, run: str, splits: Iterable[str], sides: Iterable[str] = BOTH) -> list[str]:
        """Sides of splits of the parallel corpus that a run is trained on."""
        folder = f"<results>/corpora/{self.scale.corpus_of(run)}"
        return [f"{folder}/{split}.{side}.txt" for split, side in product(splits, sides)]

    def _pieces(self, run: str) -> str:
        return f"<results>/corpora/{self.scale.corpus_of(run)}/tokenizer.json"

    def training_files(self, run: str) -> Files:
        """The text a run is trained on, its subwords, and the model and the mask it starts from, if any."""
        masked = mask_run(self.scale.rows[run]["gates"])
        mask: Files = {"mask": f"<results>/models/{masked}/gates.csv"} if masked else {}
        corpus = [*self.text(run, ("train", "dev")), self._pieces(run)]
        return {"corpus": corpus} | self._start(run) | mask

    def language_files(self, run: str) -> Files:
        """The source side of a corpus, its subwords, and the run or model that a language model starts from, if any."""
        corpus = [*self.text(run, ("train", "dev"), ["source"]), self._pieces(run)]
        return {"corpus": corpus} | self._start(run) | self._model_by_name(run)

    def pretraining_files(self, run: str) -> Files:
        """The text, its pieces or the model that brings its own, and the run that a run starts from, if any."""
        folder = f"<results>/corpora/{self.scale.corpus_of(run)}"
        text = [f"{folder}/{split}.txt" for split in ("train", "dev")]
        start, model = self._start(run), self._model_by_name(run)
        if not model and start:  # the pieces of the run that it starts from
            pieces = f"<results>/models/{self.scale.rows[run]['init_run']}/tokenizer.json"
            start["init"] = [*start["init"], pieces]
        elif not model:
            text.append(self._pieces(run))
        return {"text": text} | start | model

    def counted_text(self, run: str) -> str:
        """The text in which the pieces of a masked language model are counted: its training text, if it has one."""
        corpus = self.scale.corpus_of(run)
        split = "train" if self.config["texts"][corpus].get("subwords") else "test"
        return f"<results>/corpora/{corpus}/{split}.txt"

    def finetuning_files(self, run: str) -> Files:
        """The task's files, and the run that is fine-tuned."""
        return {"task": self.texts.task_files(run)} | self._start(run)

    def _start(self, run: str) -> Files:
        """The weights of the run that a run starts from, if any; and its gates, as closed heads stay closed."""
        row = self.scale.rows[run]
        start = row["init_run"]
        pruned = row["gates"] in LEARNED and start in self.scale.with_gates
        names = ("model.safetensors", "gates.csv") if pruned else ("model.safetensors",)
        return {"init": [f"<results>/models/{start}/{name}" for name in names]} if start else {}

    def _model_by_name(self, run: str) -> Files:
        """The weights of the model that a run's architecture names, if any: fetched from the hub, or in a folder."""
        architecture = self.scale.rows[run]["architecture"]
        named = self.scale.part(run, "architecture").get("model")
        if named and architecture not in self.scale.from_hub:
            return {"model": files_of_model(named)}
        return {"model": f"<results>/hub/{architecture}/model.safetensors"} if named else {}

    def stored_as(self, run: str) -> str:
        """The precision of a run's files; a published model, and what is trained on top of one, is kept as it came."""
        published = "model" in self.scale.part(run, "architecture")
        return "float32" if published else self.config["weights"]["stored_as"]

    def processes(self, run: str) -> int:
        """How many processes train a run: of `devices`, so many that they share its batches out evenly."""
        recipe = self.scale.part(run, "recipe")
        batches = recipe.get("accumulation", 1) if recipe.get("steps") != 0 else 1
        return math.gcd(batches, self.config["devices"])

    def doing(self, run: str) -> str:
        """What a training does, for its message."""
        if self.scale.part(run, "recipe").get("steps") == 0:
            named = self.scale.part(run, "architecture")
            published = "model" in named and named.get("weights") != "random"
            return "Take the published model" if published else "Initialise"
        if run in self.scale.classifying:
            return "Fine-tune"
        return "Pretrain" if run in self.scale.masked else "Train"

    def finished_files(self, run: str) -> list[str]:
        """What the training and the translations of a run leave, the gates of one that has any included."""
        names = ["run.json", "history.csv", "scores.json", "model.safetensors"]
        names += ["gates.csv"] * (run in self.scale.with_gates)
        return [f"<results>/models/{run}/{name}" for name in names]

    def published(self) -> list[str]:
        """The runs that are published with their weights; `InputError` for one that is no translation model."""
        for run in self.config["weights"]["published"]:
            if run not in self.scale.translating:
                known = spelling(run, self.scale.translating)
                raise InputError(f"weights.published: '{run}' is no translation model; {known}")
        return self.config["weights"]["published"]

    def published_weights(self) -> list[str]:
        """The model cards of these."""
        return [f"<results>/weights/{run}/README.md" for run in self.published()]

    def languages(self, run: str) -> list[str]:
        """The source and the target language of a translation model."""
        corpus = self.config["corpora"][self.scale.corpus_of(run)]
        return [corpus["source"], corpus["target"]]

    def analysis_files(self, run: str) -> Files:
        """The text on which a run's heads are measured, its trees, and the frequencies of its subwords."""
        corpus, split = self.scale.corpus_of(run), self.config["heads"]["split"]
        return {
            **dict(zip(BOTH, self.text(run, [split]), strict=True)),
            "frequencies": f"<results>/corpora/{corpus}/frequencies.parquet",
            "trees": self.annotated.trees(corpus, split),
        }

    def snapshots(self, run: str) -> str | list[str]:
        """The weights of a run after some updates, if they are kept."""
        return f"<results>/models/{run}/snapshots" if run in self.scale.watched else []

    def task_head_files(self, run: str) -> Files:
        """The dev set that a fine-tuned run's heads are measured on, and the pretrained run they are compared with."""
        before = self.scale.rows[run]["init_run"]
        while before in self.scale.classifying:  # fine-tuned on another task in between
            before = self.scale.rows[before]["init_run"]
        return {**self.texts.dev_files(run), "before": f"<results>/models/{before}/model.safetensors"}

    def relevance_files(self, run: str) -> Files:
        """The text on which a run's relevance is measured, and its translations if it reads these."""
        split = self.config["relevance"]["split"]
        text: Files = dict(zip(BOTH, self.text(run, [split]), strict=True))
        if self.config["relevance"].get("prefix") == "hypothesis":
            text["hypotheses"] = f"<results>/models/{run}/translations.{split}.txt"
        return text

    def removal_files(self, run: str) -> Files:
        """A pruned run's gates, the model it was pruned from, and the sentences that both translate."""
        whole = whole_run(self.scale.rows[run], self.scale.rows)
        return {
            "gates": f"<results>/models/{run}/gates.csv",
            "whole": f"<results>/models/{whole}/model.safetensors",
            "source": f"<results>/corpora/{self.scale.corpus_of(run)}/test.source.txt",
        }

    def states(self, run: str) -> Files:
        """A run's states on the analysed text, and those of a masked language model on the text with pieces masked."""
        files: Files = {"states": f"<results>/states/{run}.whole"}
        return files | ({"masked": f"<results>/states/{run}.masked"} if self.reads_masks(run) else {})

    def reads_masks(self, run: str) -> bool:
        """Whether a run is a masked language model over the source side of a corpus."""
        return run in self.scale.language and self.scale.rows[run]["objective"] == "mlm"
