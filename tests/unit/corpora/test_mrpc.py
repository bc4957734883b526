"""MRPC's pairs are parted by a list of ids, and GLUE's two splits come out."""

import gzip
import hashlib

import pytest

from headwork.corpora.annotated.glue import read_task, split_mrpc
from headwork.errors import InputError
from headwork.run.frame import Files

HEAD = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
ROWS = ["1\t10\t11\tOwls sleep .\tThe owls sleep .\n", "0\t12\t13\tCats eat .\tDogs eat .\n"]


def split(folder):
    output = Files(train=folder / "train.tsv", dev=folder / "dev.tsv")
    split_mrpc(Files(pairs=folder / "pairs.txt", dev_ids=folder / "ids.tsv"), output)


def test_train_and_dev(tmp_path):
    (tmp_path / "pairs.txt").write_text(HEAD + "".join(ROWS))
    (tmp_path / "ids.tsv").write_text("12\t13\n")
    split(tmp_path)
    found = {split: list(read_task(tmp_path, "MRPC", split)) for split in ("train", "dev")}
    assert [(row.first, row.label) for row in found["train"]] == [("Owls sleep .", "equivalent")]
    assert [(row.second, row.label) for row in found["dev"]] == [("Dogs eat .", "not_equivalent")]


def test_ids_of_other_pairs(tmp_path):
    (tmp_path / "pairs.txt").write_text(HEAD + ROWS[0])
    (tmp_path / "ids.tsv").write_text("12\t13\n")
    with pytest.raises(InputError, match=r"ids\.tsv: the pair 12 13 is not in .*pairs\.txt"):
        split(tmp_path)
    (tmp_path / "ids.tsv").write_text("12 13\n")
    with pytest.raises(InputError, match=r"ids\.tsv:1: 1 cells where there are 2"):
        split(tmp_path)


def test_the_real_one(real_data, root):
    """The file that config/paper.yaml names has the checksum that stands there."""
    path = real_data / "glue/MRPC/msr_paraphrase_train.txt.gz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    found = hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest()
    assert found in (root / "config/paper.yaml").read_text()
