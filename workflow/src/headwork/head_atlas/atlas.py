"""The head atlas of a model: what each of its heads does on a text, as an object and as one HTML page."""

import copy
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.subwords.encoding import set_languages
from headwork.errors import InputError
from headwork.head_atlas import texts
from headwork.head_atlas.functions import LEAST, functions
from headwork.head_atlas.maps import maps_shown, texts_shown
from headwork.head_atlas.measures import measure_all
from headwork.head_atlas.page import Atlas, ModelAtlas
from headwork.head_atlas.reading import Reading, read, read_part
from headwork.head_atlas.subject import subject_of
from headwork.head_atlas.texts import Material
from headwork.lens.anatomy import anatomy
from headwork.models.loading import hub
from headwork.models.loading.kinds import CLASSIFIER, fit_inputs, kind_of, padding_known
from headwork.models.numerics.devices import DEVICES, device_of
from headwork.settings.atlas import AtlasSettings
from headwork.settings.base import require
from headwork.sites import Head

log = logging.getLogger(__name__)


Model = str | Path | PreTrainedModel


def atlas(
    model: Model,
    text: str | Path | Iterable[str] | None = None,
    *,
    tokenizer: PreTrainedTokenizerBase | None = None,
    pair: tuple[str | Path, str | Path] | None = None,
    task: tuple[str, str | Path] | None = None,
    parser: str | None = None,
    compare: Model | None = None,
    examples: str | Path | tuple[str | Path, str | Path] | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
    name: str | None = None,
    settings: AtlasSettings | Mapping[str, Any] | None = None,
    device: str | None = None,
) -> Atlas:
    """What each attention head of a model does.

    Args:
        model: a folder, a name of the hub, ``package:NAME==VERSION``, or a model with its `tokenizer`.
        text: a file with a sentence a line, CoNLL-U with trees, or the sentences themselves; None: the miniature
            world's English with its gold trees.
        tokenizer: of a model that is given as an object; for another model it takes the place of its own.
        pair: line-aligned source and target files, for a translation model.
        task: a GLUE task and its folder, for a classifier: its dev set is the text, its labels are explained.
        parser: trees of the text, or of the source of a pair: a CoNLL-U file, or ``stanza:FOLDER``.
        compare: a second model of the same shape and tokenizer, such as the same one pruned or fine-tuned.
        examples: a file of other sentences whose maps are shown, such as sentences that may be published where the text
            may not; for a `pair` a source and a target file.
        source_language: that of the source, as a multilingual translation model's tokenizer calls it.
        target_language: that of the translations of a pair, likewise.
        name: what the page calls the model; its folder's or class's name by default.
        settings: sizes of the samples, an `AtlasSettings` or a mapping of its keys: ``{"sentences": 2000}``.
        device: where it is measured; None: where a model given as an object is, else the CPU.

    A model that is given as an object is left as it was: on its device, in training or evaluation mode.

    Raises:
        InputError: a model that cannot be loaded or whose attention cannot be seen; a text that cannot be read, has no
            sentence, or is mostly unknown to the tokenizer; models that cannot be compared.
    """
    settings = AtlasSettings.read(settings or {}, "settings")
    require(
        sum(given is not None for given in (text, pair, task)) < 2, "atlas: give one of text, pair and task"
    )
    require(examples is None or task is None, "atlas: the examples of a classifier are of its task")
    others = None if examples is None else _examples(examples, pair, settings)
    material = _material(text, pair, task, parser, settings)
    languages, models = (source_language, target_language), []
    with ExitStack() as stack:
        for each in (model, compare):
            stack.enter_context(_left_as_it_was(each))
        first = _half(model, tokenizer, material, others, languages, name, device)
        stack.enter_context(padding_known(first.model, first.reading.tokenizer))
        chosen = first.shown.spread(settings.shown, settings.shortest, settings.longest)
        models.append(_complete(first, chosen, settings))
        if compare is not None:
            second = _half(compare, tokenizer, material, others, languages, None, device)
            stack.enter_context(padding_known(second.model, second.reading.tokenizer))
            _check_alike(first, second)
            models.append(_complete(second, chosen, settings))
    sources, targets = first.reading.sources, first.reading.targets or ()
    tokens = sum(len(each) for side in (sources, targets) for each in side)
    return Atlas(material.title, len(sources), tokens, texts_shown(first.shown, chosen), tuple(models))


@dataclass(frozen=True)
class _Half:
    """A model that was loaded, and its readings of the text and of the sentences `shown`, before its measures."""

    name: str
    model: PreTrainedModel
    notes: tuple[str, ...]
    reading: Reading
    shown: Reading


@contextmanager
def _left_as_it_was(model: Model | None) -> Iterator[None]:
    """Put a model that is given as an object back on its device, and each of its modules into its mode."""
    if not isinstance(model, PreTrainedModel):
        yield
        return
    device, training = model.device, [(module, module.training) for module in model.modules()]
    try:
        yield
    finally:
        model.to(device)
        for module, mode in training:
            module.training = mode


