"""One run's translations of the test set and their scores."""

from collections.abc import Mapping
from typing import Any

from headwork.corpora.parallel.tokenisation import detokeniser
from headwork.corpora.sources.readers import lines
from headwork.models.loading.checkpoints import load
from headwork.models.scoring.beam_search import translate
from headwork.models.scoring.bleu import score, scoring_of
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import write_json
from headwork.settings.models import Translation


def translate_run(
    input: Files,
    output: Files,
    corpus: Mapping[str, Any],
    settings: Translation,
    threads: int = 1,
    device: str = "auto",
) -> None:
    """Translate the source of the test set and score against its references.

    `input`: corpus (test.source.txt, test.target.txt and test.reference.txt), model (its files). `output`: translations
    (running text, one line per sentence), scores (JSON, {test: figures}). `corpus` is the corpus's part of the config
    (target, tokenisation); case does not count if the model knows none. Raises `InputError` for what the user can fix.
    """
    source, target, reference = ([line.text for line in lines(path)] for path in input.corpus)
    model, tokenizer = load(folder_of(input.model))
    words = translate(
        model, source, settings, tokenizer=tokenizer, threads=threads, device=device, name=input.corpus[0]
    )
    running_text = detokeniser(corpus.get("tokenisation", "none"), corpus["target"])
    texts = [running_text(line) for line in words]
    scores = score(texts, reference, scoring_of(tokenizer, settings), tokenised=(words, target))
    output.translations.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line}\n" for line in texts)
    output.translations.write_text(text, encoding="utf-8", newline="\n")
    write_json(output.scores, {"test": scores})
