"""What the tests of studies share: the published results of both scales, as a clone has them after `make pull`."""

from pathlib import Path

import pytest
from clones import copy_of

PHASES = ("heads", "relevance", "pruning", "representations", "studies", "records")


@pytest.fixture(scope="session")
def published(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `results` of a clone that pulled what lies in the DVC remote inside the repository."""
    if not (root / "dvc.lock").is_file():
        pytest.skip("nothing has been published yet: there is no dvc.lock; `make publish` makes it")
    clone = copy_of(root, tmp_path_factory.mktemp("published"))
    (clone / ".dvc/published").symlink_to(root / ".dvc/published")
    clone.run("dvc", "pull", "--quiet", *PHASES)
    clone.run("python", "-m", "headwork", "records", "use")
    return clone / "results"