def _material(text: Any, pair: Any, task: Any, parser: str | None, how: AtlasSettings) -> Material:
    most, seed = how.sentences, how.seed
    if pair is not None:
        return texts.of_pair(*pair, parser, most, seed)
    if task is not None:
        return texts.of_task(*task, most, seed)
    if text is None:
        return texts.of_trees(parser, most, seed) if parser is not None else texts.world(most, seed)
    if isinstance(text, str | Path):
        return texts.of_text(text, parser, most, seed)
    require(parser is None, "atlas: trees are of a text's file; give `text` as a file")
    return texts.of_lines(text, "text given in Python", most, seed)


def _examples(files: Any, pair: Any, how: AtlasSettings) -> Material:
    if pair is None:
        return texts.of_text(files, None, how.sentences, how.seed)
    require(
        isinstance(files, tuple) and len(files) == 2,
        "atlas: examples of a pair are a source and a target file",
    )
    return texts.of_pair(*files, None, how.sentences, how.seed)


def _half(
    model: Model,
    tokenizer: PreTrainedTokenizerBase | None,
    material: Material,
    others: Material | None,
    languages: tuple[str | None, str | None],
    name: str | None,
    device: str | None,
) -> _Half:
    """A model with its reading of the material; maps are of the `others`, if there are any."""
    if isinstance(model, PreTrainedModel):
        require(tokenizer is not None, "atlas: a model given as an object needs its `tokenizer`")
        called, loaded = type(model).__name__, model.eval()
        tokenizer = fit_inputs(loaded, copy.copy(tokenizer))  # the caller's stays as it is
    else:
        called = Path(str(model)).name
        loaded, tokenizer = hub.load(model, may_lack_head=True, tokenizer=tokenizer)
    if any(languages):
        set_languages(tokenizer, *languages)
    if device is not None:
        loaded.to(device_of(device) if device in DEVICES else device)
    part, notes = read_part(loaded, material)
    named = (loaded.config.architectures or [None])[0]
    if loaded.base_model is loaded and named not in (None, type(loaded).__name__):
        notes = (*notes, f"The file has no weights of the head of {named}: the model below it is measured.")
    reading = read(part, tokenizer, material)
    notes = (*material.notes, *notes, *reading.notes)
    if others is None:
        return _Half(name or called, part, notes, reading, reading)
    notes = (*notes, f"The maps are of sentences of {others.title}, which are not among those measured.")
    return _Half(name or called, part, notes, reading, read(part, tokenizer, others))


def _complete(half: _Half, chosen: list[int], how: AtlasSettings) -> ModelAtlas:
    reading = half.reading
    samples = (reading.spread(how.gradients, 2, 64), reading.spread(how.removed, 2, 64))
    subject = subject_of(half.model, reading, *samples, how.seed)
    measured = measure_all(half.model, reading, subject)
    maps = maps_shown(half.model, half.shown, chosen, how.seed)
    kind, notes = type(half.model).__name__, (*half.notes, *measured.notes)
    if kind_of(half.model) == CLASSIFIER and half.model.config.num_labels == 1:
        notes = (
            *notes,
            "The model gives one score: importance is the change of the final hidden states without a head, "
            "and there are no attributions.",
        )
    silent = _silent(half.model)
    if silent:
        notes = (
            *notes,
            f"Pruned heads: {len(silent)}. Their part of W_O is zero, and they have no function.",
        )
    table = measured.table
    heard = [Head(*place) not in silent for place in table[["kind", "layer", "head"]].itertuples(index=False)]
    if len(half.reading.sources) < LEAST:
        notes = (*notes, f"No functions are named: they need {LEAST} sentences.")
    found = functions(table[heard], measured.measures, len(half.reading.sources))
    return ModelAtlas(half.name, kind, measured, found, maps, notes)


def _silent(model: PreTrainedModel) -> set[Head]:
    """The heads whose contexts the model multiplies by zero."""
    return {
        site.head(number)
        for site, part in anatomy(model).sites.items()
        for number, weight in enumerate(part.output_weight().abs().amax(dim=(0, 2)).tolist(), 1)
        if not weight
    }


def _check_alike(first: _Half, second: _Half) -> None:
    heads = [anatomy(half.model).heads() for half in (first, second)]
    if heads[0] != heads[1]:
        raise InputError(
            f"compare: {first.name} has {len(heads[0])} heads and {second.name} has {len(heads[1])}, or in other "
            "places; two models of one shape can be compared"
        )
    ids = [[text.pieces.ids for text in half.reading.sources] for half in (first, second)]
    if ids[0] != ids[1]:
        raise InputError(
            f"compare: {first.name} and {second.name} split the text into other subword tokens; compare models of one "
            "tokenizer"
        )
