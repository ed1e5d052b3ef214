"""Devices follow another one of their account: its rotation, pins, pushes and sleep are shown on them, too."""

import functools
import time
from concurrent.futures import ThreadPoolExecutor

import images
import pytest
from panel import Panel
from test_installation_details import Entry
from world import PATIENCE_S, UNKNOWN_ID, sha256, wait_until

RED, GREEN, BLUE = (200, 0, 0), (0, 200, 0), (0, 0, 200)


def solid(colour):
    return images.png(images.solid(colour))


def follow(device, leader, **options):
    body = {"leader": leader if isinstance(leader, str) else leader.id}
    key = options.pop("key", device.account.key)
    return device.account.request("PUT", device.path + "/leader", body={**body, **options}, key=key)


def unfollow(device, **options):
    return device.account.request("DELETE", device.path + "/leader", **options)


def standing(device, **options):
    return device.get("/leader", **options).ok()


@functools.cache
def colour_of_picture(webp):
    return tuple(images.frames_of(webp)[0][0][:3])


def colour_of(message):
    return colour_of_picture(message) if isinstance(message, bytes) else None


def waits_for(panel, colour):
    panel.socket.settimeout(PATIENCE_S)
    return panel.wait_for(lambda message: colour_of(message) == colour)


def fill(device, *colours):
    names = {RED: "red", GREEN: "green", BLUE: "blue"}
    for colour in colours:
        assert device.push(solid(colour), installationId=names[colour], background=True).ok() == {}


@pytest.fixture
def leader(account):
    return account.device("Hall")


def test_set_get_and_remove(account, device, leader):
    alone = {"leader": None, "ownBrightness": False, "ownSleep": False, "followers": []}
    assert standing(device) == standing(leader) == alone
    assert follow(device, leader).ok() == {}
    assert standing(device) == {**alone, "leader": leader.id}
    assert standing(leader) == {**alone, "followers": [device.id]}
    for name in (leader.serial, leader.mac, leader.id.upper()):
        assert follow(device, name, ownSleep=True).ok() == {}
        assert standing(device) == {**alone, "leader": leader.id, "ownSleep": True}
    assert unfollow(device).ok() == {}
    assert standing(device) == standing(leader) == alone
    assert unfollow(device).problem(404)["code"] == "leader_not_found"


def test_what_is_refused(world, account, device, leader):
    third, foreign = account.device(), world.account().device()
    assert follow(device, device).problem(409)["code"] == "device_follows"
    for name in (UNKNOWN_ID, "no such name", foreign.serial + "x"):
        assert follow(device, name).problem(404)["code"] == "device_not_found"
    assert follow(device, foreign).problem(403)["code"] == "of_other_account"
    follow(foreign, leader, key=account.key).problem(403)
    assert follow(device, leader).ok() == {}
    for one, other in ((leader, device), (leader, third), (third, device)):
        assert follow(one, other).problem(409)["code"] == "device_follows"
    assert follow(third, leader).ok() == {}
    assert standing(leader)["followers"] == [device.id, third.id]
    path = device.path + "/leader"
    for body, fault in (({}, "/leader"), ({"leader": None}, "/leader"), ({"leader": ""}, "/leader"),
                        ({"leader": "x" * 65}, "/leader"), ({"leader": leader.id, "ownSleep": 1}, "/ownSleep"),
                        ({"leader": leader.id, "other": 1}, "/other")):
        assert set(account.request("PUT", path, body=body).faults()) == {fault}


def chosen_key(world, account, *devices):
    key = account.new_key("devices")
    world.sql("UPDATE api_key SET device_ids = (SELECT array_agg(id ORDER BY id) FROM unnest(%s::uuid[]) AS id) "
              "WHERE secret_hash = %s", [device.id for device in devices], sha256(key))
    return key


