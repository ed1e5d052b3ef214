"""Requests that are sent while something fails, a class for each kind.

    kind = KINDS["read"](scene)
    with kind.connect() as client:
        answer = kind.ask(client, 7)     # for the 7th time
    kind.check(answer)                   # it said what is true; None: there was no answer
"""

import os
import ssl
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[1:1] = [os.path.join(TESTS, "main"), os.path.join(TESTS, "web")]

# pylint: disable=wrong-import-position
import forms  # noqa: E402
import tls  # noqa: E402
from authors import Author  # noqa: E402
from panel import Panel, Refused  # noqa: E402
from people import Person  # noqa: E402
from world import UNKNOWN_ID, Answer, images, request_bytes, wait_until  # noqa: E402

HAS_ENGINE = bool(os.environ.get("HAS_STARLARK"))


class Scene:
    """Objects that the kinds request."""

    def __init__(self, world):
        self.world = world
        self.owner = forms.Owner(world)  # a person who is signed in to the pages
        self.account = world.account()
        self.device = self.account.device()
        self.device.push(images.png(), installationId="x").ok()
        self._app = None

    @property
    def app(self):
        if not self._app:
            reviewer = Person(self.world, is_reviewer=True).browser()
            self._app = forms.publish(Author(self.world, name="Ada"), reviewer, forms.PLAIN)
        return self._app


def says_whether(answer):
    """Whether an answer must tell if something was stored. If the connection to the database broke, the
    outcome is unknown: the database's answer may have been lost."""
    return answer and b"the database cannot be reached" not in answer.body


def read_back(device, path=""):
    """The connection to the database may still recover from a fault."""
    def ask():
        answer = device.get(path)
        return answer.status == 200 and answer

    return wait_until(ask, "an answer").json()


class Kind:
    # Whether the connection may end without an answer while the worker continues.
    may_be_cut = False
    # Requests with thousands of allocations mostly repeat the same ones, so only every stride-th fails. A
    # prime, since repeating patterns have other lengths.
    stride = 1
    # Permitted statuses.
    statuses = (200, 201, 503)

    def __init__(self, scene):
        self.scene, self.world, self.device = scene, scene.world, scene.device

    def prepare(self, number):
        """Prepares the request before anything fails."""

    def connect(self):
        return self.world.client()

    def ask(self, client, number):
        """Sends the request for this time."""
        raise NotImplementedError

    def check(self, answer):
        """Checks the answer."""


# ---- what stores nothing ----

class Get(Kind):
    """A read whose answer is the same each time."""

    def __init__(self, scene, target=None, key=None):
        super().__init__(scene)
        self.target = target or self.device.path
        self.key = key or self.device.account.key
        self.known = None

    def ask(self, client, number):
        return client.request("GET", self.target, key=self.key)

    def check(self, answer):
        if answer and answer.status == 200:
            self.known = self.known or answer.body
            assert answer.body == self.known


class NewKey(Get):
    """A request with a key that no worker knows yet."""

    def prepare(self, number):
        self.key = self.device.account.new_key()


class LongList(Get):
    """A list of more than 100 elements, which is sent as a stream. A stream that has begun can only be cut."""
    may_be_cut = True

    def __init__(self, scene):
        account = scene.world.account()
        scene.world.sql("INSERT INTO device (id, account_id, name, link_key_hash) "
                        "SELECT gen_random_uuid(), %s, 'D' || n, sha256(%s::bytea || n::text::bytea) "
                        "FROM generate_series(1, 150) n", account.id, account.id)
        super().__init__(scene, "/v1/devices", account.key)


class PageList(Get):
    """A read of a page by its session."""

    def __init__(self, scene):
        super().__init__(scene, "/web/keys")
        self.cookie = scene.owner.browser.cookie

    def ask(self, client, number):
        client.send(browser_request("GET", self.target, self.cookie))
        return client.answer("GET")


def browser_request(method, target, cookie, body=None):
    fields = (("Sec-Fetch-Site", "same-origin"), ("Cookie", cookie))
    data = request_bytes(method, target, body=body, fields=fields)
    return data.replace(b"Host: test", b"Host: 127.0.0.1", 1)


class Preview(Kind):
    """An app is rendered while a person waits."""

    def __init__(self, scene):
        super().__init__(scene)
        self.target = f"/web/apps/{scene.app.slug}/preview"
        self.cookie, self.own = scene.owner.browser.cookie, scene.owner.device
        self.known = None

    def ask(self, client, number):
        client.send(browser_request("POST", self.target, self.cookie, body={
            "deviceId": self.own, "settings": {"text": "hi"}}))
        return client.answer("POST")

    def check(self, answer):
        if answer and answer.status == 200 and not answer.json()["problem"]:
            self.known = self.known or answer.json()["picture"]
            assert answer.json()["picture"] == self.known


# ---- panels ----

class Poll(Get):
    def __init__(self, scene):
        super().__init__(scene, f"/d/{scene.device.id}/next?key={scene.device.link_key}")

    def ask(self, client, number):
        return client.request("GET", self.target)


class NewPanel(Poll):
    """A poll of an unknown panel, which has nothing to show. If the database connection breaks and does not
    return soon, the panel gets 404 like an unknown one."""

    statuses = (200, 404)

    def __init__(self, scene):
        super().__init__(scene)
        # Requested before anything fails: without the database, unknown panels get that answer, too.
        self.unknown = self.world.get(f"/d/{UNKNOWN_ID}/next?key={self.device.link_key}").body

    def check(self, answer):
        if answer and answer.status == 404:
            assert answer.body != self.unknown

    def prepare(self, number):
        device = self.device.account.device()
        self.target = f"/d/{device.id}/next?key={device.link_key}"


