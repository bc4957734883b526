"""One run's translations of held-out text and their scores, from checkpoint and corpus to files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headwork.corpora.parallel.tokenisation import detokeniser
from headwork.corpora.sources.readers import lines
from headwork.models.loading.checkpoints import load
from headwork.models.scoring.beam_search import translate
from headwork.models.scoring.bleu import score
from headwork.models.scoring.case import scoring_of
from headwork.run.outputs import write_json


def translate_run(
    model_folder: str | Path,
    corpus_folder: str | Path,
    output_folder: str | Path,
    corpus: Mapping[str, Any],
    settings: Mapping[str, Any] | None = None,
    splits: Sequence[str] = ("test",),
    threads: int = 1,
    device: str = "auto",
) -> None:
    """Translate `<split>.source.txt` of a corpus and score against its references.

    Writes translations.<split>.txt (running text, one line per sentence) and scores.json ({split: figures}) to
    `output_folder`. `corpus` is the corpus's part of the config (target, tokenisation); `settings` are those of
    `BeamSearch`, with those of `Scoring` under `scoring`; case does not count if the model knows none. Raises
    `InputError` for what the user can mend.
    """
    folder, output = Path(corpus_folder), Path(output_folder)
    search = {key: value for key, value in (settings or {}).items() if key != "scoring"}
    running_text = detokeniser(corpus.get("tokenisation", "none"), corpus["target"])
    model, tokenizer = load(model_folder)
    scoring = scoring_of(tokenizer, settings)
    scores, texts = {}, {}
    for split in splits:
        paths = [folder / f"{split}.{side}.txt" for side in ("source", "target", "reference")]
        source, target, reference = ([line.text for line in lines(path)] for path in paths)
        words = translate(
            model, source, search, tokenizer=tokenizer, threads=threads, device=device, name=paths[0]
        )
        texts[split] = [running_text(line) for line in words]
        scores[split] = score(texts[split], reference, scoring, tokenised=(words, target))
    output.mkdir(parents=True, exist_ok=True)
    for split, translations in texts.items():
        text = "".join(f"{translation}\n" for translation in translations)
        (output / f"translations.{split}.txt").write_text(text, encoding="utf-8", newline="\n")
    write_json(output / "scores.json", scores)