def test_a_key_for_chosen_devices(world, account, device, leader):
    third = account.device()
    for keys_device in (device, leader):
        key = chosen_key(world, account, keys_device)
        assert follow(device, leader, key=key).problem(403)["code"] == "key_for_other_devices"
    key = chosen_key(world, account, device, leader)
    assert follow(device, leader, key=key).ok() == {}
    assert follow(third, leader).ok() == {}
    assert standing(leader, key=key)["followers"] == [device.id]
    assert unfollow(device, key=key).ok() == {}
    follow(device, leader, key=account.new_key("push")).problem(403)


def test_circles_at_once(world, account):
    """Of two devices that begin to follow each other, or of a chain, one is refused."""
    with ThreadPoolExecutor(4) as pool:
        for _ in range(15):
            one, other, third = (account.device() for _ in range(3))
            answers = list(pool.map(lambda pair: follow(*pair), ((one, other), (other, one))))
            assert sorted(answer.status for answer in answers) == [200, 409], answers
            chain = list(pool.map(lambda pair: follow(*pair), ((third, one), (third, other))))
            assert 200 in [answer.status for answer in chain]
            a, b, c = (account.device() for _ in range(3))
            answers = list(pool.map(lambda pair: follow(*pair), ((a, b), (b, c))))
            assert sorted(answer.status for answer in answers) == [200, 409], answers
    assert world.sql("SELECT count(*) FROM device AS follower JOIN device AS leader ON leader.id = follower.leader_id "
                     "WHERE leader.leader_id IS NOT NULL") == [(0,)]


def test_the_database_refuses_chains(world, account, device, leader):
    third = account.device()
    assert follow(device, leader).ok() == {}
    for one, other in ((leader, third), (third, device)):
        with pytest.raises(Exception, match="a leader follows"):
            world.sql("UPDATE device SET leader_id = %s WHERE id = %s", other.id, one.id)


def test_a_push_to_the_leader_and_to_the_follower(account, device, leader):
    fill(device, BLUE)
    assert follow(device, leader).ok() == {}
    with Panel(account.world.server, device) as panel:
        assert leader.push(solid(RED)).ok() == {}
        waits_for(panel, RED)
        assert device.push(solid(GREEN)).ok() == {}
        waits_for(panel, GREEN)
        assert device.ids() == ["blue"] and leader.ids() == []
        assert device.push(solid(BLUE), installationId="blue").ok() == {}
        waits_for(panel, BLUE)
        assert unfollow(device).ok() == {}
    assert device.ids() == ["blue"]


def test_a_push_to_the_follower_alone(account, device, leader):
    other = account.device()
    fill(leader, BLUE)
    for one in (device, other):
        assert follow(one, leader).ok() == {}
    with Panel(account.world.server, device) as panel, Panel(account.world.server, other) as beside:
        for one in (panel, beside):
            waits_for(one, BLUE)
        assert device.push(solid(GREEN)).ok() == {}
        waits_for(panel, GREEN)
        assert leader.push(solid(RED)).ok() == {}
        waits_for(panel, RED)
        shown = beside.wait_for_picture()
        assert colour_of(shown) == RED


def test_pin_and_brightness(account, device, leader):
    fill(leader, RED, GREEN)
    assert follow(device, leader).ok() == {}
    with Panel(account.world.server, device) as panel:
        Entry(leader, "green").patch({"isPinned": True}).ok()
        waits_for(panel, GREEN)
        leader.account.request("PATCH", leader.path, body={"brightness": 33}).ok()
        panel.wait_for_brightness(33)
        device.account.request("PATCH", device.path, body={"brightness": 11}).ok()
        assert follow(device, leader, ownBrightness=True).ok() == {}
        panel.wait_for_brightness(11)
        assert follow(device, leader).ok() == {}
        panel.wait_for_brightness(33)
        account.post(leader.path + "/sleep", {}).ok()
        panel.wait_for_brightness(0)
        assert follow(device, leader, ownSleep=True).ok() == {}
        panel.wait_for_brightness(33)


