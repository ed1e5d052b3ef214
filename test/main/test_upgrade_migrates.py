"""An upgrade to a program with one more migration: the same sources with another table of migrations
(meson.build). The upgrade reports that it is a restart, and loses nothing."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading

import backups
import pytest
from ctl_scene import query
from upgrade_scene import Scene

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from keep_alive import Panels  # noqa: E402
from server import DISPLAYD, PATIENCE_S, wait_until  # noqa: E402

NEWER = os.environ.get("NEWER_DISPLAYD", "")
NEWER_CTL = os.environ.get("NEWER_DISPLAYCTL", "")
HERE = os.path.dirname(os.path.abspath(__file__))
OWN = len(backups.migrations())
NEEDED = f"the database must be migrated from {OWN} to {OWN + 1}"
DATABASE_NEWER = 7  # displayd's exit code


@pytest.fixture
def scene():
    one = Scene("--rate-limit", "0")
    yield one
    one.remove()


class Writer:
    """Renames a device without pause, with a higher number each time. The server may be away meanwhile, but
    each change that it answered with 2xx must be there."""

    def __init__(self, scene, device):
        self.scene, self.device = scene, device
        self.sent = self.answered = 0
        self.faults = []
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _ask(self, connection):
        self.sent += 1
        connection.request("PATCH", f"/v1/devices/{self.device['id']}",
                           json.dumps({"name": f"n{self.sent}"}),
                           {"Authorization": f"Bearer {self.scene.key}",
                            "Content-Type": "application/json"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status == 200:
            self.answered = self.sent
        elif answer.status != 503:
            self.faults.append((answer.status, body))

    def _run(self):
        connection = http.client.HTTPConnection(*self.scene.server.address, timeout=PATIENCE_S)
        while not self._ends.is_set():
            try:
                self._ask(connection)
            except (ConnectionError, http.client.HTTPException):
                connection.close()
                self._ends.wait(0.01)
        connection.close()

    def wait_for(self, more):
        wanted = self.answered + more
        wait_until(lambda: self.answered >= wanted or self.faults, "answers")

    def must_be_kept(self):
        name = self.scene.server.get(f"/v1/devices/{self.device['id']}", key=self.scene.key).json()["name"]
        assert self.faults == []
        assert self.answered <= int(name[1:]) <= self.sent

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()


def by_ctl(scene):
    return scene.server.ctl("upgrade")["reason"]


def by_signal(scene):
    """Reason in the file that tells displayctl about the upgrade."""
    def note():
        with open(os.path.join(scene.server.state_dir, "upgrade"), encoding="utf-8") as file:
            return dict(line.rstrip("\n").split(" ", 1) for line in file)

    scene.server.process.send_signal(signal.SIGUSR2)
    scene.server.wait_for_log('msg="upgrading by a normal restart')
    wait_until(lambda: note()["state"] == "done", "the end of the upgrade")
    return note()["reason"]


def newer_ctl(scene, *arguments):
    done = subprocess.run([NEWER_CTL, "--json", "--state-dir", scene.server.state_dir, *arguments],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout), done.stderr


def look_at(scene):
    """Checks the reports of the newer and the older program about the database."""
    shown, warned = newer_ctl(scene, "database", "show")
    assert shown["schema"] == {"applied": OWN + 1, "expected": OWN + 1}
    assert "newer" not in warned and "must be migrated" not in warned
    old = subprocess.run([os.environ["DISPLAYCTL"], "--state-dir", scene.server.state_dir,
                          "database", "show"], capture_output=True, text=True, check=True)
    assert "the database is newer than this program" in old.stderr
    assert query(scene.server, "SELECT name FROM kept_account") == [("Ada",)]
    assert scene.server.log().count('msg="database migrated" migrations=1') == 1


def refuses_the_way_back(scene):
    """The older program can no longer run on the database: neither by an upgrade nor by a start."""
    scene.install()
    error = scene.refused()
    assert error.code == 4
    assert f"the database is at migration {OWN + 1}, and that program only knows {OWN}" in error.text
    assert scene.server.get("/v1/devices", key=scene.key).status == 200
    assert scene.server.stop() == 0
    scene.server.launch()
    assert scene.server.wait() == DATABASE_NEWER
    assert "the database is newer than this program: it has migration " + str(OWN + 1) in scene.server.log()
    scene.install(program=NEWER)
    scene.server.start()
    assert len(scene.server.get("/v1/devices", key=scene.key).json()) == 3


@pytest.mark.parametrize("upgrade", [by_ctl, by_signal])
def test_it_migrates_under_load(scene, upgrade):
    assert os.path.realpath(scene.program) == os.path.realpath(DISPLAYD)
    paths = [scene.server.path_of(device["websocketUrl"]) for device in scene.devices]
    pid = scene.server.process.pid
    scene.install(program=NEWER)
    writers = [Writer(scene, device) for device in scene.devices]
    with Panels(scene.server.address, paths, restarts=True) as panels, \
            writers[0], writers[1], writers[2]:
        for writer in writers:
            writer.wait_for(10)
        assert NEEDED in upgrade(scene)
        for writer in writers:
            writer.wait_for(10)
        panels.wait_until_connected()
    assert panels.faults == []
    assert len(panels.gaps) >= len(paths)
    for writer in writers:
        writer.must_be_kept()
    assert scene.server.process.pid == pid and scene.server.process.poll() is None
    assert f"reason=\"{NEEDED}\"" in scene.server.log()
    assert "ended unexpectedly" not in scene.server.log()
    look_at(scene)
    refuses_the_way_back(scene)
