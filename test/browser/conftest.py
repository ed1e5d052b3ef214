"""A server and a browser. What a journey wants done outside of the browser is done here."""

import base64
import contextlib
import http.client
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

# pylint: disable=wrong-import-position
import images  # noqa: E402
from device_scene import DeviceScene  # noqa: E402
from scenes import SCENES  # noqa: E402
from server import PATIENCE_S, Server, wait_until  # noqa: E402

EMAIL = "ada@example.org"
PASSWORD = "seven small lamps"


class Scene(DeviceScene):
    """What journeys can ask for: each method is a name that they know."""

    def __init__(self, server, files):
        super().__init__()
        self.server = server
        self.files = files
        self.key = None
        self.count = 0
        self.others = []
        self.is_database_lost = threading.Event()

    def person(self, device=True, roles=(), name="Ada Lovelace"):
        """Somebody with a password and, unless told otherwise, a device."""
        self.count += 1
        email = f"ada-{self.count}@example.org"
        self.server.ctl("account", "create", email, "--name", name)
        if device:
            self.server.ctl("device", "create", "--account", email, "--name", "Kitchen")
        options = [word for role in roles for word in ("--role", role)]
        token = self.server.ctl("account", "link", email, *options)["url"].partition("#")[2]
        self.on_pages("POST", "/web/links/use", {"token": token, "password": PASSWORD})
        return {"email": email, "name": name, "password": PASSWORD}

    def on_pages(self, method, path, body):
        """A request as a page sends it."""
        answer = self.server.request(method, path, body, headers={"Sec-Fetch-Site": "same-origin"})
        assert answer.status in (200, 201), answer.body

    def link(self, email=None):
        return self.server.ctl("account", "link", *([email] if email else []))["url"]

    def use_key(self, key):
        return self.server.get("/v1/devices", key=key).status

    def fresh(self, arguments=(), account=False):
        """Another server, on which nobody has been yet; its URL, and the link that it printed."""
        server = Server("--rate-limit", "0", *arguments)
        self.others.append(server)
        server.start()
        if account:
            server.ctl("account", "create", EMAIL, "--name", "Ada")
            return {"url": server.url + "/"}
        link = wait_until(lambda: re.search(r"http://[^ \"]+/link#\w+", server.log()), "a link")
        return {"url": server.url + "/", "link": link[0]}

    def below_a_path(self):
        """A proxy that has the server below /leds/, and its URL."""
        backend = "http://%s:%d" % self.server.address

        class Proxy(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self):
                path = self.path.removeprefix("/leds")
                size = int(self.headers.get("Content-Length", 0))
                connection = http.client.HTTPConnection(backend.partition("//")[2])
                connection.request(self.command, path, self.rfile.read(size), dict(self.headers))
                answer = connection.getresponse()
                body = answer.read()
                inside = path != self.path
                self.send_response(answer.status if inside else 404)
                for name, value in answer.getheaders() if inside else ():
                    if name.lower() not in ("transfer-encoding", "content-length", "date"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body) if inside else 0))
                self.end_headers()
                self.wfile.write(body if inside else b"")

            do_GET = do_POST = do_DELETE = do_PATCH = forward

            def log_message(self, *_):
                pass

        proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        return {"url": "http://127.0.0.1:%d/leds/" % proxy.server_address[1]}

    def lose_database(self):
        """Until have_database(): however often it is started again."""
        self.is_database_lost.set()

        def kill():
            while self.is_database_lost.is_set():
                postmaster = self.server.postmaster()
                if postmaster:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(postmaster, signal.SIGQUIT)
                time.sleep(0.05)

        threading.Thread(target=kill, daemon=True).start()

    def have_database(self):
        self.is_database_lost.clear()

    def end(self):
        self.end_panels()
        for server in self.others:
            server.remove()

    def device(self, name="Kitchen"):
        made = self.server.ctl("device", "create", "--account", EMAIL, "--name", name)
        if not self.key:
            self.key = self.server.ctl("key", "create", "--account", EMAIL)["key"]
        return made | {"key": made["websocketUrl"].partition("key=")[2]}

    def push(self, device, colour=None, file=None):
        picture = images.png(images.solid(tuple(colour))) if colour else SCENES[file]()
        answer = self.server.post(f"/v1/devices/{device}/push",
                                  {"image": base64.b64encode(picture).decode(),
                                   "installationId": "picture"},
                                  key=self.key)
        assert answer.status == 200, answer.body

    def update(self, device, fields):
        answer = self.server.request("PATCH", f"/v1/devices/{device}", fields, key=self.key)
        assert answer.status == 200, answer.body

    def log(self):
        return self.server.log()

    def stop(self):
        self.server.stop()

    def start(self):
        self.server.start()


@pytest.fixture(scope="session")
def scene(tmp_path_factory):
    """On a port that stays, since browsers come back to it."""
    state = str(tmp_path_factory.mktemp("displayd") / "state")
    with Server("--rate-limit", "0", state_dir=state) as server:
        server.command[server.command.index("127.0.0.1:0")] = "%s:%d" % server.address
        server.ctl("account", "create", EMAIL, "--name", "Ada")
        scene = Scene(server, str(tmp_path_factory.mktemp("files")))
        yield scene
        scene.end()


@pytest.fixture
def run_journey(scene):
    def run(name):
        pictures = os.path.join(os.environ.get("MESON_BUILD_ROOT", "/tmp"), "pictures")
        told = {"url": scene.server.url + "/", "pictures": pictures,
                "chromium": shutil.which("chromium")}
        with subprocess.Popen(["node", os.path.join(HERE, "run.mjs"), name], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            print(json.dumps(told), file=process.stdin, flush=True)
            for line in process.stdout:
                wish = json.loads(line)
                answer = getattr(scene, wish.pop("ask"))(**wish)
                print(json.dumps(answer), file=process.stdin, flush=True)
            scene.end_panels()
            said = process.stderr.read()
            status = process.wait(PATIENCE_S)
        assert status == 0, said

    return run
