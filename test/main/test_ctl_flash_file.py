"""displayctl device flash-file fills the fields of a firmware image, and mends its checksum and hash."""

import hashlib
import os
import stat
import struct
import subprocess

import pytest
from firmware_images import FIELDS, image, merged
from server import DISPLAYCTL

URL = "wss://panels.example.org/d/0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa/ws?key=0123456789"


def verify(made):
    """Reads the image as the boot loader does."""
    position, checksum = 24, 0xEF
    for _ in range(made[1]):
        length, = struct.unpack_from("<I", made, position + 4)
        position += 8 + length
        for byte in made[position - length:position]:
            checksum ^= byte
    end = (position | 15) + 1
    assert (made[end - 1], made[end:]) == (checksum, hashlib.sha256(made[:end]).digest())


class Folder:
    def __init__(self, path):
        self.path, self.secrets = path, f"correct horse\n{URL}\n"

    def __truediv__(self, name):
        return self.path / name

    def run(self, content, ssid="home", secrets=None):
        (self / "image").write_bytes(content)
        return subprocess.run([DISPLAYCTL, "device", "flash-file", self / "image", self / "made", "--ssid", ssid,
                               "--secrets", "-"], input=self.secrets if secrets is None else secrets, text=True,
                              capture_output=True, check=False, timeout=60)

    def refused(self, content, words, **options):
        done = self.run(content, **options)
        assert done.returncode == 2 and words in done.stderr, done
        assert sorted(os.listdir(self.path)) == ["image"]
        assert (self / "image").read_bytes() == content


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


@pytest.mark.parametrize("content, start, words", [
    (image(), 0, "firmware v1.6.6 for esp32s3; flash it with: esptool.py --chip esp32s3 write_flash 0x10000 "),
    (image(chip=0), 0, "--chip esp32 write_flash 0x10000 "),
    (merged(), 0x10000, "write_flash 0x0 ")], ids=["s3", "esp32", "merged"])
def test_fields(folder, content, start, words):
    done = folder.run(content)
    assert done.returncode == 0 and words in done.stderr, done
    made = (folder / "made").read_bytes()
    assert stat.S_IMODE(os.stat(folder / "made").st_mode) == 0o600
    wanted = content
    for field, value in zip(FIELDS, ("home", "correct horse", URL)):
        wanted = wanted.replace(field, value.encode().ljust(len(field), b"\0"))
    assert len(made) == len(content) and made[:-33] == wanted[:-33]
    verify(made[start:])


def test_longest_fields(folder):
    url = "https://" + "a" * 120
    assert folder.run(image(), ssid="s" * 32, secrets="p" * 64 + f"\r\n{url}").returncode == 0
    made = (folder / "made").read_bytes()
    verify(made)
    for text in ("s" * 32, "p" * 64, url):
        assert text.encode() + b"\0" in made
    # An image that was filled has no fields.
    os.remove(folder / "made")
    folder.refused(made, "no fields for Wi-Fi and URL")


REFUSED = [
    (b"", "is not an image"), (b"\xe9" * 100_000, "is not an image"), (image()[:-1], "is cut"), (image()[:-40], "is cut"),
    (image()[:700], "is cut"), (image() + image(), "has bytes after its end"), (image(tail=b"\0"), "has bytes after its end"),
    (image()[:600] + b"!" + image()[601:], "checksum"), (image()[:-1] + bytes([image()[-1] ^ 1]), "hash"),
    (image(fields=()), "no fields"), (image(fields=FIELDS + FIELDS[:1]), "twice"), (image(fields=FIELDS[:2]), "no fields"),
    (b"\xe9\0" + image()[2:], "number of segments"), (b"\xe9\x11" + image()[2:], "number of segments"),
    (image()[:28] + b"\xff\xff\xff\xff" + image()[32:], "is cut"), (image() + bytes(8 * 1024 * 1024), "larger than 8 MiB")]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_images_that_are_refused(folder, number):
    folder.refused(*REFUSED[number])


def test_texts_of_an_image_steer_no_terminal(folder):
    """They are shown up to what is not printable, within the line."""
    done = folder.run(image(project=b"firm\nware", version=b"v1\x1b[31m"))
    assert done.returncode == 0 and done.stderr.startswith("firm v1 for esp32s3; ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("cut", range(117, 128, 2))
def test_a_field_beyond_its_segment(folder, cut):
    """An odd part of it is in the padding, which is not in the checksum: the image would not start."""
    split = image(fields=FIELDS[:2], last=FIELDS[2][:cut], padding=FIELDS[2][cut:])
    assert FIELDS[2] + b"\0" in split
    folder.refused(split, "not within a segment")


def test_texts_that_are_refused(folder):
    folder.refused(image(), "--ssid", ssid="")
    folder.refused(image(), "33 bytes, maximum 32", ssid="s" * 33)
    folder.refused(image(), "65 bytes, maximum 64", secrets="p" * 65 + f"\n{URL}\n")
    folder.refused(image(), "129 bytes, maximum 128", secrets="p\nhttps://" + "a" * 121)
    folder.refused(image(), "control character", secrets=f"a\tb\n{URL}\n")
    for secrets in ("", "p", "p\n", "p\nftp://a\n", f"{URL}\n", f"p\n{URL}\nmore\n", "p\nhttps://\n"):
        folder.refused(image(), "two lines", secrets=secrets)


def test_secrets_of_others(folder):
    """A file that others may read is refused."""
    (folder / "secrets").write_text(folder.secrets)
    os.chmod(folder / "secrets", 0o644)
    (folder / "image").write_bytes(image())
    command = [DISPLAYCTL, "device", "flash-file", folder / "image", folder / "made", "--ssid", "home",
               "--secrets", folder / "secrets"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0 and "0644" in done.stderr
    os.chmod(folder / "secrets", 0o600)
    assert subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 0
