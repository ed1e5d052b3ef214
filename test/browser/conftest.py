"""A server and a browser. Actions of journeys outside of the browser are here."""

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import urllib.request

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "main"),
                os.path.join(os.path.dirname(HERE), "web")]

# pylint: disable=wrong-import-position
import images  # noqa: E402
import issuer  # noqa: E402
import npm_packages  # noqa: E402
import ports  # noqa: E402
import proxies  # noqa: E402
from collection_scene import CollectionScene  # noqa: E402
from device_scene import DeviceScene  # noqa: E402
from flash_scene import FlashScene  # noqa: E402
from scenes import SCENES  # noqa: E402
from server import PATIENCE_S, Server, wait_until  # noqa: E402

EMAIL = "ada@example.org"
PASSWORD = "seven small lamps"


class Scene(DeviceScene, FlashScene, CollectionScene):
    """Functions for journeys: each method is called by its name."""

    def __init__(self, server, files):
        super().__init__()
        self.server = server
        self.files = files
        self.key = None
        self.count = 0
        self.others = []
        self.is_database_back = threading.Event()
        self.is_database_back.set()
        self.stack = contextlib.ExitStack()
        self.proxy = None

    def person(self, device=True, roles=(), name="Ada Lovelace"):
        """A person with a password and, by default, a device."""
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
        """Sends a request as a page does."""
        answer = self.server.request(method, path, body, headers={"Sec-Fetch-Site": "same-origin"})
        assert answer.status in (200, 201), answer.body

    def link(self, email=None):
        return self.server.ctl("account", "link", *([email] if email else []))["url"]

    def use_key(self, key):
        return self.server.get("/v1/devices", key=key).status

    def wait_for_refusal(self, key):
        """Workers hear of a revoked key within a second."""
        wait_until(lambda: self.use_key(key) == 401, "a key that is refused")

    def set_up(self, key, host):
        """Makes a webhook."""
        body = {"url": host + "/hook", "events": ["pushed"]}
        answer = self.server.post("/v1/webhooks", body, key=key)
        assert answer.status == 201, answer

    def listen(self, key):
        """Keeps an event stream open."""
        request = urllib.request.Request(self.server.url + "/v1/events", headers={"Authorization": f"Bearer {key}"})
        self.stack.enter_context(urllib.request.urlopen(request, timeout=PATIENCE_S))

    def fresh(self, arguments=(), account=False):
        """Starts another, unused server. Returns its URL and the link that it printed."""
        server = Server("--rate-limit", "0", *arguments)
        self.others.append(server)
        server.start()
        if account:
            server.ctl("account", "create", EMAIL, "--name", "Ada")
            return {"url": server.url + "/"}
        link = wait_until(lambda: re.search(r"http://[^ \"]+/link#\w+", server.log()), "a link")
        return {"url": server.url + "/", "link": link[0], "port": server.address[1]}

    def with_issuer(self):
        """Starts a server with a real identity provider, called Home, and an account."""
        port = ports.free_port()
        url = self.stack.enter_context(issuer.real(f"http://127.0.0.1:{port}/sign-in"))
        secret = os.path.join(self.files, "oidc-secret")
        with open(secret, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(issuer.SECRET)
        server = Server("--listen", f"127.0.0.1:{port}", "--public-url", f"http://127.0.0.1:{port}", "--rate-limit", "0", "--oidc", url, "--oidc-client", issuer.CLIENT,
                        "--oidc-name", "Home", "--oidc-secret-file", secret, "--egress-allow", "127.0.0.1")
        self.others.append(server)
        server.start()
        server.ctl("account", "create", EMAIL, "--name", "Ada")
        token = server.ctl("account", "link", EMAIL)["url"].partition("#")[2]
        answer = server.request("POST", "/web/links/use", {"token": token, "password": PASSWORD},
                                headers={"Sec-Fetch-Site": "same-origin"})
        assert answer.status == 200, answer.body
        return {"url": f"http://127.0.0.1:{port}/", "email": EMAIL, "password": PASSWORD}

    def below_a_path(self):
        """Starts nginx with the lines of docs/deploy, with the server below /leds/. Returns its URL."""
        if not self.proxy:
            folder = os.path.join(self.files, "nginx")
            os.mkdir(folder)
            upstream = "%s:%d" % self.server.address
            self.proxy = self.stack.enter_context(proxies.nginx(folder, upstream, "/leds/"))
        return {"url": "http://%s:%d/leds/" % self.proxy}

    def lose_database(self):
        """The database stays down until have_database(), however often it is restarted."""
        self.is_database_back.clear()

        def kill():
            while not self.is_database_back.wait(0.05):
                postmaster = self.server.postmaster()
                if postmaster:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(postmaster, signal.SIGQUIT)

        threading.Thread(target=kill, daemon=True).start()

    def have_database(self):
        self.is_database_back.set()

    def settle(self):
        """Restores the state that the next journey expects, wherever this one ended."""
        self.end_panels()
        self.have_database()
        if self.server.process.poll() is not None:
            self.server.start()

    def end(self):
        self.end_panels()
        for server in self.others:
            server.process.terminate()  # all at once, since each takes a while
        for server in self.others:
            server.remove()
        self.stack.close()

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

    def resize(self, device, size):
        self.server.ctl("device", "update", device, "--size", size)

    def log(self):
        return self.server.log()

    def stop(self):
        self.server.stop()

    def start(self):
        self.server.start()


@pytest.fixture(scope="session")
def scene(tmp_path_factory):
    """The port stays the same, since browsers return to it."""
    state = str(tmp_path_factory.mktemp("displayd") / "state")
    with Server("--rate-limit", "0", state_dir=state) as server:
        server.command[server.command.index("127.0.0.1:0")] = "%s:%d" % server.address
        server.ctl("account", "create", EMAIL, "--name", "Ada")
        scene = Scene(server, str(tmp_path_factory.mktemp("files")))
        yield scene
        scene.end()


class Runner:
    """The process with the browser, which runs one journey after another. It starts with the first journey,
    and again after it has died."""

    def __init__(self, scene):
        self.scene = scene
        self.process = None

    def run(self, name):
        """Runs a journey. Returns its fault as text."""
        if not self.process:
            browser = shutil.which("chromium-headless-shell")
            command = ["node", os.path.join(HERE, "run.mjs"), browser]
            # pylint: disable-next=consider-using-with
            self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, env=npm_packages.environment())
        pictures = os.path.join(os.environ.get("MESON_BUILD_ROOT", tempfile.gettempdir()), "pictures")
        self.say({"run": name, "scene": {"url": self.scene.server.url + "/", "pictures": pictures}})
        for line in self.process.stdout:
            said = json.loads(line)
            if "ended" in said:
                return said["fault"]
            try:
                self.say({"answer": getattr(self.scene, said.pop("ask"))(**said)})
            except Exception:  # pylint: disable=broad-exception-caught
                self.say({"fault": traceback.format_exc()})
        status, self.process = self.process.wait(PATIENCE_S), None
        return f"the process with the browser has ended with {status}"

    def say(self, what):
        print(json.dumps(what), file=self.process.stdin, flush=True)

    def end(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait(PATIENCE_S)


@pytest.fixture(scope="session")
def runner(scene):
    one = Runner(scene)
    yield one
    one.end()


@pytest.fixture
def run_journey(runner, scene):
    def run(name):
        try:
            fault = runner.run(name)
        finally:
            scene.settle()
        assert not fault, fault

    return run
