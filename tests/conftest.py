"""Tests run with the library's tensor shapes and types checked at every call."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Before torch is imported anywhere: two test processes with two threads each stall one another on two cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from jaxtyping import install_import_hook

install_import_hook("headwork", "beartype.beartype")

ROOT = Path(__file__).resolve().parents[1]


# The run of the smoke scale takes longest: one of two workers begins with it, the other with what tells most. The rest
# are short files, so that the workers end together (with pytest-xdist's --no-loadscope-reorder).
FIRST = ("test_smoke_scale.py", "equations", "studies", "workflow", "browser", "test_cli.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def turn(item: pytest.Item) -> int:
        return next((place for place, name in enumerate(FIRST) if name in item.path.parts), len(FIRST))

    items.sort(key=turn)


@pytest.fixture(autouse=True)
def level_of_logging() -> Iterator[None]:
    """A job sets the level for its process; here the next test wants its own."""
    before = logging.getLogger().level
    yield
    logging.getLogger().setLevel(before)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout the tests belong to."""
    return ROOT


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Real corpora, from $HEADWORK_DATA or beside the checkout; tests that need them skip without."""
    folder = Path(os.environ.get("HEADWORK_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real corpora: {folder} is absent; set HEADWORK_DATA to a folder that has them")
    return folder
