"""The git commit of the code."""

import subprocess
from pathlib import Path


def commit(folder: str | Path | None = None) -> str | None:
    """The git commit the code stands at, "+" behind it if there are changes; None outside a repository."""
    here = Path(folder) if folder else Path(__file__).parent

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", here, *words], capture_output=True, text=True, timeout=30, check=True
        )
        return done.stdout.strip()

    try:
        return git("rev-parse", "HEAD") + (
            "+" if git("status", "--porcelain", "--untracked-files=no") else ""
        )
    except (OSError, subprocess.SubprocessError):
        return None
