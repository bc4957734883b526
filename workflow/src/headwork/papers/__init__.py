"""Published numbers beside ours, the claims and their verdicts, and one style for all figures."""
