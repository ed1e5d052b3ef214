"""A state directory as displayd made it, as root, until its private PostgreSQL had a user of its own:
the cluster belongs to the system's user "postgres" and trusts every client of its socket."""

import os
import pwd
import subprocess

from postgres import find_binaries
from waiting import wait_until

OWNER = "postgres"


def as_owner(data, *command, **options):
    """Runs a program of PostgreSQL as older versions did: descriptor 3 is the cluster."""
    prefix = ["setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups"]
    words = " ".join(command)
    return subprocess.Popen(["sh", "-c", f"exec {' '.join(prefix)} {words} 3<."], cwd=data,
                            start_new_session=True, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, **options)


def run_as_owner(data, *command, text=None):
    with as_owner(data, *command, stdin=subprocess.PIPE) as process:
        process.communicate(text)
        assert process.returncode == 0, command


def make(state_dir):
    """Turns the empty directory into such a state, with a table "past.kept" of one row."""
    binaries = find_binaries()
    owner = pwd.getpwnam(OWNER)
    folder = os.path.join(state_dir, "postgres")
    data, socket = os.path.join(folder, "data"), os.path.join(folder, "socket")
    os.makedirs(state_dir, 0o700, exist_ok=True)
    os.mkdir(folder)
    os.chmod(folder, 0o711)
    for path in (data, socket):
        os.mkdir(path, 0o700)
        os.chown(path, owner.pw_uid, owner.pw_gid)
    here = "/proc/self/fd/3"
    run_as_owner(data, binaries + "/initdb", "-D", here, "-U", "displayd", "--auth=trust", "-E", "UTF8",
                 "--locale=C", "--data-checksums", "--no-instructions")
    run_as_owner(data, binaries + "/postgres", "--single", "-D", here, "postgres",
                 text=b"CREATE DATABASE displayd;\n")
    run_as_owner(data, binaries + "/postgres", "--single", "-D", here, "displayd",
                 text=b"CREATE SCHEMA past;\nCREATE TABLE past.kept AS SELECT 42 AS number;\n")


def start(state_dir):
    """Starts its PostgreSQL, as a killed displayd leaves it running. Returns its process."""
    folder = os.path.join(state_dir, "postgres")
    process = as_owner(os.path.join(folder, "data"), find_binaries() + "/postgres", "-D",
                       "/proc/self/fd/3", "--listen_addresses=",
                       "--unix_socket_directories=../socket")
    path = os.path.join(folder, "socket/.s.PGSQL.5432")
    wait_until(lambda: os.path.exists(path) or process.poll() is not None, "its socket")
    assert process.poll() is None
    return process
