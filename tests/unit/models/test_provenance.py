"""Where results come from."""

import hashlib
import json
import subprocess
from importlib.metadata import version

from headwork.models.training.provenance import provenance
from headwork.run.commit import commit
from headwork.run.outputs import write_json


def test_commit(tmp_path):
    assert commit(tmp_path) is None

    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-m", "one")
    clean = commit(tmp_path)
    assert len(clean) == 40
    (tmp_path / "a").write_text("2")
    assert commit(tmp_path) == clean + "+"


def test_all_of_it_is_json(tmp_path):
    (tmp_path / "data.txt").write_text("x\n")
    found = provenance({"seed": 1, "betas": (0.9, 0.98)}, [tmp_path / "data.txt"], training={"seconds": 1.5})
    write_json(tmp_path / "run.json", found)
    read = json.loads((tmp_path / "run.json").read_text())
    assert read["inputs"] == {"data.txt": hashlib.sha256(b"x\n").hexdigest()}
    assert read["settings"] == {"seed": 1, "betas": [0.9, 0.98]}
    assert read["training"] == {"seconds": 1.5}
    assert read["versions"]["torch"] == version("torch")
    assert {"commit", "hardware"} < read.keys()