class Link(Kind):
    """A panel's WebSocket, until its first picture."""
    may_be_cut = True

    def __init__(self, scene):
        super().__init__(scene)
        self.expected = images.frames_of(images.png())

    def ask(self, client, number):
        try:
            with Panel(self.world.server, self.device) as panel:
                picture = panel.wait_for_picture()
        except Refused as refused:
            return Answer(refused.status, [], refused.body)
        assert images.frames_of(picture) == self.expected
        return Answer(200, [], b"")


# ---- what stores something ----

class Change(Kind):
    """Sets another brightness each time."""

    def __init__(self, scene):
        super().__init__(scene)
        self.known, self.wanted = self.device.get().ok()["brightness"], None

    def ask(self, client, number):
        self.wanted = 1 + number % 100
        return client.request("PATCH", self.device.path, key=self.device.account.key,
                              body={"brightness": self.wanted})

    def check(self, answer):
        stored = read_back(self.device)["brightness"]
        assert stored in (self.known, self.wanted)
        if says_whether(answer):
            assert stored == (self.wanted if answer.status == 200 else self.known), answer
        self.known = stored


class Push(Kind):
    """Pushes an entry of another name each time."""
    version, member = "v1", "installationId"

    def __init__(self, scene, image):
        super().__init__(scene)
        self.text = images.text(image)
        self.name = None

    def ask(self, client, number):
        self.name = f"x{number}"
        return client.request(
            "POST", f"/{self.version}/devices/{self.device.id}/push", key=self.device.account.key,
            body={"image": self.text, self.member: self.name})

    def check(self, answer):
        is_there = self.name in [entry["id"] for entry in read_back(self.device, "/installations")]
        if says_whether(answer):
            assert is_there == (answer.status == 200), (self.name, answer)
        if is_there:
            wait_until(lambda: self.device.delete(self.name).status in (200, 204, 404), "its removal")


class OldPush(Push):
    """A push like those of programs of the earlier API."""
    version, member = "v0", "installationID"


class Install(Kind):
    """An installation of an app by the pages."""

    def __init__(self, scene):
        super().__init__(scene)
        self.owner, self.app = scene.owner, scene.app

    def ask(self, client, number):
        client.send(browser_request("POST", f"/web/devices/{self.owner.device}/apps",
                                    self.owner.browser.cookie, body={
                                        "app": self.app.slug,
                                        "settings": {"text": "hi", "key": f"secret {number}"}}))
        return client.answer("POST")

    def check(self, answer):
        [[count]] = self.world.sql("SELECT count(*) FROM installation WHERE device_id = %s",
                                   self.owner.device)
        assert count <= 1
        if says_whether(answer):
            assert count == (answer.status == 201), answer
        else:
            wait_until(self.has_ended, "the end of what a dead worker has sent")
        self.world.sql("DELETE FROM installation WHERE device_id = %s", self.owner.device)

    def has_ended(self):
        """PostgreSQL runs a statement to its end, even if its client has left."""
        return self.world.sql("""SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
            AND state <> 'idle' AND pid <> pg_backend_pid()""") == [(0,)]


# ---- TLS ----

class Encrypted(Kind):
    """A handshake and a request. If the handshake fails, the client cannot get a reason."""
    may_be_cut = True
    version = ssl.TLSVersion.TLSv1_3
    stride = 23

    def __init__(self, scene):
        super().__init__(scene)
        self.context = tls.context(version=self.version)
        self.port = tls.port_of(self.world.server)

    def connect(self):
        return tls.raw(self.port)

    def ask(self, client, number):
        with self.context.wrap_socket(client, server_hostname="localhost",
                                      suppress_ragged_eofs=False) as stream:
            stream.sendall(b"GET /v1/devices HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                           + self.device.account.key.encode() + b"\r\n\r\n")
            found = read_whole(stream)
        if found.status == 200:
            assert self.device.id in found.body.decode()
        return Answer(found.status, [], found.body)


def read_whole(stream):
    try:
        return tls.read_answer(stream)
    except AssertionError as error:  # the connection ended before the whole head
        raise ConnectionError(str(error)) from error


class Encrypted12(Encrypted):
    version = ssl.TLSVersion.TLSv1_2
    stride = 7


KINDS = {
    "read": Get,
    "read with a new key": NewKey,
    "list": lambda scene: Get(scene, scene.device.path + "/installations"),
    "long list": LongList,
    "list of v0": lambda scene: Get(scene, scene.device.path.replace("v1", "v0") + "/installations"),
    "page": lambda scene: Get(scene, "/devices"),
    "list of a page": PageList,
    "poll": Poll,
    "poll of a new panel": NewPanel,
    "websocket": Link,
    "change": Change,
    "png": lambda scene: Push(scene, images.png(images.gradient(3))),
    "gif": lambda scene: Push(scene, images.gif()),
    "webp": lambda scene: Push(scene, images.webp(images.gradient(7))),
    "push of v0": lambda scene: OldPush(scene, images.png(images.gradient(3))),
    "install": Install,
    "TLS 1.2": Encrypted12,
    "TLS 1.3": Encrypted,
}
if not os.environ.get("HAS_PAGES"):
    del KINDS["page"]
if HAS_ENGINE:
    KINDS["preview"] = Preview
else:
    del KINDS["install"]
