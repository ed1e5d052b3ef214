"""A poll that begins after a page was answered shows what the page changed, whichever worker it
reaches."""

import itertools

import pytest
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
    """A device. Its owner's page reaches one worker, and its panel another one."""

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
        """A picture; its frames."""
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
