"""displayd in a Debian of its own (debian.py): with the programs of this build, or installed by packages.

    with Guest(machine) as server:          # a Server of server.py
        desk = Desk(server)
        desk.push(RED)
        desk.wait_until_polled(RED)
"""

import http.client
import json
import os
import subprocess

import images
from server import DISPLAYCTL, DISPLAYD, PATIENCE_S, CtlError, Server, wait_until

PORT = 8080
STATE = "/srv/state"
EMAIL = "ada@example.org"


def put_programs(machine):
    """Copies the programs to the same paths as on this machine."""
    for program in (DISPLAYD, DISPLAYCTL):
        machine.put(program, os.path.abspath(program))


def add_users(machine):
    """Adds the users that displayd becomes if root starts it."""
    for user in ("displayd", "displayd-db"):
        machine.run("useradd", "--system", "--user-group", "--no-create-home", user)


class Guest(Server):
    """Runs the programs of put_programs(). become: a command that runs another one as another user."""

    def __init__(self, machine, *arguments, become=(), workers=2):
        super().__init__(*arguments, state_dir=STATE, workers=workers, listen=f"127.0.0.1:{PORT}",
                         prefix=machine.inside(*become))
        self.machine = machine
        self.log_path = os.path.join(machine.folder, "displayd.log")
        self.displayctl = [*become, os.path.abspath(DISPLAYCTL), "--state-dir", STATE]

    def wait_until_ready(self):
        try:
            wait_until(self._is_ready, "a ready displayd")
        except TimeoutError as error:
            raise TimeoutError(f"{error}:\n{self.log()[-4000:]}") from error

    def _is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"displayd ended with {self.process.returncode}:\n{self.log()}")
        return self.answers()

    def answers(self):
        try:
            return self.get("/readyz").status == 200
        except (OSError, http.client.HTTPException):
            return False

    def stop(self):
        self.machine.run("sh", "-c", f"kill -TERM $(cat {self.state_dir}/lock)")
        return self.process.wait(PATIENCE_S)

    def remove(self):
        if self.process and self.process.poll() is None:
            self.stop()

    @property
    def url(self):
        return self.machine.run("cat", self._public_url_path()).strip()

    @property
    def address(self):
        return "127.0.0.1", PORT

    def connect(self):
        with self.machine.network():
            return super().connect()

    def request(self, *arguments, **options):
        with self.machine.network():
            return super().request(*arguments, **options)

    def run_ctl(self, *arguments):
        """The finished process of displayctl."""
        return subprocess.run(self.machine.inside(*self.displayctl, "--json", *arguments), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                              timeout=PATIENCE_S)

    def ctl(self, *arguments, json_output=True):
        done = self.run_ctl(*arguments)
        if done.returncode:
            raise CtlError(done.returncode, done.stderr)
        return json.loads(done.stdout) if done.stdout else None


class Installed(Guest):
    """The systemd service that the packages install."""

    def __init__(self, machine):
        super().__init__(machine)
        self.state_dir = "/var/lib/displayd"
        self.displayctl = ["displayctl"]

    def launch(self):
        self.machine.run("systemctl", "start", "displayd.service")
        return self

    def _is_ready(self):
        return self.answers()

    def stop(self):
        self.machine.run("systemctl", "stop", "displayd.service")

    def remove(self):
        pass

    def show(self, name):
        return self.machine.run("systemctl", "show", "-P", name, "displayd.service").strip()

    def log(self):
        return self.machine.run("journalctl", "-u", "displayd", "-o", "cat")


class Desk:
    """A device of the account, whose panel polls."""

    def __init__(self, server, name="Desk"):
        self.server = server
        self.device = server.ctl("device", "create", "--account", EMAIL, "--name", name)
        self.key = server.ctl("key", "create", "--account", EMAIL)["key"]

    def push(self, color, entry="kept"):
        body = {"image": images.text(images.png(images.solid(color))), "installationId": entry}
        answer = self.server.post(f"/v1/devices/{self.device['id']}/push", body, key=self.key)
        assert answer.status == 200, answer

    def polled(self):
        """The colour that the panel shows next; None if its picture has several."""
        answer = self.server.get(self.server.path_of(self.device["pollUrl"]))
        assert answer.status == 200, answer
        return color_of(answer.body)

    def wait_until_polled(self, color):
        wait_until(lambda: self.polled() == color, f"a picture of {color}")


def color_of(picture):
    colors = {frame[at:at + 3] for frame, _ in images.frames_of(picture) for at in range(0, len(frame), 3)}
    return tuple(colors.pop()) if len(colors) == 1 else None
