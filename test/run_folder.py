"""The folder of a run of the tests, and what is made there once and then copied.

test/run_guard.py makes it and names it in DISPLAYD_TEST_RUN; it may be in memory. Without that each
process has one of its own, which goes with it.
"""

import atexit
import contextlib
import fcntl
import functools
import os
import shutil
import subprocess
import tempfile


def database_folder():
    """Returns the folder of the run's databases; None: there is no run."""
    run = os.environ.get("DISPLAYD_TEST_RUN")
    return run and os.path.join(run, "m")


def new_folder(prefix, otherwise="/tmp"):
    """Makes a folder for a database, or for sockets, whose paths may have 107 bytes. otherwise: where it
    is if there is no run; None: in TMPDIR."""
    return tempfile.mkdtemp(prefix=prefix, dir=database_folder() or otherwise)


@contextlib.contextmanager
def readable_folder(prefix):
    """Yields a folder that other users can read, and removes it. Folders of pytest cannot be used for this: each
    pytest that begins closes their common parent to others."""
    folder = tempfile.mkdtemp(prefix=prefix)
    os.chmod(folder, 0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def folder_of_copies():
    if database_folder():
        return database_folder()
    folder = new_folder("displayd-once-", otherwise=None)
    os.chmod(folder, 0o1777)  # PostgreSQL may be another user
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@contextlib.contextmanager
def locked(path):
    """A lock that only one process holds at a time."""
    with open(path, "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def made_once(name, make):
    """Returns a folder, made by make(path) if it is missing: it may be copied, but not changed."""
    path = os.path.join(folder_of_copies(), name)
    with locked(path + ".lock"):
        if not os.path.exists(path):
            shutil.rmtree(path + ".new", ignore_errors=True)
            make(path + ".new")
            os.rename(path + ".new", path)
    return path


def copy_folder(source, target, prefix=()):
    """Copies a folder with owners and rights; target may exist. prefix: a command that runs the
    copying."""
    subprocess.run([*prefix, "cp", "-aT", "--reflink=auto", source, target], cwd="/", check=True)
