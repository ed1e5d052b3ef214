"""A small archive of Debian source packages, signed by a key of its own.

    archive = Archive(folder)
    archive.add("trixie", "thing", "3.6.1-1", {"thing.c": "one\n"}, patch=("thing.c", "one\n", "two\n"))
    archive.sign("trixie")
"""

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import time

from run_folder import new_folder

CONTROL = "Source: {name}\nMaintainer: Ada <ada@example.org>\n\nPackage: {name}\nArchitecture: any\nDescription: a thing\n"
CHANGELOG = "{name} ({version}) {suite}; urgency=medium\n\n  * A version.\n\n -- Ada <ada@example.org>  {date}\n"
PATCH = "--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-{old}+{new}"
DAY_S = 86400


def packed(files, kind):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:" + kind) as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return data.getvalue()


def date(seconds):
    return time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(seconds))


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


class Archive:
    def __init__(self, folder):
        self.folder = str(folder)
        os.makedirs(self.folder, exist_ok=True)
        self.home = new_folder("gpg-")  # of its agent's sockets
        self.keyring = os.path.join(self.folder, "keyring.gpg")
        self.entries = {}
        self.gpg("--quick-gen-key", "--pinentry-mode", "loopback", "--passphrase", "", "archive@example.org")
        self.gpg("--output", self.keyring, "--export")

    def gpg(self, *arguments):
        subprocess.run(["gpg", "--homedir", self.home, "--batch", "--yes", "--quiet", *arguments], check=True,
                       stdin=subprocess.DEVNULL)

    def close(self):
        subprocess.run(["gpgconf", "--homedir", self.home, "--kill", "all"], check=True)
        shutil.rmtree(self.home, ignore_errors=True)

    def pool(self, name):
        return os.path.join(self.folder, "pool", name)

    def add(self, suite, name, version, files, patch):
        """Adds a source package whose patch (FILE, OLD, NEW) is applied by dpkg-source. Returns its files."""
        upstream = version.split("-")[0]
        file, old, new = patch
        debian = {
            "control": CONTROL.format(name=name), "source/format": "3.0 (quilt)\n",
            "changelog": CHANGELOG.format(name=name, version=version, suite=suite, date=date(0)),
            "patches/series": "mended.patch\n",
            "patches/mended.patch": PATCH.format(file=file, old=old, new=new),
        }
        made = {
            f"{name}_{upstream}.orig.tar.gz": packed({f"{name}-x/{key}": text for key, text in files.items()}, "gz"),
            f"{name}_{version}.debian.tar.xz": packed({"debian/" + key: text for key, text in debian.items()}, "xz"),
        }
        head = f"Format: 3.0 (quilt)\n{{}}: {name}\nBinary: {name}\nArchitecture: any\nVersion: {version}\n"
        dsc = (head.format("Source") + "Maintainer: Ada <ada@example.org>\n" + sums(made)).encode()
        made[f"{name}_{version}.dsc"] = dsc
        for path, data in made.items():
            write(os.path.join(self.pool(name), path), data)
        entry = head.format("Package") + f"Directory: pool/{name}\n" + sums(made)
        self.entries.setdefault(suite, []).append(entry)
        return [os.path.join(self.pool(name), path) for path in made]

    def sign(self, suite, valid_days=7):
        """Writes and signs the lists of the suite. A negative number: they are no longer valid."""
        folder = os.path.join(self.folder, "dists", suite)
        lists = "\n".join(self.entries.get(suite, [])).encode()
        write(os.path.join(folder, "main/source/Sources"), lists)
        now = time.time()
        release = (f"Origin: Debian\nLabel: Debian\nSuite: {suite}\nCodename: {suite}\nComponents: main\n"
                   f"Date: {date(now - 30 * DAY_S)}\nValid-Until: {date(now + valid_days * DAY_S)}\n"
                   f"SHA256:\n {hashlib.sha256(lists).hexdigest()} {len(lists)} main/source/Sources\n")
        write(os.path.join(folder, "Release"), release.encode())
        self.gpg("--clearsign", "--output", os.path.join(folder, "InRelease"), os.path.join(folder, "Release"))


def sums(files):
    """The fields of a source package that name its files."""
    lines = {"Files": hashlib.md5, "Checksums-Sha256": hashlib.sha256}
    return "".join(f"{field}:\n" + "".join(f" {kind(data).hexdigest()} {len(data)} {name}\n"
                                           for name, data in files.items()) for field, kind in lines.items())
