"""Reading trees, and mapping words to subword tokens

Measured in a process of its own: the types and shapes that tests have checked at every call cost time.
"""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time

import pytest
from own_process import measured


def _ratios(work: Callable[[], object], plain: Callable[[], object], times: int = 5) -> list[float]:
    """CPU time of `work` by that of `plain`, which take turns."""

    def seconds(each: Callable[[], object]) -> float:
        start = process_time()
        each()
        return process_time() - start

    return [seconds(work) / seconds(plain) for _ in range(times)]


def reading_trees() -> list[float]:
    """How many times the CPU time of the `conllu` package alone it takes to read and check trees."""
    import conllu

    from headwork.parses.conllu import Sentence, Word, read_trees, write_conllu

    draw, features = Random(1), {"Number": "Sing", "Person": "3"}

    def sentence() -> Sentence:
        forms = [f"word{draw.randrange(500)}" for _ in range(16)]
        words = [Word(form, form, "NOUN", "NN", features, place, "dep") for place, form in enumerate(forms)]
        return Sentence(words)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "trees.conllu"
        write_conllu(path, [sentence() for _ in range(1500)])

        def package() -> int:
            with path.open(encoding="utf-8") as file:
                return sum(len(each) for each in conllu.parse_incr(file))

        return _ratios(lambda: sum(map(len, read_trees(path))), package)


def mapping_pieces() -> list[float]:
    """How many times the CPU time of encoding it takes to have pieces with the words they belong to, checked."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    from headwork.parses.align import pieces_of

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    lines = [f"a{number} small{number % 7} sentence of{number % 11} some words ." for number in range(2000)]
    options = {"special_tokens": ["<unk>"], "end_of_word_suffix": "</w>", "show_progress": False}
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=300, **options))
    sentences = [line.split(" ") for line in lines]
    return _ratios(
        lambda: [pieces_of(words, tokenizer) for words in sentences],
        lambda: [tokenizer.encode(line).ids for line in lines],
    )


@pytest.fixture(scope="module")
def ratios() -> dict[str, list[float]]:
    return measured(__file__)


@pytest.mark.benchmark
def test_reading_trees_costs_hardly_more_than_the_package_alone(ratios, report):
    report("time of reading trees / the conllu package alone", ratios["reading_trees"], at_most=1.5)


@pytest.mark.benchmark
def test_the_map_costs_little_more_than_the_pieces(ratios, report):
    report("time of tokens with their words / tokens alone", ratios["mapping_pieces"], at_most=6)


if __name__ == "__main__":
    print(json.dumps({"reading_trees": reading_trees(), "mapping_pieces": mapping_pieces()}))
