"""A state directory that root has copied: displayd starts on it, or names the chown that helps."""

import os
import pwd
import shutil
import subprocess

import pytest
from server import DISPLAYD, Server

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
# Files that still belong to root, below the state directory.
PARTS = [
    (".", "lock", "secret-key", "postgres", "postgres/data"), ("lock", "secret-key"), ("secret-key",),
    ("postgres",), ("postgres/data",), ("postgres/data/PG_VERSION",), ("postgres/data/global",)]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A state directory with an account, whose server has stopped."""
    path = str(tmp_path_factory.mktemp("copied") / "state")
    with Server(state_dir=path) as server:
        server.ctl("account", "create", "ada@example.org")
    return path


@pytest.fixture
def copy(stopped, folder):
    """Copies with cp -r as root: root owns the copy, whose modes are those that cp gives."""
    os.chmod(folder, 0o755)
    path = os.path.join(folder, "copy")
    subprocess.run(["cp", "-r", stopped, path], check=True)
    for socket in ("admin.sock",):
        if os.path.lexists(os.path.join(path, socket)):
            os.unlink(os.path.join(path, socket))
    return path


def accounts(server):
    return [one["email"] for one in server.ctl("account", "list")]


@pytest.mark.parametrize("owner", ["root", "displayd"])
def test_started_by_root(copy, launch, owner):
    """Root can start on it even if only the folder was given to its user."""
    shutil.chown(copy, owner, owner)
    server = launch(state_dir=copy).start()
    assert accounts(server) == ["ada@example.org"]
    user = pwd.getpwnam("displayd-db" if owner == "root" else owner).pw_uid
    assert os.stat(os.path.join(copy, "postgres/data/PG_VERSION")).st_uid == user
    server.restart()


def as_displayd(folder):
    """Program and prefix that start displayd as the user of its service."""
    program = shutil.copy(os.path.realpath(DISPLAYD), folder)
    user = pwd.getpwnam("displayd")
    return (program, "setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups")


@pytest.mark.parametrize("foreign", PARTS, ids=lambda parts: parts[-1])
def test_started_by_its_user(copy, launch, folder, foreign):
    program, *prefix = as_displayd(folder)
    subprocess.run(["chown", "-R", "displayd:", copy], check=True)
    for name in foreign:
        shutil.chown(os.path.join(copy, name), "root", "root")
    server = launch(state_dir=copy, prefix=tuple(prefix))
    server.command[server.command.index(DISPLAYD)] = program
    assert server.launch().wait() in (4, 5)
    named = server.log().split("chown -R ")[1].split('"')[0].split()
    assert named[0] == "displayd:" and copy.startswith(named[1]) or named[1].startswith(copy), server.log()
    # Follow the advice.
    subprocess.run(["chown", "-R", *named], check=True)
    server.start()
    assert accounts(server) == ["ada@example.org"]
