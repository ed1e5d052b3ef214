"""Updates of all panels of an account, one after the other."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from devices import Journal, add, panel_of
from firmware_images import image
from lock_sessions import Session
from people import Person, wait_until
from rendered import statement
from served_metrics import count_of
from server import CtlError
from test_firmware_images import add as add_image
from test_firmware_updates import url_of

PATH = "/v1/firmware-updates"


class Fleet:
    """Devices of an account, each with the state of its panel."""

    def __init__(self, world, person, administrator):
        self.world, self.person, self.key = world, person, person.key()
        self.browser = person.browser()
        world.sql("DELETE FROM firmware_image")
        add_image(administrator, image(version=b"1.6.6"), "tronbyt_s3")
        self.made = []

    def add(self, name, board="tronbyt_s3", version="1.5.2"):
        made = add(self.browser, name=name)
        made["id"] = made["device"]["id"]
        self.world.sql("UPDATE device SET board = %s WHERE id = %s", board, made["id"])
        if version:
            self.report(made, version)
        self.made.append(made)
        return made

    def report(self, made, version):
        self.world.sql("INSERT INTO panel_info (device_id, firmware_version) VALUES (%s, %s) ON CONFLICT (device_id) "
                       "DO UPDATE SET firmware_version = excluded.firmware_version", made["id"], version)

    def ask(self, method, key=None):
        return self.world.request(method, PATH, key=key or self.key)

    def get(self, key=None):
        return self.ask("GET", key).ok()

    def states(self, key=None):
        return {one["name"]: one["state"] for one in self.get(key)["devices"]}

    def reasons(self):
        return {one["name"]: one["reason"] for one in self.get()["devices"] if one["reason"]}

    def wait_for(self, **states):
        wait_until(lambda: {name: state for name, state in self.states().items() if name in states} == states, states)


@pytest.fixture
def fleet(world, person, administrator):
    return Fleet(world, person, administrator)


def come_back(fleet, made, version="1.6.6"):
    with panel_of(fleet.world, made) as panel:
        panel.wait_for(lambda: panel.pictures)
        panel.panel.say(client_info={"firmware_version": version, "firmware_type": "ESP32", "protocol_version": 1})
        wait_until(lambda: fleet.world.sql("SELECT done_at FROM firmware_update WHERE device_id = %s", made["id"])[0][0], "the report")


def test_one_after_the_other(world, fleet):
    assert fleet.get() == {"state": "none", "problem": None, "startedAt": None, "endedAt": None, "devices": []}
    one, two = fleet.add("one"), fleet.add("two")
    for name, board, version in (("bare", None, "1.5.2"), ("pixo", "pixoticker", "1.5.2"), ("wave", "waveshare_s3", "1.5.2"),
                                 ("new", "tronbyt_s3", "v1.6.6"), ("dumb", "tronbyt_s3", None), ("far", "tronbyt_s3", "1.5.0")):
        fleet.add(name, board, version)
    with panel_of(world, one) as first, panel_of(world, two) as second:
        assert fleet.ask("POST").ok()["state"] == "running"
        assert fleet.ask("POST").problem(409)["code"] == "firmware_series_runs"
        assert url_of(first)
        fleet.wait_for(one="updating", two="waiting")
        come_back(fleet, one)
        assert url_of(second)
        fleet.wait_for(one="done", two="updating")
    come_back(fleet, two)
    wait_until(lambda: fleet.get()["state"] == "done", "the end")
    reasons = fleet.reasons()
    assert fleet.states() == {"one": "done", "two": "done"} | dict.fromkeys(reasons, "left_out")
    for name, words in {"bare": "no board", "pixo": "no room", "wave": "no firmware for the board waveshare_s3",
                        "new": "as new", "dumb": "not reported", "far": "offline"}.items():
        assert words in reasons[name]
    deeds = [action for action, _ in Journal(fleet.person).entries()]
    assert deeds.count("device.firmware") == 2


def test_one_that_does_not_come_back(world, fleet):
    one, two = fleet.add("one"), fleet.add("two")
    with panel_of(world, one) as first, panel_of(world, two):
        fleet.ask("POST").ok()
        url_of(first)
        fleet.wait_for(one="updating", two="waiting")
        world.sql("UPDATE firmware_update SET sent_at = sent_at - interval '5 minutes' WHERE device_id = %s", one["id"])
        wait_until(lambda: fleet.get()["state"] == "stopped", "its end")
        shown = fleet.get()
        assert shown["problem"] == "one did not come back with 1.6.6 within 5 minutes"
        assert fleet.states() == {"one": "failed", "two": "waiting"}
        assert world.sql("SELECT count(*) FROM firmware_update WHERE device_id = %s", two["id"])[0][0] == 0
        # It can be started again.
        assert fleet.ask("POST").ok()["state"] == "running"
        assert url_of(first)
    assert fleet.ask("DELETE").status == 200


def test_cancelled(world, fleet):
    one, two = fleet.add("one"), fleet.add("two")
    assert fleet.ask("DELETE").problem(404)["code"] == "firmware_series_not_found"
    with panel_of(world, one) as first, panel_of(world, two):
        fleet.ask("POST").ok()
        url_of(first)
        fleet.wait_for(one="updating", two="waiting")
        assert fleet.ask("DELETE").status == 200
        assert fleet.get()["state"] == "cancelled"
        come_back(fleet, one)
        assert fleet.states()["two"] == "waiting"
        assert world.sql("SELECT count(*) FROM firmware_update WHERE device_id = %s", two["id"])[0][0] == 0


def test_a_key_for_chosen_devices(world, fleet):
    one, two = fleet.add("one"), fleet.add("two")
    limited = fleet.browser.post("/web/keys", {"name": "two", "deviceIds": [two["id"]]}).json()["key"]
    with panel_of(world, one), panel_of(world, two) as second:
        fleet.ask("POST", limited).ok()
        assert url_of(second)
        assert fleet.states() == {"two": "updating"}
        come_back(fleet, two)
        wait_until(lambda: fleet.get()["state"] == "done", "the end")
        # It sees nothing of the others', and ends none of theirs.
        fleet.ask("POST").ok()
        fleet.wait_for(one="updating")
        assert fleet.states(limited) == {"two": "left_out"}
        assert fleet.ask("DELETE", limited).status == 404
        assert fleet.ask("POST", limited).status == 409
    assert fleet.ask("DELETE").status == 200


def test_another_instance_goes_on(postgres, start):
    """The instance that began is killed: the other one takes the next steps, without any change."""
    database = postgres.create_database()
    world = start("--rate-limit", "0", database=database)
    fleet = Fleet(world, Person(world), Person(world, is_administrator=True).browser())
    one, two = fleet.add("one"), fleet.add("two")
    with panel_of(world, one) as first:
        fleet.ask("POST").ok()
        url_of(first)
        fleet.wait_for(one="updating", two="waiting")
        other = start("--rate-limit", "0", database=database)
        world.server.kill()
    fleet.world = other
    with panel_of(other, two) as second:
        assert fleet.states() == {"one": "updating", "two": "waiting"}
        come_back(fleet, one)
        assert url_of(second)
        fleet.wait_for(one="done", two="updating")
    come_back(fleet, two)
    wait_until(lambda: fleet.get()["state"] == "done", "the end")


def test_a_restart(postgres, start):
    world = start("--rate-limit", "0")
    fleet = Fleet(world, Person(world), Person(world, is_administrator=True).browser())
    one, two = fleet.add("one"), fleet.add("two")
    with panel_of(world, one) as first, panel_of(world, two):
        fleet.ask("POST").ok()
        url_of(first)
        fleet.wait_for(one="updating", two="waiting")
    world.server.restart()
    assert fleet.states() == {"one": "updating", "two": "waiting"}
    with panel_of(world, two) as second:
        come_back(fleet, one)
        assert url_of(second)
        fleet.wait_for(one="done", two="updating")
    come_back(fleet, two)
    wait_until(lambda: fleet.get()["state"] == "done", "the end")


def test_by_the_operator(world, fleet):
    fleet.add("Alone", version=None)
    ctl, of_account = world.server.ctl, ("--account", fleet.person.email)
    assert [one["state"] for one in ctl("firmware", "update-all", *of_account)["devices"]] == ["left_out"]
    wait_until(lambda: ctl("firmware", "updates", *of_account)["state"] == "done", "the end")
    with pytest.raises(CtlError, match="no update of all panels is running"):
        ctl("firmware", "stop-updates", *of_account)


def test_a_device_that_is_removed_as_it_starts(world, fleet):
    one, two = fleet.add("one"), fleet.add("two")
    with Session(world) as holder, ThreadPoolExecutor(1) as pool:
        holder.run("BEGIN")
        holder.run("DELETE FROM device WHERE id = %s", (one["id"],))
        asked = pool.submit(fleet.ask, "POST")
        wait_until(lambda: asked.done() or world.sql(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"), "a lock, or the answer")
        holder.run("COMMIT")
        assert [device["deviceId"] for device in asked.result().ok()["devices"]] == [two["id"]]
    wait_until(lambda: fleet.get()["state"] == "done", "the end")


def test_many_that_are_left_out(start):
    """They are left out together, not one by one, up to the next one that gets its firmware, and in their order."""
    world = start("--rate-limit", "0", "--admin-listen", "127.0.0.1:0")
    fleet = Fleet(world, Person(world), Person(world, is_administrator=True).browser())
    first = fleet.add("first")
    world.sql("""INSERT INTO device (id, account_id, name, link_key_hash, board, created_at)
        SELECT gen_random_uuid(), account_id, 'far ' || number, sha256(number::text::bytea), board,
            present_time() + number * interval '1 ms'
        FROM device, generate_series(1, 300) AS number WHERE id = %s""", first["id"])
    world.sql("INSERT INTO panel_info (device_id, firmware_version) SELECT id, '1.5.2' FROM device WHERE name LIKE 'far %%'")
    last = fleet.add("last")
    world.sql("UPDATE device SET created_at = present_time() + interval '1 hour' WHERE id = %s", last["id"])
    with panel_of(world, first), panel_of(world, last):
        fleet.ask("POST").ok()
        fleet.wait_for(first="updating", last="waiting")
        assert set(fleet.states().values()) == {"updating", "waiting"}
        come_back(fleet, first)
        fleet.wait_for(first="done", last="updating")
    states = list(fleet.states().items())
    assert (states[0], states[-1]) == (("first", "done"), ("last", "updating"))
    assert {state for _, state in states[1:-1]} == {"left_out"} and len(states) == 302
    # One for the first, three for 300, and one for the last; both workers may have sent each.
    assert 5 <= count_of(world, "firmware_series_step") <= 10
    come_back(fleet, last)
    wait_until(lambda: fleet.get()["state"] == "done", "the end")


def test_two_workers_at_the_same_device(postgres, start):
    """Both have seen that it has its turn: one orders its panel, or leaves it out, and the other does nothing."""
    world = start("--rate-limit", "0")
    fleet = Fleet(world, Person(world), Person(world, is_administrator=True).browser())
    ids = [fleet.add("one")["id"], fleet.add("two")["id"]]
    world.server.stop()
    series, account, image_id = str(uuid.uuid4()), fleet.person.id, world.sql("SELECT id FROM firmware_image")[0][0]
    world.sql("INSERT INTO firmware_series (account_id, series_id, state) VALUES (%s, %s, 'running')", account, series)
    for position, device_id in enumerate(ids, 1):
        world.sql("INSERT INTO firmware_series_device (series_id, account_id, device_id, position, state, version) "
                  "VALUES (%s, %s, %s, %s, 'waiting', '1.6.6')", series, account, device_id, position)
    generation = "SELECT generation, order_generation FROM device WHERE id = %s"
    for device_id, reason in zip(ids, (None, "the panel is offline")):
        before = world.sql(generation, device_id)[0]
        step = {"series_id": series, "image_id": image_id} | ({
            "device_id": str(uuid.UUID(int=0)), "left_ids": [device_id], "reasons": [reason]} if reason else {
            "device_id": device_id, "left_ids": [], "reasons": []})
        with Session(world) as first, Session(world) as second:
            first.run("BEGIN")
            assert len(first.run(statement("firmware_series_step"), step)) == 1
            late = second.begin("firmware_series_step", **step)
            first.run("COMMIT")
            assert late.result() == []
        after = world.sql(generation, device_id)[0]
        assert after == (before if reason else (before[0] + 1, before[0] + 1))
        world.sql("UPDATE firmware_series_device SET state = 'done' WHERE device_id = %s AND state = 'updating'", device_id)
    assert world.sql("SELECT count(*) FROM firmware_update") == [(1,)]
    assert [action for (action,) in world.sql("SELECT action FROM audit_entry")].count("device.firmware") == 1
