"""Two instances on one database."""

import pytest
from served_metrics import count_of
from world import World, images, wait_until


@pytest.fixture(scope="module")
def pair(world, postgres):
    with World(world.database, "--rate-limit", "0") as other:
        yield world, other


def test_push_at_one_and_poll_at_the_other(pair):
    one, other = pair
    device = one.account().device()
    for number in range(5):
        picture = images.png(images.gradient(100 + number * 30))
        assert device.push(picture).ok() == {}
        device.shows(picture, other)
    device = one.account().device()
    for number in range(5):
        picture = images.png(images.gradient(number * 30))
        assert device.push(picture, installationId="x", background=True).ok() == {}
        for world in (other, one):
            for client in world.clients():
                device.shows(picture, client)
                client.close()


def test_changes_are_seen_at_once(pair):
    """Reads come from the database, so they need no hint."""
    one, other = pair
    account = one.account()
    device = account.device()
    path = device.path + "/installations"
    for number in range(20):
        writer, reader = (one, other) if number % 2 else (other, one)
        answer = writer.request("POST", device.path + "/push", key=account.key, body={
            "image": images.text(images.png()), "installationId": str(number)})
        assert answer.ok() == {}
        listed = reader.get(path, key=account.key).ok()
        assert [entry["id"] for entry in listed] == [str(n) for n in range(number + 1)]
    for number in range(20):
        assert other.request("DELETE", f"{path}/{number}", key=account.key).ok() == {}
    assert one.get(path, key=account.key).ok() == []


def test_deleted_at_one_is_not_shown_at_the_other(pair):
    one, other = pair
    device = one.account().device()
    picture = images.png(images.solid((3, 4, 5)))
    assert device.push(picture, installationId="x", background=True).ok() == {}
    device.shows(picture, other)
    assert device.delete("x").ok() == {}
    wait_until(lambda: device.shown(other) != images.frames_of(picture), "another picture")


def test_of_a_push_elsewhere_only_that_is_read(world):
    """The panel is known where it polls: nothing else of it is read again. Reconciliation, each 30 s,
    may have been there first once, and reads it all."""
    with World(world.database, "--rate-limit", "0",
               "--admin-listen", "127.0.0.1:0", workers=1) as other:
        device = world.account().device()
        device.shown(other)
        before = count_of(other, "panel_load")
        pushes = [({}, 70), ({"installationId": "x"}, 90), ({"installationId": "x"}, 110),
                  ({}, 130), ({"installationId": "y", "background": True}, 150)]
        for number, (members, color) in enumerate(pushes, 1):
            picture = images.png(images.gradient(color))
            assert device.push(picture, **members).ok() == {}
            wait_until(lambda number=number: count_of(other, "panel_pushes") +
                       count_of(other, "panel_load") - before >= number, "the push is read")
            if "background" not in members:
                device.shows(picture, other)
        assert count_of(other, "panel_pushes") >= len(pushes) - 1
