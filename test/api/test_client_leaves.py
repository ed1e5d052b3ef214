"""Clients that leave at every moment: requests of others work, and nothing remains."""

import signal
import socket

import pytest
from world import descriptors_without_database, images, request_bytes, wait_until

SLOW = images.text(images.animation("GIF", [images.noise(n).quantize(200) for n in range(12)], 50))


@pytest.fixture(scope="module")
def visited(world):
    """A world, an account and a device for clients that leave."""
    account = world.account()
    return world, account, account.device()


def requests(account, device):
    """A request of each endpoint."""
    key = account.key
    body = {"image": images.text(images.png()), "installationId": "x"}
    yield "account", request_bytes("GET", "/v1/account/", key=key)
    yield "devices", request_bytes("GET", "/v1/devices", key=key)
    yield "device", request_bytes("GET", device.path, key=key)
    yield "installations", request_bytes("GET", device.path + "/installations", key=key)
    yield "delete", request_bytes("DELETE", device.path + "/installations/x", key=key)
    yield "push", request_bytes("POST", device.path + "/push", key=key, body=body)
    yield "chunked", request_bytes("POST", device.path + "/push", key=key, body=body, chunked=True)
    yield "animation", request_bytes("POST", device.path + "/push", key=key,
                                     body={"image": images.text(images.gif())})
    yield "poll", request_bytes("GET", f"/d/{device.id}/next?key={device.link_key}")
    yield "livez", request_bytes("GET", "/livez")
    yield "readyz", request_bytes("GET", "/readyz")
    yield "unknown", request_bytes("GET", "/nothing", key=key)
    yield "websocket", request_bytes("GET", f"/d/{device.id}/ws?key={device.link_key}", fields=[
        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")])


NAMES = ["account", "devices", "device", "installations", "delete", "push", "chunked", "animation",
         "poll", "livez", "readyz", "unknown", "websocket"]


def moments(data):
    """All prefixes of a head, and some of a body."""
    head = data.index(b"\r\n\r\n") + 4
    yield from range(0, head + 1, 3)
    yield from range(head, len(data), max(1, (len(data) - head) // 40))
    yield len(data)


def settle(world, before):
    """Waits until no worker has more descriptors than before."""
    for pid, count in before.items():
        wait_until(lambda pid=pid, count=count: descriptors_without_database(pid) <= count, "closed connections")


@pytest.mark.parametrize("way", ["close", "reset"])
@pytest.mark.parametrize("name", NAMES)
def test_at_every_moment(visited, name, way):
    world, account, device = visited
    data = dict(requests(account, device))[name]
    before = {pid: descriptors_without_database(pid) for pid in world.workers()}
    for end in moments(data):
        client = world.client()
        client.send(data[:end])
        getattr(client, way)()
    for _ in range(20):  # more often at the interesting moment: the whole request, before its answer
        client = world.client()
        client.send(data)
        getattr(client, way)()
    assert set(world.workers()) == set(before)
    assert device.get().ok()["id"] == device.id
    settle(world, before)


@pytest.mark.parametrize("way", ["close", "reset"])
def test_in_the_middle_of_answers(visited, way):
    """Clients send many requests in one connection, and read a few bytes of the answers."""
    world, account, device = visited
    before = {pid: descriptors_without_database(pid) for pid in world.workers()}
    one = request_bytes("GET", device.path + "/installations", key=account.key)
    for size in (1, 100, 1000, 5000):
        client = world.client()
        client.send(one * 50)
        client.socket.recv(size)
        getattr(client, way)()
    settle(world, before)


def test_halves_of_connections(visited):
    """A client that only ends its sending side waits for its answer."""
    world, account, device = visited
    for name, data in requests(account, device):
        if name == "websocket":
            continue
        with world.client() as client:
            client.send(data)
            client.socket.shutdown(socket.SHUT_WR)
            assert client.answer().status in (200, 404)


def test_nothing_more_is_stored_for_a_client_that_left(start):
    """A push ends if its client has left, unless it is already being stored."""
    world = start(workers=1)
    account = world.account()
    device, other = account.device(), account.device()
    clients = [world.client() for _ in range(12)]
    for number, client in enumerate(clients):
        client.send(request_bytes("POST", device.path + "/push", key=account.key,
                                  body={"image": SLOW, "installationId": str(number)}))
    assert other.push().ok() == {}
    for client in clients:
        client.reset()
    # Animations are converted one after another, so those before this one are done.
    assert other.push(SLOW).ok() == {}
    assert len(device.ids()) < len(clients)


def test_stop_while_images_of_clients_that_left_are_converted(start):
    """The worker ends cleanly: stop() checks for leaks."""
    world = start(workers=1)
    account = world.account()
    device, other = account.device(), account.device()
    data = request_bytes("POST", device.path + "/push", key=account.key, body={"image": SLOW})
    clients = [world.client() for _ in range(12)]
    for client in clients:
        client.send(data)
    # Stills are converted in turn: once this one is done, animations are under way.
    assert other.push().ok() == {}
    for client in clients:
        client.reset()
    world.stop()


def test_stop_while_images_are_converted(start):
    """A stop answers the requests that are being handled."""
    world = start()
    account = world.account()
    device = account.device()
    clients = [world.client() for _ in range(4)]
    data = request_bytes("POST", device.path + "/push", key=account.key, body={"image": SLOW},
                         fields=[("Expect", "100-continue")])
    head = data.index(b"\r\n\r\n") + 4
    for client in clients:
        client.send(data[:head])
        assert client.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    world.server.process.send_signal(signal.SIGTERM)
    for client in clients:
        client.send(data[head:])
    for client in clients:
        answer = client.answer()
        assert answer.ok() == {} and answer["Connection"] == "close"
    assert world.server.process.wait() == 0
    world.stop()
