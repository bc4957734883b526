"""Beam search over a file of sentences, in batches of similar length, with results in the order of the file.

A finished hypothesis of `length` tokens, without EOS, has the score log p / (offset + length)^alpha: offset 6 and alpha
0.6 in the code of Voita et al. 2019, offset 5 in Wu et al. 2016. The search of a sentence ends when as many hypotheses
are finished as the beam is wide; of these the best is taken. Both engines support offset 0 only: they search with it,
and the hypotheses are ranked here. Padding and empty outputs are excluded.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch
from tqdm import tqdm
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from headwork.corpora.subwords.encoding import ids_of
from headwork.errors import InputError
from headwork.models.loading.checkpoints import load
from headwork.models.numerics.devices import device_of
from headwork.settings.base import part_of
from headwork.settings.models import BeamSearch


class Hypothesis(NamedTuple):
    """A finished translation: its pieces without EOS, and its log probability, EOS included."""

    pieces: list[int]
    log_probability: float


@runtime_checkable
class Engine(Protocol):
    """Interface of engines that find the hypotheses of sentences."""

    def hypotheses(self, sources: list[list[int]], longest: int) -> list[list[Hypothesis]]:
        """For each source (ids, EOS included) the finished hypotheses of at most `longest` pieces."""


class Translator:
    """A model prepared for its engine; call it with lines.

    `model` is a folder, or a model with its `tokenizer`. Raises `InputError` for unknown settings.
    """

    def __init__(
        self,
        model: PreTrainedModel | str | Path,
        settings: BeamSearch | Mapping[str, Any] | None = None,
        *,
        tokenizer: PreTrainedTokenizerBase | None = None,
        threads: int = 1,
        device: str = "auto",
    ) -> None:
        self.how = BeamSearch.read(settings, "translation")
        if not isinstance(model, PreTrainedModel):
            model, tokenizer = load(model)
        self.tokenizer = tokenizer
        self.positions = model.config.max_position_embeddings
        self.engine = _engine(model, tokenizer, self.how, threads, device_of(device).type)

    def __call__(self, lines: Sequence[str], name: str | Path = "text") -> list[str]:
        """The best translation of each line, in words as the model's training text has them.

        Empty lines stay empty. `name` is the name of the text in messages. Raises `InputError`, unless `overlong` is
        cut, for a line the model has no positions for.
        """
        how = self.how
        sources = _encode(lines, self.tokenizer, self.positions, how.overlong, name)
        translations = [""] * len(lines)
        with tqdm(total=len(lines), desc="translate", unit="sentence", disable=None) as bar:
            for batch in _batches(sources, how.tokens_per_batch // how.beam):
                longest = part_of(len(sources[batch[-1]]), how.longest_factor) + how.longest_extra
                found = self.engine.hypotheses(
                    [sources[line] for line in batch], min(longest, self.positions - 1)
                )
                for line, hypotheses in zip(batch, found, strict=True):
                    best = max(
                        hypotheses, key=lambda one: ranking_score(one, how.length_penalty, how.length_offset)
                    )
                    translations[line] = self.tokenizer.decode(best.pieces, skip_special_tokens=True).strip()
                bar.update(len(batch))
        return translations


def translate(
    model: PreTrainedModel | str | Path,
    lines: Sequence[str],
    settings: BeamSearch | Mapping[str, Any] | None = None,
    *,
    name: str | Path = "text",
    **given: Any,
) -> list[str]:
    """The best translation of each line, by a temporary `Translator`."""
    return Translator(model, settings, **given)(lines, name)


def ranking_score(hypothesis: Hypothesis, alpha: float, offset: float) -> float:
    """log p / (offset + length)^alpha, by which finished hypotheses are ranked."""
    return hypothesis.log_probability / max(offset + len(hypothesis.pieces), 1) ** alpha


def _encode(
    lines: Sequence[str],
    tokenizer: PreTrainedTokenizerBase,
    positions: int,
    overlong: str,
    name: str | Path,
) -> list[list[int]]:
    sources = ids_of(tokenizer, lines)
    for line, source in enumerate(sources):
        if len(source) > positions:
            if overlong == "error":
                raise InputError.at(
                    name,
                    f"the line has {len(source)} pieces, the model has {positions} positions; "
                    "shorten it, or set `overlong: cut` in `translation`",
                    line + 1,
                )
            sources[line] = [*source[: positions - 1], source[-1]]
    return sources


def _batches(sources: list[list[int]], tokens: int) -> Iterator[list[int]]:
    """Line numbers (from 0) of like-long sources, longest last; lines without a subword token are left out."""
    order = sorted(
        (line for line, source in enumerate(sources) if len(source) > 1), key=lambda n: len(sources[n])
    )
    batch: list[int] = []
    for line in order:
        if batch and len(sources[line]) * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(line)
    if batch:
        yield batch


def _engine(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, how: BeamSearch, threads: int, device: str
) -> Engine:
    if how.engine == "ctranslate2" or (how.engine == "auto" and device == "cpu"):
        return CTranslate2(model, tokenizer, how.beam, how.length_penalty, threads)
    return Transformers(model, how.beam, how.length_penalty, threads, device)


def _hypothesis(pieces: list[int], score: float, longest: int, alpha: float) -> Hypothesis:
    """From an engine's score, which is log p / length^alpha with EOS (if it came to one) counted."""
    return Hypothesis(pieces, score * min(len(pieces) + 1, longest) ** alpha)


