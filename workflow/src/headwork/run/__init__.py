"""The frame of a job and of a run."""
