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


VISITOR = [("Sec-Fetch-Mode", "no-cors")]  # is shown the next picture, and does not turn the rotation


def next_at(device, world):
    answer = world.request("GET", f"/d/{device.id}/next?key={device.link_key}", fields=VISITOR)
    return images.frames_of(answer.body)


def roaming_device(pair):
    """Returns a device whose polls at one instance are known at the other, and its entries in order, of
    which the first is the next one."""
    one, other = pair
    device = one.account().device()
    pictures = [images.png(images.solid((40 * number, 9, 60))) for number in range(5)]
    for number, picture in enumerate(pictures):
        assert device.push(picture, installationId=str(number), background=True).ok() == {}
    rotation = [images.frames_of(picture) for picture in pictures]
    turns = {str(frames): number for number, frames in enumerate(rotation)}

    def goes_on():
        device.shown(one)
        after = rotation[(turns[str(device.shown(other))] + 1) % 5]
        return next_at(device, one) == after
    wait_until(goes_on, "the polls at the other are known at one")
    first = turns[str(next_at(device, one))]
    return device, rotation[first:] + rotation[:first]


def test_polls_go_on_at_the_other(pair):
    device, rotation = roaming_device(pair)
    for number in range(20):
        world = pair[(number + number // 3) % 2]
        expected = rotation[number % 5]
        wait_until(lambda world=world, expected=expected: next_at(device, world) == expected,
                   "the rotation goes on where the last poll was")
        assert device.shown(world) == expected


def test_a_temporary_picture_is_shown_at_one_instance(pair):
    one, other = pair
    device, rotation = roaming_device(pair)
    picture = images.png(images.solid((1, 200, 1)))
    assert device.push(picture).ok() == {}
    wait_until(lambda: next_at(device, other) == images.frames_of(picture), "the push is next")
    device.shows(picture, other)
    for world in (one, other, one):
        wait_until(lambda world=world: next_at(device, world) in rotation, "the push is over")
        assert device.shown(world) in rotation


def test_words_of_strangers_move_no_panel(pair):
    one, _ = pair
    device, rotation = roaming_device(pair)
    sender = "0190163d-8694-739b-aea5-966c26f8ad91"
    for word in ("polled", "polled:", f"polled:{device.id}", f"polled:{device.id}:{sender}:99:15:x:0:0:0:0:0:0",
                 f"polled:{device.id}:{sender}:99:15:1:0:0:2:0:0:0", f"polled:{device.id}:{sender}:99:15:1:0:0:0:0:0",
                 f"polled:{device.id}:{sender}:{2 ** 32}:15:1:0:0:0:0:0:0",
                 f"polled:{device.id}:{sender}:99:15:1:0:{2 ** 31}:0:0:0:0"):
        one.sql("SELECT pg_notify('displayd_hint', %s)", word)
    for number in range(10):
        assert device.shown(one) == rotation[number % 5]


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
