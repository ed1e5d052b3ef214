"""POST /v1/devices/ID/reboot: the panel gets the order once, over any connection."""

import json
import uuid

import pytest
from former import NEW_FIRMWARE, OLD_FIRMWARE
from panel import Panel
from waiting import wait_until
from world import images

REBOOT = {"reboot": True}


def reboot(device, **options):
    return device.account.request("POST", device.path + "/reboot", **options)


def is_known(world, device):
    return world.sql("SELECT 1 FROM panel_info WHERE device_id = %s", device.id) != []


def has_order(world, device):
    return world.sql("SELECT order_generation FROM device WHERE id = %s", device.id)[0][0] is not None


def introduce(world, panel, device, firmware):
    panel.says({"client_info": {"firmware_version": firmware["firmware_version"]}})
    wait_until(lambda: is_known(world, device), "what the panel told")


def next_but_pictures(panel):
    return panel.wait_for(lambda message: isinstance(message, dict) and
                          not {"dwell_secs", "brightness", "immediate"} & set(message))


def test_a_panel_of_either_worker(world, device):
    with world.each_worker() as clients, Panel(world.server, device) as panel:
        panel.wait_for_picture()
        introduce(world, panel, device, NEW_FIRMWARE)
        for client in clients:
            assert client.request("POST", device.path + "/reboot", key=device.account.key).ok() == {}
            assert next_but_pictures(panel) == REBOOT
            assert not has_order(world, device)
    # It restarts, and does not get the order again.
    with Panel(world.server, device) as panel:
        panel.wait_for_picture()
        assert device.push(images.png(images.gradient(3))).ok() == {}
        seen = []
        panel.wait_for(lambda message: seen.append(message) or isinstance(message, bytes))
        assert REBOOT not in seen


def test_a_panel_that_polls(world, device):
    assert "Tronbyt-Reboot" not in device.poll()
    assert reboot(device).ok() == {}
    answers = [device.poll() for _ in range(6)]  # at both workers
    assert [answer["Tronbyt-Reboot"] for answer in answers if "Tronbyt-Reboot" in answer] == ["1"]
    assert "Tronbyt-Reboot" in answers[0]
    assert "Tronbyt-Image-URL" not in answers[0]
    assert answers[0].status == 200 and images.frames_of(answers[0].body)


def test_who_only_looks_takes_no_order(world, device):
    device.poll()
    assert reboot(device).ok() == {}
    peek = world.request("HEAD", f"/d/{device.id}/next?key={device.link_key}")
    assert "Tronbyt-Reboot" not in peek
    assert "Tronbyt-Reboot" in device.poll()


def test_an_order_outlives_the_worker(world, device):
    """The order stays in the database until a worker that has the panel takes it."""
    device.poll()
    assert reboot(device).ok() == {}
    for pid in world.workers():
        world.kill_worker(pid)
    wait_until(lambda: len(world.workers()) == 2, "new workers")
    assert "Tronbyt-Reboot" in device.poll()
    assert "Tronbyt-Reboot" not in device.poll()


def test_an_order_lapses(world, device):
    """A panel that comes back a day later does not restart."""
    device.poll()
    assert reboot(device).ok() == {}
    world.sql("UPDATE device SET ordered_at = ordered_at - interval '7 minutes', generation = generation + 1 "
              "WHERE id = %s", device.id)
    world.sql("SELECT pg_notify('displayd_hint', 'device:' || id || ':' || generation) FROM device WHERE id = %s",
              device.id)
    with Panel(world.server, device) as panel:
        panel.wait_for_picture()
    assert has_order(world, device)


def test_old_firmware(world, device):
    with Panel(world.server, device) as panel:
        panel.wait_for_picture()
        introduce(world, panel, device, OLD_FIRMWARE)
        assert "1.4.7" in reboot(device).problem(409)["detail"]
        assert not has_order(world, device)


@pytest.mark.parametrize("version, takes", [
    ("1.4.8", True), ("v1.4.8", True), ("1.5", True), ("1.10.0", True), ("2.0.0-beta", True), ("1.4.8-rc1", True),
    ("development", True), ("1.4.7", False), ("1.4", False), ("v1.3.99", False), ("0.9", False)])
def test_versions_of_firmware(world, device, version, takes):
    device.poll()
    world.sql("INSERT INTO panel_info (device_id, firmware_version) VALUES (%s, %s)", device.id, version)
    assert reboot(device).status == (200 if takes else 409)


def test_a_poll_tells_the_version(world, device):
    target = f"/d/{device.id}/next?key={device.link_key}"
    for version in ("1.4.7", "1.6.1"):
        assert world.get(target, fields=[("X-Firmware-Version", version)]).status == 200
        wait_until(lambda version=version: world.sql("SELECT firmware_version FROM panel_info WHERE device_id = %s",
                                                     device.id) == [(version,)], "the version")
    for wrong in ("", " ", "x" * 65, "a\tb"):
        assert world.get(target, fields=[("X-Firmware-Version", wrong)]).status == 200
    assert reboot(device).ok() == {}


def test_a_panel_that_is_offline(world, device):
    assert "offline" in reboot(device).problem(409)["detail"]
    assert not has_order(world, device)


def test_by_v0(world, device):
    path = f"/v0/devices/{device.id}/reboot"
    device.account.post(path, None).problem(409)
    device.poll()
    assert device.account.post(path, None).ok() == {}
    assert "Tronbyt-Reboot" in device.poll()
    # The key of its own URLs does not authorize that.
    world.sql("UPDATE device SET allows_own_key = true WHERE id = %s", device.id)
    world.request("POST", path, key=device.link_key).problem(403)


def test_reboot_is_for_the_owner(world, device):
    assert reboot(device, key=world.account().key).problem(403)
    assert reboot(device, key="x").problem(401)
    assert reboot(device, key=device.account.new_key(scope="push")).problem(403)
    assert device.account.request("POST", f"/v1/devices/{uuid.uuid4()}/reboot").problem(404)
    assert device.account.get(device.path + "/reboot").problem(405)
    assert json.loads(reboot(device).body)["status"] == 409


def test_panels_of_another_instance(start, postgres):
    """One panel is connected there, and one polls there; each gets the order once."""
    database = postgres.create_database()
    here, there = start(database=database), start(database=database)
    account = here.account()
    connected, polling = account.device(), account.device()
    with Panel(there.server, connected) as panel:
        panel.wait_for_picture()
        polling.poll(there)
        for device in (connected, polling):
            wait_until(lambda device=device: here.sql("SELECT connected_at FROM device WHERE id = %s", device.id)
                       != [(None,)], "the first contact")
            assert reboot(device).ok() == {}
        assert next_but_pictures(panel) == REBOOT
        wait_until(lambda: "Tronbyt-Reboot" in polling.poll(there), "the order")
        assert not has_order(here, connected) and not has_order(here, polling)
        assert "Tronbyt-Reboot" not in polling.poll(here)
