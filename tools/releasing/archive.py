"""The source tarball: the files of the commit, and what Debian has no packages of (sources of libraries, modules of Go,
packages of npm). The same commit and parts give the same bytes."""

import io
import lzma
import os
import pathlib
import re
import subprocess
import tarfile

import bundled

# Folders of the unpacked source packages that the build does not read.
UNREAD = {"mbedtls": {".pc", ".github", "tests", "docs", "doxygen", "ChangeLog.d"}, "quickjs": {".pc", ".github", "tests"}}
GO = "subprojects/render-starlark"
PAGES = "subprojects/webapp"


class Missing(Exception):
    """Something that belongs into the tarball is not on this machine; the text says what."""


def files_below(folder, unread=frozenset()):
    """Yields the files and links below a folder, relative to it."""
    for place, folders, names in os.walk(folder):
        relative = pathlib.Path(place).relative_to(folder)
        folders[:] = [name for name in folders if not (relative == pathlib.Path() and name in unread)]
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        for name in names + links:
            yield relative / name


def library_sources(root):
    """Yields (path in the tree, file) of the sources that tools/setup has unpacked."""
    for name, unread in UNREAD.items():
        folder = root / "subprojects" / name
        if not (folder / "debian/changelog").exists():
            raise Missing(f"{folder} is missing: run tools/setup --package")
        for path in files_below(folder, unread):
            yield f"subprojects/{name}/{path}", folder / path


def escaped(text):
    """Go writes capitals in names of files as "!" and the small letter."""
    return re.sub("[A-Z]", lambda match: "!" + match[0].lower(), text)


def go_modules(root):
    """Yields (path, file) of the modules that the renderer is built of, as a proxy of Go has them."""
    needed = subprocess.run(
        ["python3", "build.py", "list", "."], cwd=root / GO, capture_output=True, text=True, check=False)
    if needed.returncode:
        raise Missing("modules of Go are missing: run tools/setup --run")
    needed = set(needed.stdout.splitlines())
    cache = bundled.module_cache() / "cache/download"
    for line in (root / GO / "go.sum").read_text().splitlines():
        name, version, _ = line.split()
        kinds = [".mod"] if version.endswith("/go.mod") else [".zip"]
        version = version.removesuffix("/go.mod")
        for kind in kinds:
            path = f"{escaped(name)}/@v/{escaped(version)}{kind}"
            if (cache / path).exists() and (kind == ".mod" or f"{name}@{version}" in needed):
                yield f"{GO}/modules/{path}", cache / path


def npm_packages(root):
    """Yields (path, file) of the packages that the pages are made of. Optional ones are programs for other machines."""
    for path, entry in bundled.locked(root).items():
        folder = root / PAGES / path
        if folder.is_dir():
            for file in files_below(folder, {"node_modules"}):
                yield f"{PAGES}/{path}/{file}", folder / file
        elif not entry.get("optional"):
            raise Missing(f"{folder} is missing: run tools/setup --run")


def mark_of_packages(root):
    done = subprocess.run(["python3", "build.py", "mark", "run"], cwd=root / PAGES, capture_output=True, check=True)
    return done.stdout.strip()


def plain(entry, seconds):
    """The entry without what depends on the machine."""
    entry.mtime = seconds
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    if not entry.issym():
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    return entry


def committed(root, commit):
    """Returns {path: (entry, data)} of the files of a commit."""
    data = subprocess.run(["git", "archive", "--format=tar", commit], cwd=root, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {entry.name: (entry, tar.extractfile(entry).read() if entry.isfile() else b"")
                for entry in tar if not entry.isdir()}


def entry_of(path, file):
    entry = tarfile.TarInfo(path)
    if file.is_symlink():
        entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink(file)
        return entry, b""
    data = file.read_bytes()
    entry.size, entry.mode = len(data), file.stat().st_mode
    return entry, data


def write(root, commit, name, seconds, output):
    """Writes the tarball of a folder called name. seconds: the time of all files."""
    files = committed(root, commit)
    for path, file in [*library_sources(root), *go_modules(root), *npm_packages(root)]:
        files[path] = entry_of(path, file)
    mark = mark_of_packages(root)
    entry = tarfile.TarInfo(f"{PAGES}/node_modules/.installed")
    entry.size = len(mark)
    files[entry.name] = entry, mark
    with lzma.open(output, "wb", preset=6) as packed, tarfile.open(fileobj=packed, mode="w|", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(files):
            entry, data = files[path]
            entry.name = f"{name}/{path}"
            tar.addfile(plain(entry, seconds), io.BytesIO(data))
