"""Mixed load on a server: each kind of user is a thread that does one thing after the other, with
pauses, until the load is over.

    with Load(world) as load:
        ...
    load.counts       answers and events by kind
    load.faults       what should not have been answered, as sentences
"""

import collections
import os
import random
import socket
import sys
import threading
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "api"), os.path.join(TESTS, "web")]

# pylint: disable=wrong-import-position
import images  # noqa: E402
from authors import Author  # noqa: E402
from events import Ended, Events  # noqa: E402
from panel import Panel  # noqa: E402
from people import SECRETS, Browser, Person, password_hash  # noqa: E402
from rendered import install  # noqa: E402

BUSY = (429, 503)
FAULTS_KEPT = 20
SCRIPT = """load("render.star", "render")
load("time.star", "time")

def main():
    return render.Root(child = render.Text(str(time.now().unix)), max_age = 5)
"""
PICTURES = [
    images.png(images.gradient(40)), images.png(images.noise(3)), images.gif(),
    images.webp(images.solid((9, 99, 199))),
]


class Load:
    """An account with devices of all kinds, and their users. pause_s: between two actions of one user."""

    def __init__(self, world, devices=8, pause_s=0.2, has_renders=False, tolerates_ends=False):
        self.world = world
        world.is_patient = False  # answers of a busy server are counted
        self.pause_s = pause_s
        self.tolerates_ends = tolerates_ends  # connections may break when processes are killed
        self.counts = collections.Counter()
        self.faults = []
        self.latencies_ms = []  # of the prober; the reader removes them
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        hashed = password_hash(world)  # by the first link, which works until there is an account
        self.account = world.account()
        self.devices = [self.account.device(f"Device {number}") for number in range(devices)]
        world.sql("UPDATE account SET password_hash = %s WHERE id = %s", hashed, self.account.id)
        kinds = [self.push, self.push, self.read, self.change, self.list, self.poll, self.poll,
                 self.panel, self.panel, self.panel, self.page, self.listen, self.probe]
        if has_renders:
            self.app = self.publish()
            kinds.append(self.watch_app)
        self.threads = [threading.Thread(target=self.run, args=(kind, number), daemon=True)
                        for number, kind in enumerate(kinds)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Returns when all users have left."""
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    # ---- what all users have in common ----

    def run(self, act, number):
        chance = random.Random(number)
        while not self.is_over.wait(chance.uniform(0.5, 1.5) * self.pause_s):
            try:
                act(chance)
            except (OSError, Ended) as end:
                self.note(f"{act.__name__} ended")
                if not self.tolerates_ends:
                    self.blame(f"{act.__name__}: {end!r}")
            except Exception as fault:  # pylint: disable=broad-exception-caught
                self.blame(f"{act.__name__}: {fault!r}")

    def note(self, kind):
        with self.lock:
            self.counts[kind] += 1

    def blame(self, fault):
        with self.lock:
            self.counts["faults"] += 1
            if len(self.faults) < FAULTS_KEPT:
                self.faults.append(fault)

    def take(self, kind, answer, *good):
        self.note(f"{kind} {answer.status}")
        if answer.status not in (good or (200,)) and answer.status not in BUSY:
            self.blame(f"{kind}: {answer.status} {answer.body[:200]!r}")
        return answer

    def device(self, chance):
        return chance.choice(self.devices)

    # ---- programs ----

    def push(self, chance):
        device = self.device(chance)
        members = {}
        if chance.random() < 0.6:
            members["installationId"] = f"app-{chance.randrange(6)}"
            members["background"] = chance.random() < 0.5
        self.take("push", device.push(chance.choice(PICTURES), **members))
        if chance.random() < 0.1:
            self.take("delete", device.delete(f"app-{chance.randrange(6)}"), 200, 404)
        if chance.random() < 0.05:
            self.take("broken push", device.push_body(b'{"image": "bm8gaW1hZ2U="}'), 400)

    def read(self, chance):
        target = chance.choice(["/v1/account/", "/v1/devices", self.device(chance).path,
                                "/v1/devices?limit=3", "/livez", "/readyz", "/openapi.json"])
        self.take("read", self.world.get(target, key=self.account.key))

    def change(self, chance):
        self.take("change", self.world.request(
            "PATCH", self.device(chance).path, key=self.account.key,
            body={"brightness": chance.randrange(1, 101)}))

    def list(self, chance):
        with self.world.client() as client:
            for _ in range(10):
                target = self.device(chance).path + "/installations"
                self.take("list", client.request("GET", target, key=self.account.key))

    def probe(self, chance):
        """Measures a plain request, on one connection as programs use it."""
        device = self.device(chance)
        with self.world.client() as client:
            for _ in range(100):
                began = time.monotonic()
                self.take("probe", client.request("GET", device.path, key=self.account.key))
                with self.lock:
                    self.latencies_ms.append((time.monotonic() - began) * 1000)
                if self.is_over.wait(self.pause_s / 4):
                    return

    # ---- panels ----

    def poll(self, chance):
        self.take("poll", self.device(chance).poll())

    def panel(self, chance):
        """A panel connection for a while."""
        with Panel(self.world.server, self.device(chance)) as panel:
            panel.socket.settimeout(1)
            end = time.monotonic() + chance.uniform(5, 40) * self.pause_s
            while time.monotonic() < end and not self.is_over.is_set():
                try:
                    message = panel.next()
                except socket.timeout:
                    continue
                self.note("panel picture" if isinstance(message, bytes) else "panel text")

    # ---- people ----

    def sign_in(self):
        """A browser, or None if the server is busy."""
        browser = Browser(self.world)
        answer = self.take("sign in", browser.try_sign_in(self.account.email))
        return browser if answer.status == 200 else None

    def page(self, _):
        browser = self.sign_in()
        if not browser:
            return
        for target in ("/web/account", "/web/devices", "/web/keys", "/web/sessions"):
            self.take("page", browser.get(target))
        self.take("sign out", browser.delete("/web/session"))
        self.is_over.wait(self.pause_s * 10)

    def listen(self, chance):
        """A page that shows two devices."""
        browser = self.sign_in()
        if not browser:
            return
        watched = [device.id for device in chance.sample(self.devices, 2)]
        events = Events(browser, watched)
        events.client.socket.settimeout(1)
        end = time.monotonic() + chance.uniform(5, 40) * self.pause_s
        try:
            while time.monotonic() < end and not self.is_over.is_set():
                try:
                    self.note(f"event {events.event()[0]}")
                except socket.timeout:
                    self.note("quiet second of a page")
        finally:
            events.close()
        self.take("sign out", browser.delete("/web/session"))

    # ---- apps ----

    def publish(self):
        reviewer = Person(self.world, is_reviewer=True).browser()
        app = Author(self.world).make(visibility="public")
        app.publish(reviewer, "1.0", SCRIPT)
        return app

    def watch_app(self, chance):
        """Installs the app on a panel of its own, reads a picture, and removes it."""
        browser = self.sign_in()
        if not browser:
            return
        answer = browser.post("/web/devices", {"name": "Clock", "timezone": "UTC"})
        made = self.take("new device", answer, 201).json()
        SECRETS.add(made["link"]["key"])
        install(browser, made["device"]["id"], self.app)
        poll = self.world.server.path_of(made["link"]["pollingUrl"])
        last = None
        for _ in range(chance.randrange(5, 60)):
            answer = self.take("poll of an app", self.world.get(poll))
            if answer.status == 200 and answer.body != last:
                # The first one may mean that there is none yet.
                self.note("new picture of an app" if last else "first picture of an app")
                last = answer.body
            if self.is_over.wait(self.pause_s):
                break
        self.take("remove", browser.delete(f"/web/devices/{made['device']['id']}"))
        self.take("sign out", browser.delete("/web/session"))
