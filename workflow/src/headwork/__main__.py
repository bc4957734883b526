"""``python -m headwork``: the command, where its script is not on the path."""

from headwork.cli import main

main()
