"""SHA-256 of files."""

import pytest

from headwork.corpora.sources.hashes import sha256
from headwork.errors import InputError

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, appendix B.1


def test_sha256(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256(tmp_path / "a") == ABC


def test_missing(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        sha256(tmp_path / "none")
