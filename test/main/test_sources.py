"""Libraries that are built from their source (tools/sources.sh): the newest source package of a suite and of its
security updates is taken, with Debian's patches, if the archive's key has signed for it."""

import os
import shutil
import subprocess

import pytest
from archive import Archive
from server import ROOT

FILES = {"thing.c": "one\n", "meson.build": "upstream\n"}
SCRIPT = """
say() { echo "tools: $*" >&2; }
fail() { say "$*"; exit 1; }
. "$ROOT/tools/apt.sh"
. "$ROOT/tools/sources.sh"
archive_keyring=$KEYRING snapshots=file://$ARCHIVES/snapshot
debian_mirror() { echo "file://$ARCHIVES/debian"; }
security_mirror() { echo "file://$ARCHIVES/security"; }
"""
FETCH = 'fetch_source thing thing 3.6 trixie 20261129T000000Z:trixie && tell_passed_over thing'
TOLD = ("tools: Debian's thing 3.6.2-1 cannot be fetched or used now, so {} is built in. displayd works with it, but lacks {}. "
        "To try again on another day: rm -r subprojects/thing, then run this again.")


class Place:
    """A folder with three archives, of one key, and our own file for the source."""

    def __init__(self, folder):
        self.folder = folder
        self.debian = Archive(folder / "debian")
        self.security, self.snapshot = (self.share(name) for name in ("security", "snapshot/20261129T000000Z"))
        ours = folder / "work/subprojects/packagefiles/thing"
        os.makedirs(ours)
        (ours / "meson.build").write_text("ours\n")
        for one, suite in ((self.debian, "trixie"), (self.security, "trixie-security")):
            one.sign(suite)

    def share(self, name):
        other = Archive.__new__(Archive)
        other.__dict__ = self.debian.__dict__ | {"folder": str(self.folder / name), "entries": {}}
        return other

    def add(self, archive, suite, version, new):
        made = archive.add(suite, "thing", version, FILES, ("thing.c", "one\n", new + "\n"))
        archive.sign(suite)
        return made

    def run(self, script):
        variables = {"ROOT": ROOT, "KEYRING": self.debian.keyring, "ARCHIVES": str(self.folder)}
        return subprocess.run(["bash", "-c", SCRIPT + script], cwd=self.folder / "work", text=True,
                              env=os.environ | variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120, check=False)

    def fetch(self):
        """Version and content of the source that is fetched, and what is told of newer ones."""
        done = self.run(FETCH)
        assert done.returncode == 0, done.stderr
        source = self.folder / "work/subprojects/thing"
        assert (source / "meson.build").read_text() == "ours\n"
        version = (source / "debian/changelog").read_text().partition("(")[2].partition(")")[0]
        told = [line for line in done.stderr.splitlines() if line.startswith("tools: ")]
        return version, (source / "thing.c").read_text().strip(), told


@pytest.fixture
def place(tmp_path):
    for program in ("gpg", "gpg-agent", "dpkg-source"):
        if not shutil.which(program):
            pytest.skip(program + " is not installed")
    made = Place(tmp_path)
    yield made
    made.debian.close()


def test_the_newest_of_the_suite_and_its_security_updates(place):
    place.add(place.debian, "trixie", "3.6.9-1", "old")
    place.add(place.debian, "trixie", "3.7.1-1", "another series")
    place.add(place.security, "trixie-security", "3.6.10-1~deb13u1", "secure")
    assert place.fetch() == ("3.6.10-1~deb13u1", "secure", [])
    place.add(place.security, "trixie-security", "3.6.10-1~deb13u2", "more secure")
    newer = place.run("echo trixie thing 3.6.10-1~deb13u1 | list_newer")
    assert newer.stdout == "thing 3.7.1-1\n"
    assert place.run("echo trixie thing 3.7.1-1 | list_newer").stdout == ""
    assert place.fetch() == ("3.6.10-1~deb13u2", "more secure", [])


def test_a_version_that_is_dropped(place):
    """A version that cannot be fetched is passed over, and named."""
    place.add(place.debian, "trixie", "3.6.1-1", "there")
    for path in place.add(place.debian, "trixie", "3.6.2-1", "gone"):
        os.unlink(path)
    version, content, [told] = place.fetch()
    assert (version, content) == ("3.6.1-1", "there")
    assert told == TOLD.format("3.6.1-1", "the fixes of the newer version")


def test_what_is_left_of_the_only_version(place):
    """An archive that has the authors' tarball only: that is used, and its version says so."""
    _, *files_of_debian = place.add(place.debian, "trixie", "3.6.2-1", "patched")
    for path in files_of_debian:
        os.unlink(path)
    assert place.fetch() == (
        "3.6.2", "one", [TOLD.format("3.6.2", "Debian's patches for it")])


def test_a_version_that_our_changes_do_not_fit(place):
    mend = place.folder / "work/subprojects/packagefiles/thing/mend.py"
    mend.write_text("import sys\nsys.exit('new' in open(sys.argv[1].replace('quickjs', 'thing')).read())\n")
    place.add(place.debian, "trixie", "3.6.1-1", "old")
    place.add(place.debian, "trixie", "3.6.2-1", "new")
    assert place.fetch()[:2] == ("3.6.1-1", "old")


def test_a_suite_that_went_on(place):
    """The archive of snapshots has what the suite had, though its lists are no longer valid."""
    place.add(place.debian, "trixie", "3.7.1-1", "another series")
    place.snapshot.add("trixie", "thing", "3.6.1-1", FILES, ("thing.c", "one\n", "kept\n"))
    place.snapshot.sign("trixie", valid_days=-7)
    assert place.fetch() == ("3.6.1-1", "kept", [])


def test_what_nobody_has_signed(place):
    """Neither a changed file nor changed lists are taken."""
    for path in place.add(place.debian, "trixie", "3.6.1-1", "signed"):
        with open(path, "ab") as file:
            file.write(b"more\n")
    assert place.run(FETCH).returncode == 1
    place.add(place.debian, "trixie", "3.6.2-1", "signed")
    lists = place.folder / "debian/dists/trixie/main/source/Sources"
    lists.write_text(lists.read_text().replace("Binary: thing", "Binary: other"))
    assert place.run(FETCH).returncode == 1
    release = place.folder / "debian/dists/trixie/InRelease"
    place.debian.sign("trixie")
    assert place.run(FETCH).returncode == 0
    release.write_text(release.read_text().replace("Label: Debian", "Label: Debiam"))
    assert place.run(FETCH).returncode == 1
    assert not os.path.exists(place.folder / "work/subprojects/.thing.new")


def test_without_an_archive(place):
    shutil.rmtree(place.folder / "debian")
    assert place.run("echo trixie thing 3.6.1-1 | list_newer").returncode != 0
    assert place.run(FETCH).returncode == 1
