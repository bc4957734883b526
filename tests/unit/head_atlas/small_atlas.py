"""Models for tests of the atlas: a BERT of which one head attends to the previous token, and an untrained one."""

import torch
from tiny_bert import tiny_bert, word_tokenizer

from headwork.head_atlas import texts

SENTENCES = texts.world(60, seed=1)
SCRIPT = "<script>window.broken=1</script>"


def tokenizer():
    """Its tokens are the words of the sentences."""
    return word_tokenizer(sorted({word for line in SENTENCES.lines for word in line.split(" ")} | {SCRIPT}))


def planted(words):
    """Head 1 of layer 1 attends to the previous token, all others uniformly: positions are points on circles, and a
    rotation leads from each to the one before.
    """
    model = tiny_bert(words, max_position_embeddings=64)
    bert = model.bert
    with torch.no_grad():
        for parameter in bert.parameters():
            parameter.zero_()
        bert.embeddings.LayerNorm.weight.fill_(1)
        for layer in bert.encoder.layer:
            layer.attention.output.LayerNorm.weight.fill_(1)
            layer.attention.output.dense.weight.fill_(1)  # of contexts of zeros, as W_V is 0
            layer.output.LayerNorm.weight.fill_(1)
        angles = torch.arange(64)[:, None] * torch.tensor([2.0, 1.3, 0.7, 0.4])
        circles = torch.stack([angles.cos(), angles.sin()], dim=2).flatten(1)
        # the second half makes the mean 0, so that layer normalisation only scales
        bert.embeddings.position_embeddings.weight.copy_(torch.cat([circles, -circles], dim=1))
        back = torch.block_diag(*(_rotation(-angle) for angle in (2.0, 1.3, 0.7, 0.4)))
        first = bert.encoder.layer[0].attention.self
        first.query.weight[:8, :8] = 8 * back
        first.key.weight[:8, :8] = torch.eye(8)
    return model


def _rotation(angle):
    cos, sin = torch.tensor(angle).cos(), torch.tensor(angle).sin()
    return torch.tensor([[cos, -sin], [sin, cos]])
