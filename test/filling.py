"""What one account and its peers can fill the processes with that all accounts share: for the test that none of
them ends (api/test_fill_shared.py), and for bench/fill_shared.py, which measures what others notice.

    with World(database, *options(folder)) as world, Stage(world) as stage:
        for process, what, attack in rows(stage):
            with attack():                # it goes on until the end of the block
                stage.honest[process]()   # one round of the work of another account
"""

import contextlib
import itertools
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import threading

import filling_peers as peers
from apps import make_app
from broker import PASSWORD, USER, Broker
from hook_receiver import Receiver
from hostile_scripts import STARLARK, TYPESCRIPT
from server import amount
from waiting import wait_until
from world import Connection, images

ENOUGH_BYTES = 1 << 20
RELOADED = "configuration reloaded, nothing changed"
RELOADS = 10
CONNECTION_S = 3  # of a broker, at most
AT_ONCE = 12  # connections of the account to the server
HOOKS = 10  # as many as an account may have
SCRIPTS_AT_ONCE = os.cpu_count() + 2  # more than are rendered at once
DEVICES = 10  # of an honest account, which pushes to them in turn: each takes ten pushes a second

HONEST = {
    "STARLARK": 'load("render.star", "render")\ndef main():\n    return render.Root(child = render.Box(color = "#0f0"))\n',
    "TYPESCRIPT": 'import { Box, Root } from "panel";\n'
                  'export default function main() { return Root({ child: Box({ color: "#0f0" }) }); }\n',
}
FETCH = {
    "STARLARK": 'load("http.star", "http")\ndef main():\n    http.get("%s")\n    return []\n',
    "TYPESCRIPT": 'export default async function main() { await fetch("%s"); return null; }\n',
}
MANY_FIELDS = """
load("render.star", "render")
load("schema.star", "schema")

def main():
    return render.Root(child = render.Box())

def get_schema():
    return schema.Schema(version = "1", fields = [schema.Text(
        id = "f%%d" %% n, name = "n" * %d, desc = "d" * %d, icon = "font") for n in range(%d)])
"""
FORMS = {"fields": MANY_FIELDS % (1, 1, 100_000), "long names": MANY_FIELDS % (1 << 20, 1, 30),
         "long texts": MANY_FIELDS % (10, 100_000, 200)}
KINDS = {
    "time": ("loop at top level", "loop in main", "loop in the schema", "regular expression", "promises", "a thenable",
             "a built-in function"),
    "stack": ("recursion", "a proxy that calls itself", "a deep tree"),
    "memory": ("a string of 512 MiB", "a list that grows", "closures", "bytes of 1 GB", "a string that doubles",
               "a big integer", "integers that square", "a wide tree"),
    "pictures": ("a picture of 60,000 x 60,000", "a box of 60,000 x 60,000", "10,000 frames",
                 "roots of 2,000 frames each", "10,000 other frames", "10,000 other raw frames",
                 "SVG with entities", "SVG that uses itself ten times, twelve times"),
    "lines": ("a million lines", "lines that steer the terminal"),
    "what is compiled": ("parentheses", "brackets", "types", "templates", "sums", "zeros"),
}


