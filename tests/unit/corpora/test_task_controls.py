"""What does not suffice for the world's tasks: bags of words, and one sentence where there are two.

Linear classifiers on counts of words, one count for each sentence, stay within `MARGIN` of chance (three standard
deviations on dev sets of this size) where a rule that reads the trees is always right (`test_task_rules`).
"""

import pytest
from scipy.sparse import hstack
from scipy.stats import pearsonr
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge

from headwork.corpora.annotated.glue import TASKS, read_task
from miniature_world.tasks.write import RECIPES

MARGIN = 0.06
CORRELATION = 0.12


@pytest.fixture(scope="module", params=RECIPES)
def task(request, tasks):
    name, texts, labels = request.param, {}, {}
    for split in ("train", *TASKS[name].dev):
        examples = list(read_task(tasks / name, name, split))
        texts[split] = [(example.first, example.second or "") for example in examples]
        labels[split] = [example.label for example in examples]
    return name, texts, labels


def counts(texts, places):
    """Per split, how often each word stands in the first, or the second, or each of the two."""
    blocks = {split: [] for split in texts}
    for place in places:
        vectorizer = CountVectorizer(token_pattern=r"\S+", lowercase=False)
        vectorizer.fit(pair[place] for pair in texts["train"])
        for split, pairs in texts.items():
            blocks[split].append(vectorizer.transform(pair[place] for pair in pairs))
    return {split: hstack(found).tocsr() for split, found in blocks.items()}


@pytest.mark.parametrize("places", [(0, 1), (0,), (1,)], ids=["both", "first", "second"])
def test_words_alone_do_not_tell_the_label(task, places):
    name, texts, labels = task
    if 1 in places and TASKS[name].columns[1] is None:
        pytest.skip(f"{name} has one sentence")
    features = counts(texts, places)
    for split in texts.keys() - {"train"}:
        if name == "STS-B":
            model = Ridge(10.0).fit(features["train"], labels["train"])
            found = pearsonr(model.predict(features[split]), labels[split]).statistic
            assert abs(found) < CORRELATION, found
        else:
            model = LogisticRegression(C=0.1, max_iter=300).fit(features["train"], labels["train"])
            found = model.score(features[split], labels[split])
            assert abs(found - 1 / len(RECIPES[name].labels)) < MARGIN, found


def test_the_control_finds_what_words_tell():
    """The same classifier is far above chance where a word gives the label away."""
    texts = {"train": [["a good cat"], ["a bad cat"]] * 20, "dev": [["a good dog"], ["a bad dog"]]}
    features = counts(texts, (0,))
    model = LogisticRegression(C=0.1).fit(features["train"], [1, 0] * 20)
    assert model.score(features["dev"], [1, 0]) == 1
