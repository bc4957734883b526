"""The world's tasks, written once for all tests that look into their files."""

import subprocess
import sys
from pathlib import Path

import pytest

WRITE = """
import sys
from headwork.settings.world import TaskSizes
from miniature_world.tasks.write import write_tasks
write_tasks(sys.argv[1], TaskSizes(train=1500, dev=600), seed=3)
"""


@pytest.fixture(scope="session")
def tasks(tmp_path_factory) -> Path:
    """A folder with all tasks: 1500 examples to train, 600 for development.

    Made in a process of its own: twenty thousand examples take ten times as long with every call's types checked.
    """
    folder = tmp_path_factory.mktemp("tasks")
    subprocess.run([sys.executable, "-c", WRITE, folder], check=True)
    return folder
