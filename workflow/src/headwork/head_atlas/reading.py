"""The text of an atlas as a model reads it: batches, with what the model cannot read left out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.annotated.glue import as_numbered_by
from headwork.errors import InputError
from headwork.head_atlas.texts import Material, left_out
from headwork.heads.statistics.rare import Frequencies
from headwork.heads.streaming.batches import Batch, Text, single_batches, texts, translation_batches
from headwork.heads.streaming.task_texts import task_batches, task_texts
from headwork.lens.anatomy import anatomy
from headwork.lens.layers import Layers
from headwork.models.loading import hub
from headwork.models.loading.kinds import CLASSIFIER, decoder_start, kind_of, padding_of
from headwork.parses.align import SPECIAL

MOST_UNKNOWN = 0.5  # share of unknown tokens above which a text is not one for the model
LONGEST = 256  # tokens; longer sentences are left out, as maps grow with the square of their length


@dataclass(frozen=True)
class Reading:
    """A model's texts: sources, their targets or the places where second sentences begin, and the batches of them.

    `kind` is that of the only text (None: a translation model, which reads two), `causal` whether no token sees those
    after it. `labels` are numbers of classes.
    """

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    sources: Sequence[Text]
    kind: str | None
    decoder_start: int | None = None
    targets: Sequence[Text] | None = None
    seconds: Sequence[int] | None = None
    causal: bool = False
    labels: Sequence[int] | None = None
    notes: tuple[str, ...] = ()

    @property
    def padding(self) -> int:
        """The id at padding."""
        return padding_of(self.model, self.tokenizer)

    def batches(self, tokens: int = 2000, chosen: Sequence[int] | None = None) -> list[Batch]:
        """All texts, or the chosen ones, in batches of at most `tokens` tokens, sorted by length."""
        numbers = range(len(self.sources)) if chosen is None else chosen
        sources = [self.sources[number] for number in numbers]
        if self.targets is not None:
            targets = [self.targets[number] for number in numbers]
            return translation_batches(sources, targets, self.padding, self.decoder_start, tokens)
        if self.seconds is not None:
            typed = "token_type_ids" in self.tokenizer.model_input_names
            seconds = [self.seconds[number] for number in numbers]
            return task_batches(sources, seconds, self.padding, tokens, typed, self.kind, self.causal)
        return single_batches(sources, self.kind, self.padding, tokens, self.causal)

    def single(self, number: int) -> Batch:
        """One text as a batch."""
        return self.batches(1, [number])[0]

    def spread(self, count: int, shortest: int = 0, longest: int = LONGEST) -> list[int]:
        """The numbers of at most `count` texts of that length in tokens, evenly over the text; any if none has."""
        sides = [self.sources, self.targets] if self.targets is not None else [self.sources]
        fit = [
            n for n in range(len(self.sources)) if all(shortest <= len(side[n]) <= longest for side in sides)
        ]
        fit = fit or sorted(range(len(self.sources)), key=lambda n: len(self.sources[n]))[:count]
        return [
            fit[place] for place in np.unique(np.linspace(0, len(fit) - 1, min(count, len(fit))).astype(int))
        ]

    def frequencies(self) -> Frequencies:
        """How often each token stands in the sources, and its rank."""
        size = max(self.tokenizer.get_vocab().values()) + 1
        ids = torch.cat([torch.as_tensor(text.pieces.ids) for text in self.sources])
        count = ids.bincount(minlength=size)
        rank = torch.empty_like(count)
        rank[count.argsort(descending=True, stable=True)] = torch.arange(1, len(count) + 1)
        return Frequencies(count, rank, int((count > 0).sum()))


def read(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, material: Material) -> Reading:
    """The material as this model reads it.

    A translation model without translations is read as its encoder alone (see `read_part`). Raises InputError if
    nothing is left, if most tokens are unknown, and for translations given to a model that reads one text.
    """
    longest = int(min(hub.positions(model), LONGEST))
    kinds, layers = {site.kind for site in anatomy(model).sites}, Layers(model)
    kind, causal, over = layers.kind, layers.causal, f"over {longest} subword tokens"
    if material.targets is not None and kinds != {"encoder", "decoder", "cross"}:
        raise InputError(
            f"pair: a {type(model).__name__} reads one text; give `text`, or the folder of a translation model"
        )
    if material.examples is not None:
        found, seconds, indices = task_texts(material.examples, tokenizer, longest, name=material.title)
        notes = tuple(filter(None, [left_out(len(material.examples) - len(found), "example", [over])]))
        _check_known(found, tokenizer, material.title)
        numbers = None
        if kind_of(model) == CLASSIFIER:
            task, note = as_numbered_by(material.task, model.config.id2label, type(model).__name__)
            labels = {each.index: task.labels.index(each.label) for each in material.examples}
            numbers, notes = [labels[index] for index in indices], (*notes, *filter(None, [note]))
        return Reading(
            *(model, tokenizer, found, kind),
            seconds=seconds,
            causal=causal,
            labels=numbers,
            notes=notes,
        )
    sides = [material.lines] if material.targets is None else [material.lines, material.targets]
    readable, troubles, long = [], [], 0
    for number, line in enumerate(zip(*sides, strict=True)):
        tree = None if material.trees is None else [material.trees[number]]
        try:
            own = [next(texts([line[0]], tokenizer, tree, material.title))]
            own += [next(texts([each], tokenizer, name=material.title, target=True)) for each in line[1:]]
        except InputError as error:  # a word without a token, such as a lone zero-width space
            troubles.append(str(error))
            continue
        if max(map(len, own)) <= longest:
            readable.append(own)
        else:
            long += 1
    if not readable and troubles:
        raise InputError(troubles[0])
    if not readable:
        raise InputError.at(
            material.title,
            f"no sentence has at most {longest} subword tokens; give shorter sentences, one a line",
        )
    sources = [own[0] for own in readable]
    _check_known(sources, tokenizer, material.title)
    what = "sentence" if material.targets is None else "pair"
    notes = (left_out(long, what, [over]), left_out(len(troubles), what, troubles))
    notes = tuple(filter(None, notes))
    if material.targets is None:
        return Reading(model, tokenizer, sources, kind, causal=causal, notes=notes)
    return Reading(
        model, tokenizer, sources, None, decoder_start(model), [own[1] for own in readable], notes=notes
    )


def read_part(model: PreTrainedModel, material: Material) -> tuple[PreTrainedModel, tuple[str, ...]]:
    """The part of the model that reads the material, and what to say of it: of a translation model with one text, the
    encoder.

    Raises InputError for a model that reads no text.
    """
    if model.main_input_name != "input_ids":
        raise InputError(
            f"a {type(model).__name__} reads {model.main_input_name}, not text; an atlas is made of a text model"
        )
    if model.config.is_encoder_decoder and material.targets is None:
        if material.examples is not None:
            raise InputError(
                f"task: a {type(model).__name__} reads a text with an encoder and with a decoder; give a classifier "
                "that reads it once, or its text alone"
            )
        note = "The model translates, but there is no translation to read: only its encoder was measured (see `pair`)."
        return model.get_encoder(), (note,)
    return model, ()


def _check_known(found: Sequence[Text], tokenizer: PreTrainedTokenizerBase, name: str) -> None:
    ids = [
        number
        for text in found
        for number, word in zip(text.pieces.ids, text.pieces.words, strict=True)
        if word != SPECIAL
    ]
    unknown = sum(number == tokenizer.unk_token_id for number in ids)
    if unknown > MOST_UNKNOWN * len(ids):
        raise InputError.at(
            name,
            f"{unknown / len(ids):.0%} of its subword tokens are unknown to the model's tokenizer; give a text in a "
            "language and script that the model was trained on",
        )
