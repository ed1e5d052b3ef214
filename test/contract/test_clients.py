"""The example clients, run as docs/api-guide.md prints them."""

import os
import re
import shutil
import subprocess
import sys

import images
import kept
import npm_packages
import pytest
from waiting import wait_until

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def printed():
    """The commands in the guide that run the clients."""
    with open(os.path.join(ROOT, "docs/api-guide.md"), encoding="utf-8") as file:
        return re.findall(r"^.* docs/examples/push\.\w+ .*$", file.read(), re.M)


@pytest.fixture
def folder(tmp_path):
    os.symlink(os.path.abspath(os.path.join(ROOT, "docs")), tmp_path / "docs")
    (tmp_path / "picture.png").write_bytes(images.png())
    return tmp_path


def run(command, folder, url, key):
    return subprocess.run(["sh", "-c", command], cwd=folder, text=True, check=False, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=npm_packages.environment() | {"DISPLAYD_URL": url, "DISPLAYD_KEY": key})


def test_all_are_printed():
    names = sorted(re.search(r"push\.\w+", command)[0] for command in printed())
    assert names == sorted(os.listdir(os.path.join(ROOT, "docs/examples")))
    assert len(names) == 3


def test_are_short():
    for name in os.listdir(os.path.join(ROOT, "docs/examples")):
        with open(os.path.join(ROOT, "docs/examples", name), encoding="utf-8") as file:
            assert len(file.readlines()) <= 40


@pytest.mark.parametrize("command", printed())
def test_shows_a_picture(world, account, folder, command):
    device = account.device(name="Desk")
    done = run(command, folder, world.server.url, account.key)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout in (f"{name} shows picture.png at 40 %\n" for name in ("Desk", device.id))
    assert device.ids() == ["example"]
    assert device.get().ok()["brightness"] == 40
    device.shows(images.png())


@pytest.mark.parametrize("command", printed())
def test_odd_file_names(world, account, folder, command):
    device = account.device()
    name = "a 'b' \"c\" $d \\ %s.png"
    os.rename(folder / "picture.png", folder / name)
    quoted = "'" + name.replace("'", "'\\''") + "'"
    done = run(command.replace("picture.png", quoted), folder, world.server.url, account.key)
    assert done.returncode == 0, done.stderr
    assert device.ids() == ["example"]


def hear_of_devices(world, account):
    """No worker may still answer that there are no devices."""
    world.sql("SELECT pg_notify('displayd_hint', 'read:' || %s)", account.id)
    kept.forget()
    with world.each_worker() as clients:
        for client in clients:
            wait_until(lambda client=client: client.request("GET", "/v1/devices", key=account.key).ok(), "the device")


def refusals(world, account, folder):
    yield world.server.url, "ddk_wrong", "the API key is not valid"
    yield world.server.url, account.key, "the account has no device"
    account.device()
    hear_of_devices(world, account)
    (folder / "picture.png").write_bytes(images.png(images.solid(size=(32, 32))))
    yield world.server.url, account.key, "image is 32x32 pixels, must be 64x32"
    os.unlink(folder / "picture.png")
    yield world.server.url, account.key, "picture.png"
    yield "http://127.0.0.1:1", account.key, ""


@pytest.mark.parametrize("command", printed())
def test_says_what_is_wrong(world, account, folder, command):
    for url, key, words in refusals(world, account, folder):
        done = run(command, folder, url, key)
        assert done.returncode != 0, words
        assert done.stderr and words in done.stderr, (words, done)
        assert "Traceback" not in done.stderr or words == "picture.png"
        # A missing picture is reported as such, not sent as an empty one.
        assert words != "picture.png" or "Bad Request" not in done.stderr
        assert done.stdout == ""


@pytest.mark.parametrize("command", printed())
@pytest.mark.parametrize("missing", ["DISPLAYD_URL", "DISPLAYD_KEY", "picture"])
def test_says_what_is_missing(folder, command, missing):
    """A sentence is printed before anything is requested."""
    variables = {"DISPLAYD_URL": "http://127.0.0.1:1", "DISPLAYD_KEY": "ddk_x"}
    variables.pop(missing, None)
    if missing == "picture":
        command = command.replace("picture.png", "")
    environment = {name: value for name, value in npm_packages.environment().items()
                   if name not in ("DISPLAYD_URL", "DISPLAYD_KEY")}
    done = subprocess.run(["sh", "-c", command], cwd=folder, text=True, check=False, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment | variables)
    assert done.returncode != 0 and done.stdout == ""
    [line] = done.stderr.splitlines()
    assert "PICTURE: " in line and (missing in line or "there is no file ''" in line)


# Replaces a program: prints where the key is readable by others, then does the program's work.
WATCH = """#!{python}
import glob, os, sys
with open({found!r}, "a") as found:
    print("called", file=found)
    for path in glob.glob("/proc/[0-9]*/cmdline") + glob.glob(os.environ["TMPDIR"] + "/*"):
        try:
            with open(path, "rb") as file:
                if os.environb[b"DISPLAYD_KEY"] in file.read():
                    print(path, file=found)
        except OSError:
            pass
os.execv({program!r}, sys.argv)
"""


def test_the_key_is_no_argument(world, account, folder, monkeypatch):
    """Others can read the process list. The key is not in a file either, which a crash would leave."""
    [command] = [command for command in printed() if command.startswith("sh ")]
    watched, found = folder / "watched", folder / "found"
    watched.mkdir()
    (watched / "curl").write_text(WATCH.format(python=sys.executable, found=str(found),
                                               program=shutil.which("curl")))
    (watched / "curl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{watched}:{os.environ['PATH']}")
    (folder / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(folder / "temporary"))
    account.device()
    done = run(command, folder, world.server.url, account.key)
    assert (done.returncode, done.stderr) == (0, "")
    assert found.read_text().split() == 3 * ["called"]
