"""An apt repository as a folder of files, signed by a key from outside the tree: pool/SUITE has the packages, dists/SUITE
the lists. dpkg-scanpackages makes the lists; apt-ftparchive is in no package that the tree needs otherwise."""

import contextlib
import gzip
import hashlib
import pathlib
import shutil
import subprocess
import tempfile
import time

ARCHITECTURES = ("amd64", "arm64")
KEYRING = "displayd.gpg"


class KeyFault(Exception):
    """The key cannot sign; the text says why."""


@contextlib.contextmanager
def keyring(key):
    """Yields a function that runs gpg with the secret key of the file alone."""
    with tempfile.TemporaryDirectory(prefix="gpg-") as home:
        def gpg(*words, **options):
            return subprocess.run(["gpg", "--homedir", home, "--batch", "--yes", "--quiet", *map(str, words)], check=True,
                                  stdin=subprocess.DEVNULL, capture_output=True, **options)
        try:
            gpg("--import", key)
            if not gpg("--list-secret-keys", "--with-colons").stdout:
                raise KeyFault(f"{key} has no secret key")
            yield gpg
        except subprocess.CalledProcessError as error:
            raise KeyFault(f"gpg cannot use {key}: {error.stderr.decode(errors='replace').strip()}") from error
        finally:
            subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)


def fields_of(package):
    """Returns the fields of a package's control file, each with its first line."""
    shown = subprocess.run(["dpkg-deb", "--field", package], check=True, capture_output=True, text=True).stdout
    return dict(line.split(": ", 1) for line in shown.splitlines() if ": " in line and line[0] != " ")


def list_packages(folder, suite, architecture):
    """Writes the lists of an architecture. Returns their paths."""
    place = folder / "dists" / suite / "main" / f"binary-{architecture}"
    place.mkdir(parents=True)
    done = subprocess.run(["dpkg-scanpackages", "--arch", architecture, "--multiversion", f"pool/{suite}"], cwd=folder,
                          capture_output=True, check=True)
    (place / "Packages").write_bytes(done.stdout)
    (place / "Packages.gz").write_bytes(gzip.compress(done.stdout, mtime=0))
    return [place / "Packages", place / "Packages.gz"]


def release_of(suite, lists, root, seconds):
    head = {"Origin": "displayd", "Label": "displayd", "Suite": suite, "Codename": suite, "Components": "main",
            "Architectures": " ".join(ARCHITECTURES),
            "Date": time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(seconds))}
    lines = [f"{name}: {value}" for name, value in head.items()] + ["SHA256:"]
    for path in lists:
        data = path.read_bytes()
        lines.append(f" {hashlib.sha256(data).hexdigest()} {len(data)} {path.relative_to(root)}")
    return "\n".join(lines) + "\n"


def make(folder, packages, key, seconds):
    """Makes the repository in a new folder. packages: {suite: [file, ...]}; seconds: the time of the lists."""
    folder = pathlib.Path(folder)
    with keyring(key) as gpg:
        for suite, files in packages.items():
            pool, place = folder / "pool" / suite, folder / "dists" / suite
            pool.mkdir(parents=True)
            for file in files:
                shutil.copy(file, pool)
            lists = [path for architecture in ARCHITECTURES for path in list_packages(folder, suite, architecture)]
            (place / "Release").write_text(release_of(suite, lists, place, seconds))
            # The time of the signature would differ in each run.
            sign = ("--faked-system-time", f"{int(seconds)}!", "--digest-algo", "SHA512", "--output")
            gpg(*sign, place / "InRelease", "--clearsign", place / "Release")
            gpg(*sign, place / "Release.gpg", "--armor", "--detach-sign", place / "Release")
        gpg("--output", folder / KEYRING, "--export")
