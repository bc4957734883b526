"""A classifier that tells good from bad by one head, and a task of good and bad films."""

import torch
from tiny_bert import tiny_bert, word_tokenizer
from transformers import BertForSequenceClassification

from headwork.models.loading.checkpoints import save

WORDS = ["good", "bad", "film", "plot", "very", "is"]


def planted_model(folder):
    """Head 2 of layer 1 brings the word to [CLS]; all else is silent. Without it the answer is always positive."""
    tokenizer = word_tokenizer(WORDS)
    config = tiny_bert(tokenizer).config
    config.num_labels = 2
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        for layer in model.bert.encoder.layer:
            for module in layer.modules():
                if isinstance(module, torch.nn.Linear):
                    module.weight.zero_()
                    module.bias.zero_()
        embeddings = model.bert.embeddings
        for kind in ("word", "position", "token_type"):
            getattr(embeddings, f"{kind}_embeddings").weight.zero_()
        embeddings.LayerNorm.weight.fill_(1.0)
        good, bad = (tokenizer.convert_tokens_to_ids(word) for word in ("good", "bad"))
        embeddings.word_embeddings.weight[good, :2] = torch.tensor([3.0, -3.0])
        embeddings.word_embeddings.weight[bad, :2] = torch.tensor([-3.0, 3.0])
        # something of [CLS] itself, or normalisation would make any amount of the word the same
        embeddings.word_embeddings.weight[tokenizer.cls_token_id, 4:6] = torch.tensor([3.0, -3.0])
        first = model.bert.encoder.layer[0].attention
        first.self.value.weight[8, 0] = 1.0  # head 2 reads the first dimension
        first.output.dense.weight[2, 8] = 2.0
        model.bert.pooler.dense.weight.zero_()
        model.bert.pooler.dense.weight[0, 2] = 2.0
        model.bert.pooler.dense.bias.zero_()
        model.classifier.weight.zero_()
        model.classifier.weight[1, 0], model.classifier.weight[0, 0] = 4.0, -4.0
        model.classifier.bias[:] = torch.tensor([0.0, 0.1])
    save(folder, model, tokenizer)
    return folder


def planted_task(folder, size=20):
    """Train and dev in the format of SST-2; labels alternate, so any run of examples has as many of each."""
    rows = [
        f"{'very ' * (number % 4)}{'good' if number % 2 else 'bad'} film\t{number % 2}"
        for number in range(size)
    ]
    for split in ("train", "dev"):
        (folder / f"{split}.tsv").write_text("\n".join(["sentence\tlabel", *rows]) + "\n")
    return folder
