"""Training by OpenNMT-py on a folder of tokens, in the peers' environment: prints target tokens per CPU second.

Arguments: the folder (train.source.tokens, train.target.tokens, vocabulary.txt), the shape as JSON, tokens a batch,
updates. The first update, with which the data are read, is not timed.
"""

import json
import sys
import time
from pathlib import Path
from unittest import mock

import torch


def main() -> None:
    """Train, noting the clock and the tokens at each of its reports."""
    from onmt.bin.train import _get_parser, train
    from onmt.utils.report_manager import ReportMgrBase

    folder, shape, tokens, steps = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3], sys.argv[4]
    side = {name: folder / f"train.{name}.tokens" for name in ("source", "target")}
    data = f"data:\n  news: {{path_src: {side['source']}, path_tgt: {side['target']}}}\n"
    settings = {
        "save_data": folder / "onmt", "save_model": folder / "onmt-model", "src_vocab": folder / "vocabulary.txt",
        "tgt_vocab": folder / "vocabulary.txt", "encoder_type": "transformer", "decoder_type": "transformer",
        "enc_layers": shape["encoder_layers"], "dec_layers": shape["decoder_layers"], "heads": shape["heads"],
        "hidden_size": shape["width"], "word_vec_size": shape["width"], "transformer_ff": shape["feed_forward"],
        "dropout": 0, "attention_dropout": 0, "label_smoothing": 0.1, "optim": "adam", "learning_rate": 0.001,
        "max_grad_norm": 0, "batch_type": "tokens", "batch_size": tokens, "normalization": "tokens",
        "bucket_size": 20000, "num_workers": 0, "world_size": 1, "report_every": 1, "train_steps": steps,
        "save_checkpoint_steps": 100000, "valid_steps": 100000, "seed": 1,
    }  # fmt: skip
    text = data + "".join(f"{name}: {value}\n" for name, value in settings.items())
    text += (
        "share_vocab: true\nshare_embeddings: true\nshare_decoder_embeddings: true\nposition_encoding: true\n"
    )
    (folder / "onmt.yaml").write_text(text, encoding="utf-8")
    noted, report = [], ReportMgrBase.report_training

    def noting(
        self: ReportMgrBase, step: int, steps: int, rate: float, patience: object, seen: object, **how: bool
    ) -> object:
        noted.append((time.process_time(), seen.n_words))
        return report(self, step, steps, rate, patience, seen, **how)

    asked, _ = _get_parser().parse_known_args(["-config", str(folder / "onmt.yaml")])
    with mock.patch.object(ReportMgrBase, "report_training", noting):
        train(asked)
    times, words = zip(*noted, strict=True)
    print(json.dumps({"speed": sum(words[1:]) / (times[-1] - times[0]), "tokens": sum(words[1:])}))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