class CTranslate2:
    """The search of CTranslate2, in single precision."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        beam: int,
        length_penalty: float,
        threads: int,
    ) -> None:
        import ctranslate2

        from headwork.models.scoring.ctranslate2 import Export

        self.beam = beam
        # 0 would end the search with the first finished hypothesis
        self.alpha = length_penalty or 1e-9
        self.names = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
        self.ids = {name: number for number, name in enumerate(self.names)}
        self.never = [[tokenizer.pad_token]]
        with tempfile.TemporaryDirectory() as folder:
            Export(model, tokenizer).convert(folder, force=True)
            self.translator = ctranslate2.Translator(
                folder, device="cpu", inter_threads=1, intra_threads=threads, compute_type="float32"
            )

    def hypotheses(self, sources: list[list[int]], longest: int) -> list[list[Hypothesis]]:
        found = self.translator.translate_batch(
            [[self.names[piece] for piece in source] for source in sources],
            beam_size=self.beam,
            num_hypotheses=self.beam,
            length_penalty=self.alpha,
            return_scores=True,
            min_decoding_length=1,
            max_decoding_length=longest,
            suppress_sequences=self.never,
        )
        return [
            [
                _hypothesis([self.ids[name] for name in names], score, longest, self.alpha)
                for names, score in zip(result.hypotheses, result.scores, strict=True)
            ]
            for result in found
        ]


class Transformers:
    """The search of `transformers`' generate."""

    def __init__(
        self, model: PreTrainedModel, beam: int, length_penalty: float, threads: int, device: str
    ) -> None:
        torch.set_num_threads(threads)
        self.model = model.to(device).eval()
        self.beam = beam
        self.alpha = length_penalty

    @torch.inference_mode()
    def hypotheses(self, sources: list[list[int]], longest: int) -> list[list[Hypothesis]]:
        config = self.model.config
        width = max(map(len, sources))
        padded = [source + [config.pad_token_id] * (width - len(source)) for source in sources]
        inputs = torch.tensor(padded, device=self.model.device)
        real = torch.tensor([[1] * len(source) + [0] * (width - len(source)) for source in sources])
        found = self.model.generate(
            input_ids=inputs,
            attention_mask=real.to(self.model.device),
            num_beams=self.beam,
            num_return_sequences=self.beam,
            do_sample=False,
            early_stopping=True,
            length_penalty=self.alpha,
            renormalize_logits=True,  # over the output tokens, as CTranslate2 does
            min_new_tokens=1,
            max_new_tokens=longest,
            return_dict_in_generate=True,
            output_scores=True,
        )
        special = {config.pad_token_id, config.eos_token_id}
        scores = found.sequences_scores.tolist() if self.beam > 1 else [0.0] * len(sources)
        flat = [
            _hypothesis([piece for piece in row if piece not in special], score, longest, self.alpha)
            for row, score in zip(found.sequences.tolist(), scores, strict=True)
        ]
        return [flat[start : start + self.beam] for start in range(0, len(flat), self.beam)]
