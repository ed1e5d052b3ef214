"""Packages that tests need, in the build directory: installed once, and again for another version. Once all
are installed, no network is used."""

import fcntl
import hashlib
import os

HERE = os.path.dirname(os.path.abspath(__file__))

_failures = {}


def install(name, files, version, run):
    """The folder of this name in the build directory, in which run(folder) has installed what the files and
    the version define. A failure is not repeated: without a network each test would wait for the same
    time-outs."""
    if name in _failures:
        raise _failures[name]
    try:
        return _install(name, _digest(files, version), run)
    except Exception as error:
        _failures[name] = error
        raise


def _digest(files, version):
    digest = hashlib.sha256()
    for path in files:
        with open(path, "rb") as file:
            digest.update(file.read())
    digest.update(version.encode())
    return digest.hexdigest()


def _install(name, wanted, run):
    root = os.environ.get("MESON_BUILD_ROOT") or os.path.join(HERE, "../build")
    place = os.path.abspath(os.path.join(root, name))
    os.makedirs(place, exist_ok=True)
    stamp = os.path.join(place, "installed")
    with open(os.path.join(place, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(stamp):
            with open(stamp, encoding="ascii") as file:
                if file.read() == wanted:
                    return place
            os.unlink(stamp)
        run(place)
        with open(stamp, "w", encoding="ascii") as file:
            file.write(wanted)
    return place
