"""After a page was answered, every later poll and read by a program shows its change, at any worker."""

import itertools
import json
import uuid

import kept
import pytest
from authors import Author
from devices import add, path_of
from people import OWN_PAGE
from world import request_bytes

import images

ROUNDS = 20


@pytest.fixture(scope="module")
def clients(world):
    with world.each_worker() as clients:
        yield clients


class Scene:
    """A device whose owner's page reaches one worker, and its panel another."""

    def __init__(self, browser, clients):
        self.browser, self.clients = browser, clients
        made = add(browser)
        self.path = path_of(made["device"])
        url = made["link"]["pollingUrl"]
        self.target = url[url.index("/d/"):]

    def rounds(self):
        """(number, the page's client, the panel's). Both workers have the panel in memory."""
        for client in self.clients:
            self.poll(client)
        pairs = itertools.cycle(itertools.permutations(self.clients, 2))
        for number, pair in enumerate(itertools.islice(pairs, ROUNDS)):
            yield number, *pair

    def change(self, client, method, path="", body=None):
        fields = [*OWN_PAGE, ("Cookie", self.browser.cookie)]
        client.send(request_bytes(method, self.path + path, body=body, fields=fields))
        answer = client.answer()
        assert answer.status == 200, answer

    def push(self, client, number, **members):
        """Pushes a picture. Returns its frames."""
        image = images.png(images.solid((number + 1, 200, 7)))
        self.change(client, "POST", "/push", {"image": images.text(image), **members})
        return images.frames_of(image)

    def poll(self, client):
        answer = client.request("GET", self.target)
        assert answer.status == 200, answer
        return answer

    def frames(self, client):
        return images.frames_of(self.poll(client).body)


@pytest.fixture
def scene(browser, clients):
    return Scene(browser, clients)


def test_settings(scene):
    for number, page, panel in scene.rounds():
        scene.change(page, "PATCH", body={"brightness": 1 + number})
        assert scene.poll(panel)["Tronbyt-Brightness"] == str(1 + number)


def test_pushes(scene):
    for number, page, panel in scene.rounds():
        frames = scene.push(page, number, duration=45)
        assert scene.frames(panel) == frames


def test_entries_that_come_and_go(scene):
    for number, page, panel in scene.rounds():
        frames = scene.push(page, number, installationId="a", background=True)
        assert scene.frames(panel) == frames
        scene.change(page, "DELETE", "/rotation/a")
        assert scene.frames(panel) != frames


def test_entries_that_are_to_be_seen_now(scene):
    shown = {name: scene.push(scene.clients[0], number, installationId=name, background=True)
             for number, name in enumerate("ab")}
    for number, page, panel in scene.rounds():
        name = "ab"[number % 2]
        scene.change(page, "POST", f"/rotation/{name}/show")
        assert scene.frames(panel) == shown[name]


def test_a_disabled_panel(scene):
    usual = scene.push(scene.clients[0], 0, installationId="a", background=True)
    for _, page, panel in scene.rounds():
        scene.change(page, "POST", "/disable")
        assert images.frames_of(panel.request("GET", scene.target).body) != usual
        scene.change(page, "POST", "/enable")
        assert scene.frames(panel) == usual


# ---- programs ----


class Reads:
    """Pages of a person reach one worker, and a program with a key of the same account another."""

    def __init__(self, author, clients):
        self.author, self.clients = author, clients
        self.key = author.key()

    def rounds(self, target):
        """(number, the page's client, the program's). Both workers cache the answer."""
        for number, pair in enumerate(itertools.islice(itertools.cycle(
                itertools.permutations(self.clients, 2)), ROUNDS)):
            for client in self.clients:
                self.read(client, target)
            yield number, *pair

    def read(self, client, target):
        client.send(request_bytes("GET", target, key=self.key))
        answer = client.answer()
        assert answer.status == 200, answer
        return json.loads(answer.body)

    def change(self, client, method, target, body=None):
        fields = [*OWN_PAGE, ("Cookie", self.author.browser.cookie)]
        client.send(request_bytes(method, target, body=body, fields=fields))
        answer = client.answer()
        assert answer.status in (200, 201), answer
        return json.loads(answer.body)


@pytest.fixture
def reads(world, clients):
    return Reads(Author(world), clients)


def test_the_name_of_an_app(world, reads):
    app = reads.author.make()
    [device] = reads.read(reads.clients[0], "/v1/devices")
    world.sql("INSERT INTO installation (device_id, id, app_id, position) VALUES (%s, %s, %s, 1)",
              device["id"], str(uuid.uuid4()), app.id)
    kept.forget()
    target = f"/v1/devices/{device['id']}/installations"
    for number, page, program in reads.rounds(target):
        reads.change(page, "PATCH", app.path, {"name": f"Clock {number}"})
        assert reads.read(program, target)[0]["app"]["name"] == f"Clock {number}"


def test_devices_that_come_and_go(reads):
    for _, page, program in reads.rounds("/v1/devices"):
        made = reads.change(page, "POST", "/web/devices", {"name": "More", "timezone": "UTC"})["device"]["id"]
        assert made in [device["id"] for device in reads.read(program, "/v1/devices")]
        assert reads.read(program, f"/v1/devices/{made}")["name"] == "More"
        reads.change(page, "DELETE", f"/web/devices/{made}")
        assert made not in [device["id"] for device in reads.read(program, "/v1/devices")]
        program.request("GET", f"/v1/devices/{made}", key=reads.key).problem(404)
