"""Requests of further programs for /v0, exactly as they make them: node-tidbyt 1.0.0 (an npm package), and
senders like target-tidbyt (a sink of pictures). test/pixlet has pixlet itself, test_v0_assistant.py has
Home Assistant."""

import json
import urllib.error
import urllib.request

import pytest
from older import entries, entry, v0
from world import images

PICTURE, OTHER = images.webp(images.gradient(1)), images.webp(images.gradient(2))


class Program:
    """Sends the given requests with no further fields."""

    def __init__(self, device):
        self.device, self.account = device, device.account

    def send(self, method, path, body=None, fields=None):
        fields = {"Authorization": f"Bearer {self.account.key}"} | (fields or {})
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.account.world.server.url + path, data, fields, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()


class Node(Program):
    """node-tidbyt: parses each answer as JSON, and sends background as {} by default."""

    def ask(self, path="", method="GET", body=None):
        fields = {} if method == "GET" else {"Content-Type": "application/json"}
        return json.loads(self.send(method, v0(self.device, path), body, fields)[2])

    def push(self, image, installation_id=None, background=None):
        body = {"image": images.text(image)}
        if installation_id:
            body["installationID"] = installation_id
        body["background"] = {} if background is None else background
        return self.ask("/push", "POST", body)


@pytest.fixture
def node(account):
    return Node(account.device(brightness=50))


def test_node_tidbyt_devices(node):
    found = node.ask()
    assert (found["id"], found["displayName"], found["brightness"], found["autoDim"]) == (
        node.device.id, "Desk", 50, False)
    changed = node.ask("", "PATCH", {"displayName": "Wall", "brightness": 40, "autoDim": True})
    assert (changed["displayName"], changed["brightness"], changed["autoDim"]) == ("Wall", 40, True)
    assert node.ask("", "PATCH", {})["displayName"] == "Wall"


def test_node_tidbyt_pushes(node):
    assert node.push(PICTURE) == {}
    node.device.shows(PICTURE)
    assert node.ask("/installations")["installations"] == []
    for image in (PICTURE, OTHER):
        assert node.push(image, "NyanCat") == {}
        node.device.shows(image)
    assert node.push(PICTURE, "Other", True) == {}
    assert [(one["id"], one["appID"]) for one in node.ask("/installations")["installations"]] == [
        ("NyanCat", "pushed"), ("Other", "pushed")]
    status, headers, body = node.send("GET", v0(node.device, "/installations/NyanCat/preview"))
    assert (status, headers["Content-Type"], body) == (200, "image/webp", OTHER)
    assert node.ask("/installations/NyanCat", "DELETE") == {}
    assert entries(node.device) == [entry("Other")]


def test_node_tidbyt_errors(node):
    """It reads the message of an error from the JSON body."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        node.ask("/installations/none", "DELETE")
    assert refused.value.code == 404 and isinstance(json.load(refused.value), dict)


@pytest.mark.parametrize("members", [
    {"installationID": "Sink", "background": False}, {"installationID": None, "background": False},
    {"installationID": "", "background": True}, {"installationID": "Sink"}, {}])
@pytest.mark.parametrize("fields", [{"Content-Type": "application/json"}, {"Content-Type": "application/x-www-form-urlencoded"}])
def test_senders(account, members, fields):
    """Senders accept any status below 300 as success, and send null as ID by default."""
    program = Program(account.device())
    body = {"deviceID": program.device.id, "image": images.text(PICTURE)} | members
    status, _, _ = program.send("POST", v0(program.device, "/push"), body, fields)
    assert status == 200
    program.device.shows(PICTURE)
    assert program.device.ids() == ([members["installationID"]] if members.get("installationID") else [])


def test_a_bare_key(account):
    program = Program(account.device())
    status, _, _ = program.send("POST", v0(program.device, "/push"), {"image": images.text(PICTURE)},
                                {"Authorization": account.key})
    assert status == 200