def test_a_leader_that_is_removed(world, account, device, leader):
    alone = standing(device)
    fill(leader, RED)
    fill(device, GREEN)
    assert follow(device, leader, ownBrightness=True, ownSleep=True).ok() == {}
    clients = [Panel(world.server, device) for _ in range(2)]
    try:
        for panel in clients:
            waits_for(panel, RED)
        world.sql("DELETE FROM device WHERE id = %s", leader.id)
        world.sql("SELECT pg_notify('displayd_hint', %s)", f"device:{leader.id}:99")
        for panel in clients:
            waits_for(panel, GREEN)
    finally:
        for panel in clients:
            panel.__exit__()
    assert standing(device) == alone


def test_polls(account, device, leader):
    fill(leader, RED)
    fill(device, BLUE)
    device.shows(solid(BLUE))
    assert follow(device, leader).ok() == {}
    assert device.shown() == images.frames_of(solid(RED))
    leader.account.request("PATCH", leader.path, body={"brightness": 21}).ok()
    assert device.poll()["Tronbyt-Brightness"] == "21"
    assert leader.push(solid(GREEN)).ok() == {}
    assert device.shown() == images.frames_of(solid(GREEN))
    assert device.push(solid(BLUE)).ok() == {}
    assert device.shown() == images.frames_of(solid(BLUE))
    assert unfollow(device).ok() == {}
    device.shows(solid(BLUE))


class Acknowledging(Panel):
    """Says what it has queued, and displays it at once if it is told so, or if nothing is displayed."""
    number = 0
    displayed = None

    def take(self):
        self.socket.settimeout(PATIENCE_S)
        message = self.next()
        if isinstance(message, bytes):
            self.number += 1
            self.queued = message
            self.says({"queued": self.number})
            if self.displayed is None:
                self.show()
        elif message.get("immediate"):
            self.show()
        return message

    def show(self):
        self.displayed = self.queued
        self.says({"displaying": self.number})
        return time.monotonic()

    def until_shown(self, colour):
        while self.displayed is None or colour_of(self.displayed) != colour:
            self.take()
        return time.monotonic()


def test_turns_of_the_leader(world, account, device, leader):
    """A turn that the leader's panel begins is shown by followers within 100 ms, at each worker."""
    fill(leader, RED, GREEN, BLUE)
    followers = [device, *(account.device() for _ in range(3))]
    for one in followers:
        assert follow(one, leader).ok() == {}
    with Acknowledging(world.server, leader) as shown:
        shown.until_shown(RED)
        panels = [Acknowledging(world.server, one) for one in followers]
        try:
            for panel in panels:
                panel.until_shown(RED)
            rounds = []
            for colour in 3 * (GREEN, BLUE, RED):
                while colour_of(shown.queued) != colour:
                    shown.take()
                begun = shown.show()
                rounds.append(max(panel.until_shown(colour) for panel in panels) - begun)
            # A single round may meet a busy machine.
            assert sorted(rounds)[len(rounds) // 2] < 0.1, rounds
        finally:
            for panel in panels:
                panel.__exit__()


def test_followers_without_a_leaders_panel(world, account, device, leader):
    """The time of day gives the turns, so that all are in step."""
    fill(leader, RED, GREEN)
    other = account.device()
    for one in (device, other):
        assert follow(one, leader).ok() == {}
    def colours():
        return [colour_of(one.poll().body) for one in (device, other)]
    wait_until(lambda: len(set(colours())) == 1, "the same picture")


def test_the_picture_that_is_shown(account, device, leader):
    fill(leader, RED)
    assert follow(device, leader).ok() == {}
    with Panel(account.world.server, device) as panel:
        waits_for(panel, RED)
        wait_until(lambda: device.get("/picture.webp").status == 200, "a picture")
        assert images.frames_of(device.get("/picture.webp").body) == images.frames_of(solid(RED))