def options(folder):
    """Options of a server that can be attacked in each way. The folder gets its certificate."""
    paths = [os.path.join(folder, name) for name in ("cert.pem", "key.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    return ("--egress-allow", "127.0.0.1/32", "--access-log", "on", "--tls-listen", "127.0.0.1:0",
            "--tls-certificate", paths[0], "--tls-key", paths[1])


class Person:
    """An account with a device, a session of the pages, and an app to preview drafts of."""

    def __init__(self, world):
        self.world = world
        self.account = world.account()
        world.sql("UPDATE account SET reaches_local = true WHERE id = %s", self.account.id)
        self.devices = [self.account.device() for _ in range(DEVICES)]
        self.device = self.devices[0]
        self.app = make_app(self.account)
        token = secrets.token_hex(22)[:43]
        world.sql("INSERT INTO session (id, account_id, secret_hash, address, user_agent) "
                  "VALUES (gen_random_uuid(), %s, sha256(%s::bytea), '', '')", self.account.id, token)
        self.fields = [("Cookie", f"displayd_session={token}; __Host-displayd_session={token}"),
                       ("Sec-Fetch-Site", "same-origin"),
                       ("Content-Type", "application/json")]

    @property
    def panel_target(self):
        return f"/d/{self.device.id}/ws?key={self.device.link_key}"

    def ask(self, method, target, body=None, fields=None):
        """Sends a request, which may be refused. Returns the status and the body."""
        with Connection(self.world.server) as client:
            client.socket.settimeout(peers.PATIENCE_S)
            body = json.dumps(body).encode() if body is not None else b""
            names = fields or [("Authorization", f"Bearer {self.account.key}"), ("Content-Type", "application/json")]
            client.send(peers.request(method, target, fields=[f"{name}: {value}" for name, value in names]
                                      + [f"Content-Length: {len(body)}"], body=body))
            answer = client.answer(method)
            return answer.status, answer.body

    def preview_of(self, language, script):
        return "POST", f"/web/studio/{self.app.id}/preview", {
            "scriptLanguage": language, "scriptContent": script, "timezone": "Europe/Zagreb"}, self.fields

    def preview(self, language, script):
        return self.ask(*self.preview_of(language, script))

    def hook(self, url):
        status, body = self.ask("POST", "/v1/webhooks", {"url": url, "events": ["pushed"]})
        assert status == 201, body
        return json.loads(body)["id"]

    def connect(self, url, user=USER):
        """Whether the account connects to this broker now. It may not do so too often."""
        status, body = self.ask("PUT", "/v1/account/mqtt", {"url": url, "username": user, "password": PASSWORD})
        assert status in (200, 429), body
        return status == 200


class Attack:
    """Threads that do one thing again and again until the end. rounds: how often it was done; bytes: what was sent;
    has_done(): whether that is enough for a test. sockets are ended with it."""

    def __init__(self, does, at_once, has_done=None):
        self.does = does
        self.is_over = threading.Event()
        self.rounds = self.bytes = 0
        self.sockets = set()
        self.has_done = has_done or (lambda: self.rounds >= at_once or self.bytes > ENOUGH_BYTES)
        self.threads = [threading.Thread(target=self._run, args=[number], daemon=True) for number in range(at_once)]

    def _run(self, number):
        while not self.is_over.is_set():
            with contextlib.suppress(OSError):
                self.does(self, number)
            self.rounds += 1

    def note(self, size):
        self.bytes += size

    @contextlib.contextmanager
    def connection(self, address):
        with socket.create_connection(address, peers.PATIENCE_S) as peer:
            self.sockets.add(peer)
            if self.is_over.is_set():  # perhaps since the sockets were ended
                raise ConnectionAbortedError
            yield peer
            self.sockets.remove(peer)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for peer in list(self.sockets):
            with contextlib.suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join(peers.PATIENCE_S)


class Stage:
    """Two accounts of a world, and what the honest one does with each process."""

    def __init__(self, world):
        self.world = world
        self.stack = contextlib.ExitStack()
        self.hostile, self.other = Person(world), Person(world)
        self.number = 0
        self.honest = {"worker": self.use_worker, "egress": self.use_egress, "bridge": self.use_bridge,
                       "renderers": self.use_renderers, "render host": self.use_renderers,
                       "supervisor": self.use_worker}

    def __enter__(self):
        self.receiver = self.stack.enter_context(Receiver())
        self.hook = self.other.hook(self.receiver.url)
        self.broker = self.stack.enter_context(Broker())
        self.heard = self.stack.enter_context(self.broker.listen())
        assert self.other.connect(self.broker.url)
        self.heard.wait_for(f"displayd/{self.other.account.id}/availability", b"online")
        return self

    def __exit__(self, *_):
        for person in (self.hostile, self.other):
            person.ask("DELETE", "/v1/account/mqtt")
        self.stack.close()

    # ---- one round of the other account ----

    def device_in_turn(self):
        self.number += 1
        return self.other.devices[self.number % DEVICES]

    def use_worker(self):
        device = self.device_in_turn()
        assert device.get().status == 200
        assert device.push(images.png(images.solid((0, 0, 255)))).status == 200
        assert device.poll().status == 200

    def use_egress(self):
        device, before = self.device_in_turn(), len(self.receiver.seen())
        assert device.push(images.png(images.solid((0, 255, 0))), installationId=f"n{self.number % 50}",
                           background=True).status == 200
        wait_until(lambda: len(self.receiver.seen()) > before, "a message of the webhook")

    def use_bridge(self):
        self.number += 1
        brightness = self.number % 99 + 1
        topic = f"displayd/{self.other.account.id}/{self.other.device.id}/light"
        assert self.other.account.request("PATCH", self.other.device.path, body={"brightness": brightness}).status == 200
        wait_until(lambda: json.loads(self.heard.newest.get(topic, b"{}")).get("brightness") == brightness,
                   "the state of the light")

    def use_renderers(self):
        self.number += 1
        language = ("STARLARK", "TYPESCRIPT")[self.number % 2]
        mark = "#" if language == "STARLARK" else "//"
        status, body = self.other.preview(language, HONEST[language] + f"{mark} {self.number}\n")
        while status in (429, 503):
            status, body = self.other.preview(language, HONEST[language] + f"{mark} {self.number}\n")
        assert status == 200 and json.loads(body).get("picture"), body

    # ---- attacks ----

    def connections(self, begin, rest, port=None, reads=True):
        """Connections of the hostile account to the server."""
        host, own = self.world.server.address

        def does(attack, _):
            with attack.connection((host, port or own)) as peer:
                peers.pour(peer, begin, rest, lambda: not attack.is_over.is_set(), attack.note, reads)
                if rest is None:
                    attack.is_over.wait(1)

        return Attack(does, AT_ONCE)

    @contextlib.contextmanager
    def web(self, begin, rest, scheme="http"):
        """A web server that webhooks and apps of the hostile account ask."""
        with peers.Peer(begin, rest) as peer:
            url = f"{scheme}://127.0.0.1:{peer.port}/"
            hooks = [self.hostile.hook(url) for _ in range(HOOKS)]

            def does(attack, number):
                if number < HOOKS:
                    self.hostile.ask("POST", f"/v1/webhooks/{hooks[number]}/test", {})
                    attack.is_over.wait(1)
                else:
                    language = sorted(FETCH)[number % 2]
                    self.hostile.preview(language, FETCH[language] % url)

            with Attack(does, HOOKS + 2, lambda: peer.connections >= 6) as attack:
                yield attack
            for hook in hooks:
                self.hostile.ask("DELETE", f"/v1/webhooks/{hook}")

    @contextlib.contextmanager
    def broker_of(self, begin, rest):
        """A broker to which the hostile account connects, and again each time that it is lost."""
        with peers.Peer(begin, rest) as peer:
            def does(attack, _):
                """Connects anew, as another user, after so much or if nothing comes."""
                while not self.hostile.connect(f"mqtt://127.0.0.1:{peer.port}", secrets.token_hex(4)):
                    if attack.is_over.wait(0.5):
                        return
                before = peer.bytes
                for _ in range(CONNECTION_S * 10):
                    if attack.is_over.wait(0.1) or peer.bytes > before + ENOUGH_BYTES * 64:
                        break

            with Attack(does, 1, lambda: peer.connections and (peer.bytes > ENOUGH_BYTES or rest is None
                                                               or peer.connections > 1)) as attack:
                yield attack
            self.hostile.ask("DELETE", "/v1/account/mqtt")

    def answer_of(self, attack, data):
        """Waits for the answer to a request that closes its connection, or for the end of the attack."""
        with attack.connection(self.world.server.address) as peer:
            peer.sendall(data)
            answer = b""
            while piece := peer.recv(peers.PIECE):
                answer = answer or piece
            return answer

    def scripts(self, cases):
        """Previews of the hostile account, of (language, script): enough if two have ended, or with --full all, however
        they did. One that is refused is asked for again."""
        turns = itertools.count()

        def does(attack, _):
            method, target, body, fields = self.hostile.preview_of(*cases[next(turns) % len(cases)])
            body = json.dumps(body).encode()
            fields = [*map(": ".join, fields), f"Content-Length: {len(body)}", "Connection: close"]
            data = peers.request(method, target, fields=fields, body=body)
            while self.answer_of(attack, data).split(b" ", 2)[1:2] in ([b"429"], [b"503"]):
                if attack.is_over.wait(0.1):
                    break

        attack = Attack(does, SCRIPTS_AT_ONCE, lambda: attack.rounds >= amount(2, len(cases)))
        return attack

    @contextlib.contextmanager
    def forms(self, script):
        """Forms of an app that is deployed."""
        app = make_app(self.hostile.account).published(script=script)
        assert app.deploy().status == 200
        data = closing(peers.request("GET", f"{app.path}/schema", self.hostile.account.key))
        attack = Attack(lambda attack, _: self.answer_of(attack, data), SCRIPTS_AT_ONCE, lambda: attack.rounds)
        with attack:
            yield attack

    def requests(self, data):
        """The same request again and again, whatever the answer."""
        def does(*_):
            with Connection(self.world.server) as client:
                client.socket.settimeout(peers.PATIENCE_S)
                client.send(data)
                while client.socket.recv(peers.PIECE):
                    pass

        return Attack(does, AT_ONCE)

    @contextlib.contextmanager
    def reloads(self):
        """Reloads beside connections that are in the middle of something."""
        held = peers.bodies(self.hostile.device.path, self.hostile.account.key)["half a body"]
        with self.connections(*held) as attack:
            before = self.world.server.log().count(RELOADED)
            for number in range(RELOADS):
                self.world.server.process.send_signal(signal.SIGHUP)
                self.world.server.wait_for_log(RELOADED, before + number + 1)
            yield attack

    @property
    def tls_port(self):
        ports = [int(port) for port in re.findall(r"listening address=\S+ port=(\d+)", self.world.server.log())]
        return next(port for port in ports if port != self.world.server.address[1])


def scripts_of(kind):
    """(language, script) of a kind, the languages in turn."""
    of_languages = [[(language, cases[name][0]) for name in KINDS[kind] if name in cases]
                    for language, cases in (("STARLARK", STARLARK), ("TYPESCRIPT", TYPESCRIPT))]
    return [case for pair in itertools.zip_longest(*of_languages) for case in pair if case]


def closing(data):
    head, _, body = data.partition(b"\r\n\r\n")
    return head + b"\r\nConnection: close\r\n\r\n" + body


def rows_of_workers(stage):
    path, key = stage.hostile.device.path, stage.hostile.account.key
    for kind, table in (("head", peers.heads(path, key)), ("body", peers.bodies(path, key)),
                        ("WebSocket", peers.websockets(stage.hostile.panel_target))):
        for what, (begin, rest) in table.items():
            reads = "not read" not in what
            yield "worker", f"{kind}: {what}", lambda sent=(begin, rest), reads=reads: stage.connections(*sent, reads=reads)
    for what, (begin, rest) in peers.TLS.items():
        yield "worker", f"TLS: {what}", lambda begin=begin, rest=rest: stage.connections(begin, rest, stage.tls_port)
    for what, body in peers.HUGE_JSON.items():
        data = closing(peers.json_request("POST", f"{path}/push", key, body))
        yield "worker", f"JSON: {what}", lambda data=data: stage.requests(data)
    for what, picture in peers.PICTURES.items():
        data = closing(peers.push_of(path, key, picture))
        yield "worker", what, lambda data=data: stage.requests(data)


def rows_of_hosts(stage):
    crashes = [("STARLARK", STARLARK["a string of 512 MiB"][0]), ("STARLARK", STARLARK["recursion"][0]),
               ("TYPESCRIPT", TYPESCRIPT["a big integer"][0]), ("TYPESCRIPT", TYPESCRIPT["bytes of 1 GB"][0])]
    yield "render host", "processes that end at once", lambda: stage.scripts(list(crashes))
    long_line = closing(peers.request("GET", f"/{7000 * 'a'}", fields=[f"X-Request-Id: {128 * 'a'}"]))
    yield "supervisor", "lines of the log", lambda: stage.requests(long_line)
    yield "supervisor", "reloads beside held connections", stage.reloads


def rows(stage):
    """(process, what, a function that returns a context in which it happens)."""
    yield from rows_of_workers(stage)
    for what, (begin, rest) in peers.WEB.items():
        yield "egress", what, lambda begin=begin, rest=rest: stage.web(begin, rest)
    for what, (begin, rest) in peers.WEB_TLS.items():
        yield "egress", f"TLS: {what}", lambda begin=begin, rest=rest: stage.web(begin, rest, "https")
    for what, (begin, rest) in peers.brokers(stage.hostile.account.id, stage.hostile.device.id).items():
        yield "bridge", what, lambda begin=begin, rest=rest: stage.broker_of(begin, rest)
    for kind in KINDS:
        yield "renderers", kind, lambda kind=kind: stage.scripts(scripts_of(kind))
    for what, script in FORMS.items():
        yield "renderers", f"forms: {what}", lambda script=script: stage.forms(script)
    yield from rows_of_hosts(stage)


def processes(server):
    """The processes that all accounts share: {name: process IDs}. A child that still has its parent's name has not
    begun its program yet."""
    found, todo = {}, [(server.process.pid, None)]
    while todo:
        pid, parent = todo.pop()
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                name = file.read().strip()
            if name != parent:
                found.setdefault(name, set()).add(pid)
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                    todo += [(int(child), name) for child in file.read().split()]
    return found
