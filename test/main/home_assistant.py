"""The real Home Assistant, on a Debian 13 of its own, for integrations that are tried with displayd.

    with HomeAssistant(components=[FOLDER]) as home:
        home.set_up("tronbytassistant", apiurl=..., token=...)
        home.call("light", "turn_on", entity_id="light.desk_brightness", brightness=128)
        home.state("light.desk_brightness")["attributes"]["brightness"]

Its packages are those of home_assistant.txt, which pip installs once for all runs. Debian's Python 3.13 is the one
that it asks for.
"""

import hashlib
import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import debian
from ports import free_port
from run_folder import locked
from server import PATIENCE_S, ROOT, wait_until

sys.path.append(os.path.join(ROOT, "test/link"))

from panel import Panel  # noqa: E402

# Some packages have no wheel, and are compiled.
TO_RUN = debian.Debian(("trixie",), debian.packages("""
    apt ca-certificates gcc g++ libc6-dev python3 python3-dev python3-venv
"""))
REQUIREMENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "home_assistant.txt")
PROGRAMS = "/srv/home-assistant"
CONFIGURATION = """\
homeassistant:
  name: Test
  time_zone: UTC
http:
  server_host: 127.0.0.1
  server_port: {port}
"""
OWNER = {"client_id": "http://test.invalid/", "name": "Ada", "username": "ada", "password": "correct horse",
         "language": "en"}
INSTALL_S = 1800


def make_programs(path):
    """A tar archive of the Python environment."""
    with debian.Machine(first=debian.NOTHING, debian=TO_RUN, shares_network=True) as machine:
        machine.put(REQUIREMENTS, "/srv/requirements.txt")
        machine.run("python3", "-m", "venv", PROGRAMS, patience_s=INSTALL_S)
        done = machine.run(PROGRAMS + "/bin/pip", "install", "--quiet", "--require-hashes", "--no-deps",
                           "-r", "/srv/requirements.txt", check=False, patience_s=INSTALL_S)
        if "ERROR" in done:
            raise debian.Unavailable("Home Assistant cannot be installed: " + done[-300:])
        machine.run("tar", "-cf", "/srv/programs.tar", PROGRAMS, patience_s=INSTALL_S)
        machine.get(path, "cat", "/srv/programs.tar")


def programs():
    """Path of that archive, which is made if missing."""
    with open(REQUIREMENTS, "rb") as file:
        name = hashlib.sha256(file.read() + repr(TO_RUN).encode()).hexdigest()[:16]
    path = os.path.join(debian.cache_folder(), f"home-assistant-{name}.tar")
    os.makedirs(debian.cache_folder(), exist_ok=True)
    with locked(path + ".lock"):
        if not os.path.exists(path):
            make_programs(path + ".new")
            os.rename(path + ".new", path)
    return path


class Registry(Panel):
    """A connection to /api/websocket, whose commands have no REST API."""

    def __init__(self, home):
        super().__init__(home.address, "/api/websocket", acknowledges=False)
        self.number = 0
        assert self.read()["type"] == "auth_required"
        self.say(type="auth", access_token=home.token)
        assert self.read()["type"] == "auth_ok"

    def take(self, opcode, payload):
        return json.loads(payload)

    def ask(self, what, **members):
        self.number += 1
        self.say(id=self.number, type=what, **members)
        answer = self.read()
        assert answer["success"], answer
        return answer["result"]


class HomeAssistant:
    def __init__(self, components=()):
        self.components = components
        self.token = None

    def __enter__(self):
        archive = programs()
        self.machine = debian.Machine(first=debian.NOTHING, debian=TO_RUN, shares_network=True).__enter__()
        try:
            self.start(archive)
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, archive):
        machine = self.machine
        self.address = ("127.0.0.1", free_port())
        machine.put(archive, "/srv/programs.tar")
        machine.run("tar", "-C", "/", "-xf", "/srv/programs.tar", patience_s=INSTALL_S)
        machine.run("sh", "-c", "mkdir -p /srv/config && cat >/srv/config/configuration.yaml",
                    stdin=CONFIGURATION.format(port=self.address[1]))
        for folder in self.components:
            self.put_component(folder)
        # --skip-pip: fetch nothing while it runs.
        self.process = subprocess.Popen(
            machine.inside(PROGRAMS + "/bin/hass", "-c", "/srv/config", "--skip-pip"),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self.is_up, "Home Assistant", patience_s=4 * PATIENCE_S)
        code = self.ask("POST", "/api/onboarding/users", OWNER)["auth_code"]
        form = {"grant_type": "authorization_code", "code": code, "client_id": OWNER["client_id"]}
        self.token = self.ask("POST", "/auth/token", urllib.parse.urlencode(form).encode())["access_token"]

    def put_component(self, folder):
        target = "/srv/config/custom_components"
        pack = ["tar", "-C", os.path.dirname(folder), "-cf", "-", os.path.basename(folder)]
        with subprocess.Popen(pack, stdout=subprocess.PIPE) as process:
            subprocess.run(self.machine.inside("sh", "-c", 'mkdir -p "$1" && tar -C "$1" --no-same-owner -xf -',
                                               "sh", target), stdin=process.stdout, check=True)
        assert process.returncode == 0

    def is_up(self):
        assert self.process.poll() is None, self.log()
        try:
            with socket.create_connection(self.address, timeout=PATIENCE_S):
                pass
            return any(step["step"] == "user" for step in self.ask("GET", "/api/onboarding"))
        except (OSError, urllib.error.URLError):
            return False

    def log(self):
        return self.machine.run("sh", "-c", "tail -n 50 /srv/config/home-assistant.log", check=False)

    def ask(self, method, path, body=None):
        """An answer of the REST API. body: an object, or bytes of a form."""
        fields = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if body is not None and not isinstance(body, bytes):
            body, fields["Content-Type"] = json.dumps(body).encode(), "application/json"
        request = urllib.request.Request("http://{}:{}".format(*self.address) + path, body, fields, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)

    def set_up(self, handler, **answers):
        """Runs the config flow of an integration. Returns the answer of its last step."""
        flow = self.ask("POST", "/api/config/config_entries/flow", {"handler": handler})
        return self.ask("POST", "/api/config/config_entries/flow/" + flow["flow_id"], answers)

    def call(self, domain, service, **data):
        """Calls a service. An error of the service is an HTTP error."""
        self.ask("POST", f"/api/services/{domain}/{service}", data)

    def state(self, entity_id):
        return self.ask("GET", "/api/states/" + entity_id)

    def registry(self):
        return Registry(self)

    def __exit__(self, *_):
        self.machine.__exit__()
