"""One file out of an archive; damaged and hostile archives are refused, and nothing is left of them."""

import hashlib
import io
import stat
import tarfile
import zipfile

import pytest
from flaky_server import tgz, zipped

from headwork.corpora.sources import archives
from headwork.corpora.sources.archives import unpack
from headwork.errors import InputError

FILES = {"dev/a-src.en.sgm": b"<srcset>", "dev/a-ref.ru.sgm": b"<refset>" * 9000}
KINDS = [("dev.tgz", tgz), ("en-ru.txt.zip", zipped)]


def entry(name, kind, target=""):
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, target
    return made


def refused(folder, name, packed, member, message):
    """The member is refused with that message, and nothing of it is there."""
    inside = folder / "inside"
    inside.mkdir()
    (inside / name).write_bytes(packed)
    with pytest.raises(InputError, match=message):
        unpack(inside / name, member, inside / "out" / "text")
    left = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert left == [f"inside/{name}"]


@pytest.mark.parametrize(("name", "pack"), KINDS)
def test_member(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(FILES))
    unpack(tmp_path / name, "dev/a-ref.ru.sgm", tmp_path / "out/dev/a-ref.ru.sgm")
    assert (tmp_path / "out/dev/a-ref.ru.sgm").read_bytes() == FILES["dev/a-ref.ru.sgm"]
    assert [path.name for path in (tmp_path / "out/dev").iterdir()] == ["a-ref.ru.sgm"]


@pytest.mark.parametrize(("name", "pack"), KINDS)
def test_no_such_member(tmp_path, name, pack):
    message = r"no member 'dev/a-src\.ru\.sgm'; it has 2, such as dev/a-"
    refused(tmp_path, name, pack(FILES), "dev/a-src.ru.sgm", message)


def test_names_with_a_dot_in_front(tmp_path):
    (tmp_path / "a.tgz").write_bytes(tgz({"./a.en": b"yes"}, entry(".", tarfile.DIRTYPE)))
    unpack(tmp_path / "a.tgz", "a.en", tmp_path / "a.en")
    assert (tmp_path / "a.en").read_bytes() == b"yes"


@pytest.mark.parametrize(("name", "pack"), KINDS)
def test_damaged_archive(tmp_path, name, pack):
    noise = bytes(hashlib.sha256(bytes([n % 251, n // 251])).digest()[0] for n in range(50_000))
    refused(tmp_path, name, pack({"a.en": noise})[:9000], "a.en", "not an archive, or a damaged one")


@pytest.mark.parametrize(("name", "pack"), KINDS)
@pytest.mark.parametrize("hostile", ["../evil.en", "/etc/evil.en", "a/../../evil.en"])
def test_names_that_lead_out(tmp_path, name, pack, hostile):
    packed = pack({hostile: b"x", "a.en": b"y"})
    beside = f"{name}: the archive is rejected: the member '{hostile}' leads out"
    refused(tmp_path, name, packed, "a.en", beside)
    (tmp_path / "again").mkdir()
    refused(tmp_path / "again", name, packed, hostile, f"the member '{hostile}' leads out of its archive")


LINKS = [(kind, to) for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) for to in ("b.en", "../../etc/passwd")]
OTHERS = [(kind, "") for kind in (tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)]


@pytest.mark.parametrize(("kind", "target"), LINKS + OTHERS)
def test_links_devices_and_folders(tmp_path, kind, target):
    packed = tgz({"b.en": b"y"}, entry("a.en", kind, target))
    refused(
        tmp_path, "a.tgz", packed, "a.en", r"a\.tgz: ('a\.en' is no file there|the archive is rejected: )"
    )


def test_link_in_a_zip(tmp_path):
    info = zipfile.ZipInfo("a.en")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    refused(tmp_path, "a.zip", packed.getvalue(), "a.en", r"'a\.en' is no file there, but a folder, a link")


@pytest.mark.parametrize(("name", "pack"), KINDS)
def test_absurd_size(tmp_path, name, pack):
    """Thirty megabytes of nothing in thirty kilobytes."""
    packed = pack({"a.en": bytes(30 << 20)})
    assert len(packed) < (30 << 20) / archives.LARGEST_RATIO
    refused(tmp_path, name, packed, "a.en", "unpacks to more than 100 times the archive")


def test_a_size_that_the_archive_hides(tmp_path):
    """A zip says in two places how large a member is; where it lies, no more than it says comes out of it."""
    packed = bytearray(zipped({"a.en": bytes(30 << 20)}))
    size = (30 << 20).to_bytes(4, "little")
    while size in packed:
        at = packed.index(size)
        packed[at : at + 4] = (1000).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(packed)
    with pytest.raises(InputError, match="not an archive, or a damaged one"):
        unpack(tmp_path / "a.zip", "a.en", tmp_path / "a.en")
    assert not (tmp_path / "a.en").exists()
