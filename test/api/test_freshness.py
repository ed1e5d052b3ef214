"""After a change was answered, every later poll shows it, at any worker."""

import itertools

import pytest
from world import images, request_bytes

ROUNDS = 60


@pytest.fixture(scope="module")
def instance(world):
    with world.each_worker() as clients:
        yield clients


def poll(client, device):
    return client.request("GET", f"/d/{device.id}/next?key={device.link_key}")


def rounds(clients, device):
    """(one client, another client): their workers have the panel in memory."""
    for client in clients:
        assert poll(client, device).status == 200
    pairs = itertools.cycle(itertools.permutations(clients, 2))
    return itertools.islice(pairs, ROUNDS)


def test_a_push_is_in_the_next_poll(instance, device):
    old = 0
    for number, (one, other) in enumerate(rounds(instance, device)):
        image = images.png(images.solid((number + 1, 0, 0)))
        answer = one.request("POST", device.path + "/push", key=device.account.key,
                             body={"image": images.text(image), "duration": 45})
        assert answer.status == 200
        old += images.frames_of(poll(other, device).body) != images.frames_of(image)
    assert old == 0, f"{old} of {ROUNDS} polls had an old picture"


def test_a_brightness_is_in_the_next_poll(instance, device):
    old = 0
    for number, (one, other) in enumerate(rounds(instance, device)):
        answer = one.request("PATCH", device.path, key=device.account.key,
                             body={"brightness": 1 + number})
        assert answer.status == 200
        old += poll(other, device)["Tronbyt-Brightness"] != str(1 + number)
    assert old == 0, f"{old} of {ROUNDS} polls had an old brightness"


def test_what_was_deleted_is_not_in_the_next_poll(instance, device):
    """A rotation with one entry, which appears and disappears."""
    old = 0
    image = images.png(images.solid((9, 9, 9)))
    for one, other in rounds(instance, device):
        answer = one.request("POST", device.path + "/push", key=device.account.key,
                             body={"image": images.text(image), "installationId": "a",
                                   "background": True})
        assert answer.status == 200
        old += images.frames_of(poll(other, device).body) != images.frames_of(image)
        assert one.request("DELETE", device.path + "/installations/a",
                           key=device.account.key).status == 200
        old += images.frames_of(poll(other, device).body) == images.frames_of(image)
    assert old == 0, f"{old} of {2 * ROUNDS} polls had an old picture"


def test_polls_while_it_changes(instance, device):
    """A poll during the change may show either state; one after the answer shows the new one."""
    before = poll(instance[0], device)["Tronbyt-Brightness"]
    writer, *readers = instance
    for number in range(1, ROUNDS + 1):
        writer.send(request_bytes("PATCH", device.path, key=device.account.key,
                                  body={"brightness": number}))
        for reader in readers:
            reader.send(request_bytes("GET", f"/d/{device.id}/next?key={device.link_key}"))
        assert writer.answer().status == 200
        for reader in readers:
            assert reader.answer()["Tronbyt-Brightness"] in (before, str(number))
        for client in instance:
            assert poll(client, device)["Tronbyt-Brightness"] == str(number)
        before = str(number)
