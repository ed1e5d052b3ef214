"""Devices in the pages: reading, adding, changing, and creating keys."""

import gzip
import json

import pytest
from devices import Journal, add, at_once, panel_of, path_of, poll, poll_answer
from events import Events
from lists import next_target
from people import SECRETS, TIMESTAMP, UNKNOWN_ID, Browser, Person, wait_until

import images

NEW = {"name": "Kitchen", "timezone": "Europe/Zagreb"}


def test_a_list_is_compressed(browser):
    """Of many devices the pages load a small part of the bytes."""
    for number in range(12):
        add(browser, name=f"Kitchen {number}")
    plain = browser.get("/web/devices")
    small = browser.request("GET", "/web/devices", fields=[*browser.fields, ("Accept-Encoding", "gzip, br")])
    assert "Content-Encoding" not in plain and small["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.body) == plain.body and len(small.body) * 3 < len(plain.body)


def test_a_device_is_added(person, browser):
    answer = browser.post("/web/devices", {**NEW, "serialNumber": "SN-" + person.id[:8],
                                           "macAddress": "AA-BB-CC-00-" + person.id[0:2] + "-"
                                           + person.id[2:4]})
    assert answer.status == 201, answer
    device, link = answer.json()["device"], answer.json()["link"]
    assert device["name"] == "Kitchen" and device["timezone"] == "Europe/Zagreb"
    assert device["serialNumber"] == "SN-" + person.id[:8]
    assert device["macAddress"] == f"aa:bb:cc:00:{person.id[0:2]}:{person.id[2:4]}"
    assert device["isDisabled"] is False and device["connectedAt"] is None
    assert device["panel"] is None and TIMESTAMP.fullmatch(device["createdAt"])
    for name, start, last in (("webSocketUrl", "ws", "ws"), ("pollingUrl", "http", "next")):
        assert link[name].startswith(start)
        assert link[name].endswith(f"/d/{device['id']}/{last}?key={link['key']}")
        assert len(link[name]) <= 128
    assert len(link["key"]) <= 64
    assert browser.get("/web/devices").ok() == [device]
    assert browser.get(f"/web/devices/{device['id']}").ok() == device
    assert poll(person.world, link) == 200
    # Only the hash of the key is stored, and nothing shows it again.
    stored = person.world.sql("SELECT encode(link_key_hash, 'hex') FROM device WHERE id = %s",
                              device["id"])[0][0]
    assert link["key"] not in json.dumps(browser.get("/web/devices").ok()) and len(stored) == 64


def test_where_only_this_machine_is_listened_on_the_link_says_so(browser):
    link = add(browser)["link"]
    assert link["reach"] == {"isLoopbackOnly": True}
    assert link["pollingUrl"].startswith("http://127.0.0.1:")


def test_panels_get_the_public_url(start):
    world = start("--public-url", "https://panels.example.org/wall")
    browser = Browser(world, fields=[("Sec-Fetch-Site", "same-origin")])
    browser.sign_in(Person(world))
    link = add(browser)["link"]
    assert link["webSocketUrl"].startswith("wss://panels.example.org/wall/d/")
    assert link["pollingUrl"].startswith("https://panels.example.org/wall/d/")
    assert link["reach"] == {"isLoopbackOnly": False}


def test_a_url_that_panels_would_drop_is_not_handed_out(start):
    world = start("--public-url", "https://panels.example.org/" + "long/" * 10 + "path")
    browser = Browser(world).sign_in(Person(world))
    assert "--public-url" in browser.post("/web/devices", NEW).problem(409)["detail"]
    assert browser.get("/web/devices").ok() == []


@pytest.mark.parametrize("change, pointer", [
    ({"name": ""}, "/name"), ({"name": "x" * 26}, "/name"), ({"name": " \t"}, "/name"),
    ({"name": "a\nb"}, "/name"), ({"name": None}, "/name"), ({"name": 3}, "/name"),
    ({"timezone": "Mars/Olympus"}, "/timezone"), ({"timezone": "europe/zagreb"}, "/timezone"),
    ({"timezone": ""}, "/timezone"), ({"timezone": "\0"}, "/timezone"),
    ({"serialNumber": "a b"}, "/serialNumber"), ({"serialNumber": "é"}, "/serialNumber"),
    ({"serialNumber": "08002b010203"}, "/serialNumber"), ({"serialNumber": UNKNOWN_ID}, "/serialNumber"),
    ({"serialNumber": ""}, "/serialNumber"), ({"serialNumber": None}, "/serialNumber"),
    ({"macAddress": "08:00:2b:01:02:0g"}, "/macAddress"), ({"macAddress": "08:00-2b:01:02:03"}, "/macAddress"),
    ({"macAddress": []}, "/macAddress"), ({"key": "mine"}, "/key"), ({"id": UNKNOWN_ID}, "/id"),
])
def test_bad_bodies(browser, change, pointer):
    assert list(browser.post("/web/devices", {**NEW, **change}).faults()) == [pointer]
    assert browser.get("/web/devices").ok() == []


def test_all_that_is_missing_is_named(browser):
    assert set(browser.post("/web/devices", {}).faults()) == {"/name", "/timezone"}


def test_hostile_names_are_text(browser):
    name = "<b>\"'&{{x}}‮é"
    device = add(browser, name=name)["device"]
    assert device["name"] == name
    assert browser.get(path_of(device)).ok()["name"] == name


def test_numbers_that_others_have(browser, world):
    theirs = Person(world).browser()
    serial, mac = "SN" + UNKNOWN_ID[:8], "02:00:00:00:12:34"
    add(theirs, serialNumber=serial, macAddress=mac)
    for mine in ({"serialNumber": serial}, {"macAddress": mac.upper()}):
        made = add(browser, **mine)["device"]
        # Numbers are unique only within an account.
        for own in (browser, theirs):
            own.post("/web/devices", {**NEW, **mine}).problem(409)
        for name in mine.values():
            assert browser.get(f"/web/devices/{name}").ok()["id"] == made["id"]
    assert len(browser.get("/web/devices").ok()) == 2 and len(theirs.get("/web/devices").ok()) == 1
    Person(world).browser().get(f"/web/devices/{serial}").problem(403)


def test_an_account_has_a_thousand_devices_at_most(person, browser):
    """Further devices are inserted into the database directly, as displayctl may."""
    person.world.sql("INSERT INTO device (id, account_id, name, link_key_hash) SELECT "
                     "gen_random_uuid(), %s, 'x', sha256(n::text::bytea) "
                     "FROM generate_series(1, 999) AS n", person.id)
    add(browser)
    browser.post("/web/devices", NEW).problem(409)
    assert len(browser.get("/web/devices").ok()) == 1000
    person.world.sql("DELETE FROM device WHERE account_id = %s AND name = 'x'", person.id)
    add(browser)
    assert person.world.sql("SELECT device_count FROM account WHERE id = %s",
                            person.id) == [(2,)]


def test_parts_of_a_long_list(person, browser):
    ids = [add(browser)["device"]["id"] for _ in range(5)]
    target = "/web/devices?limit=3"
    first = browser.get(target)
    assert [device["id"] for device in first.ok()] == ids[:3]
    rest = browser.get(next_target(target, first))
    assert [device["id"] for device in rest.ok()] == ids[3:]
    browser.get("/web/devices?limit=0").problem(400)


def test_the_account_says_whether_it_has_a_device(browser):
    def is_said():
        said = browser.get("/web/account").ok()["hasDevice"]
        assert browser.get("/web/start").ok()["account"]["hasDevice"] == said
        return said

    assert not is_said()
    device = add(browser)["device"]
    assert is_said()
    browser.delete(path_of(device)).ok()
    assert not is_said()


# ---- settings ----


def test_settings_are_changed_as_by_the_public_api(person, browser):
    device = add(browser)["device"]
    changed = browser.patch(path_of(device), {"name": "Hall", "brightness": 7, "sleepEnabled": True,
                                              "sleepStart": "21:00"})
    assert changed.ok() == {**device, "name": "Hall", "brightness": 7,
                            "sleep": {**device["sleep"], "enabled": True, "start": "21:00"}}
    assert changed["ETag"] == browser.get(path_of(device))["ETag"]
    assert set(browser.patch(path_of(device), {"brightness": 101, "timezone": "x"}).faults()) == {
        "/brightness", "/timezone"}
    for body in ({}, {"isDisabled": True}, {"macAddress": None}, {"panel": None}):
        browser.patch(path_of(device), body).problem(400)
    with person.world.client() as client:
        shown = client.request("GET", f"/v1/devices/{device['id']}", key=person.key()).ok()
    assert shown["name"] == "Hall" and shown["brightness"] == 7


def test_preconditions(browser):
    device = add(browser)["device"]
    tag = browser.get(path_of(device))["ETag"]

    def patch(brightness, tag):
        return browser.patch(path_of(device), {"brightness": brightness},
                             fields=[("Sec-Fetch-Site", "same-origin"), ("If-Match", tag)])

    assert browser.get(path_of(device), fields=[("Sec-Fetch-Site", "same-origin"),
                                                ("If-None-Match", tag)]).status == 304
    assert patch(1, tag).ok()["brightness"] == 1
    patch(2, tag).problem(412)
    assert browser.get(path_of(device)).ok()["brightness"] == 1
    assert patch(3, "*").ok()["brightness"] == 3


def test_panels_follow_settings(world, browser):
    made = add(browser)
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.brightness == 60)
        browser.patch(path_of(made["device"]), {"brightness": 9}).ok()
        panel.wait_for(lambda: panel.brightness == 9)


# ---- keys, and who is let in ----


def test_a_new_key(world, browser):
    """The old key stops at once in all workers, and its connection ends."""
    made = add(browser)
    assert {poll(world, made["link"]) for _ in range(8)} == {200}
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.brightness == 60)
        answer = browser.post(path_of(made["device"]) + "/key")
        assert answer.status == 201
        renewed = answer.json()
        assert {poll(world, made["link"]) for _ in range(8)} == {404}
        panel.wait_for_end()
    assert renewed["link"]["key"] != made["link"]["key"]
    assert renewed["device"]["id"] == made["device"]["id"]
    assert {poll(world, renewed["link"]) for _ in range(8)} == {200}


def test_a_new_key_while_the_panel_is_to_move(world, browser):
    """The order to use another address ends with the old key, which it would have sent."""
    made = add(browser)
    path, device = path_of(made["device"]), made["device"]["id"]
    world.sql("UPDATE device SET alias = %s WHERE id = %s", device[:8], device)
    target = f"/{device[:8]}/next"
    assert world.get(target, fields=[("X-Firmware-Version", "1.6.6")]).status == 200
    wait_until(lambda: world.sql("SELECT 1 FROM panel_info WHERE device_id = %s", device), "the version")
    assert browser.post(path + "/move-address").ok() == {}
    renewed = browser.post(path + "/key").json()
    SECRETS.add(renewed["link"]["key"])
    assert world.sql("SELECT second_key_hash, order_key, order_generation FROM device WHERE id = %s",
                     device) == [(None, None, None)]
    for _ in range(4):
        assert "Tronbyt-Reboot" not in poll_answer(world, renewed["link"])
        assert "Tronbyt-Reboot" not in world.get(target)
    # An order to restart does not depend on keys.
    assert browser.post(path + "/reboot").ok() == {}
    renewed = browser.post(path + "/key").json()
    SECRETS.add(renewed["link"]["key"])
    assert "Tronbyt-Reboot" in poll_answer(world, renewed["link"])


def test_a_new_key_on_two_instances(start, postgres):
    database = postgres.create_database()
    one, other = start(database=database), start(database=database)
    browser = Person(one).browser()
    made = add(browser)
    with panel_of(other, made) as panel:
        panel.wait_for(lambda: panel.brightness == 60)
        browser.post(path_of(made["device"]) + "/key").json()
        panel.wait_for_end()
    wait_until(lambda: poll(other, made["link"]) == 404, "the other instance")


def test_disabled_and_enabled(world, browser):
    made = add(browser)
    path = path_of(made["device"])
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.brightness == 60)
        assert browser.post(path + "/disable").ok()["isDisabled"] is True
        panel.wait_for_end()
    assert {poll(world, made["link"]) for _ in range(8)} == {404}
    assert browser.post(path + "/disable").ok()["isDisabled"] is True
    assert browser.get(path).ok()["isDisabled"] is True
    assert browser.post(path + "/enable").ok()["isDisabled"] is False
    assert {poll(world, made["link"]) for _ in range(8)} == {200}


def test_removed(world, browser):
    made = add(browser)
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.brightness == 60)
        browser.delete(path_of(made["device"])).ok()
        panel.wait_for_end()
    assert {poll(world, made["link"]) for _ in range(8)} == {404}
    browser.get(path_of(made["device"])).problem(404)
    browser.delete(path_of(made["device"])).problem(404)
    assert browser.get("/web/devices").ok() == []


def test_open_pages_learn_of_new_and_removed_devices(world, person, browser):
    """Open pages are notified, whether a page or displayctl makes the change."""
    def assert_told(events):
        topics = set()
        while topics < {"devices", "account"}:
            topics.add(events.next("changed")["topic"])

    with Events(browser) as events:
        made = add(browser)
        assert_told(events)
        browser.delete(path_of(made["device"])).ok()
        assert_told(events)
        created = world.server.ctl("device", "create", "--account", person.email, "--name", "by ctl")
        assert_told(events)
        world.server.ctl("device", "remove", created["id"], "--yes")
        assert_told(events)


def test_who_did_what_is_logged(person, browser):
    journal = Journal(person)
    made = add(browser, name="Kitchen")
    path = path_of(made["device"])
    for act in ("disable", "disable", "enable", "key"):
        browser.post(f"{path}/{act}")
    browser.patch(path, {"name": "Hall"}).ok()
    browser.delete(path).ok()
    browser.delete(path).problem(404)
    assert journal.entries() == [
        ("device.create", "Kitchen"), ("device.disable", "Kitchen"), ("device.enable", "Kitchen"),
        ("device.key", "Kitchen"), ("device.remove", "Hall")]


# ---- whose they are ----


def paths(device):
    path = path_of(device)
    return [("GET", path, None), ("PATCH", path, {"brightness": 1}), ("DELETE", path, None),
            ("POST", path + "/disable", None), ("POST", path + "/enable", None),
            ("POST", path + "/key", None), ("POST", path + "/push", {"image": "AAAA"}),
            ("GET", path + "/rotation", None), ("PUT", path + "/rotation", {"order": []}),
            ("POST", path + "/rotation/x/show", None), ("DELETE", path + "/rotation/x", None),
            ("PATCH", path + "/rotation/x", {"isEnabled": True}),
            ("PATCH", path + "/night", {"brightness": 5})]


def test_devices_of_others(world, browser):
    theirs = add(Person(world).browser())["device"]
    for method, path, body in paths(theirs):
        browser.request(method, path, body=body).problem(403)
    for method, path, body in paths({"id": UNKNOWN_ID}):
        browser.request(method, path, body=body).problem(404)
    assert browser.get("/web/devices").ok() == []


def test_without_a_session(world):
    stranger = Browser(world)
    for method, path, body in [("GET", "/web/devices", None), ("POST", "/web/devices", NEW),
                               *paths({"id": UNKNOWN_ID})]:
        stranger.request(method, path, body=body).problem(401)


def test_requests_of_other_sites(browser):
    device = add(browser)["device"]
    for method, path, body in [("POST", "/web/devices", NEW), *paths(device)]:
        browser.request(method, path, body=body,
                        fields=[("Sec-Fetch-Site", "cross-site")]).problem(403)


def test_an_api_key_opens_nothing_here(person, browser):
    device = add(browser)["device"]
    stranger = Browser(person.world)
    for method, path, body in paths(device):
        stranger.request(method, path, body=body, key=person.key()).problem(401)


def test_devices_are_found_by_all_their_names(browser):
    device = add(browser, serialNumber="by-serial-1", macAddress="02:00:00:00:77:01")["device"]
    for name in (device["id"].upper(), "by-serial-1", "020000007701", "02-00-00-00-77-01"):
        assert browser.get(f"/web/devices/{name}").ok()["id"] == device["id"]


def test_many_at_once_keep_the_limit(person, browser):
    """Ten browsers add the last possible device of an account: one succeeds."""
    person.world.sql("INSERT INTO device (id, account_id, name, link_key_hash) SELECT "
                     "gen_random_uuid(), %s, 'x', sha256(n::text::bytea) "
                     "FROM generate_series(1, 997) AS n", person.id)
    answers = at_once(10, lambda: browser.post("/web/devices", NEW).status)
    assert sorted(answers) == [201] * 3 + [409] * 7
    assert person.world.sql("SELECT count(*) FROM device WHERE account_id = %s",
                            person.id) == [(1000,)]


def test_what_only_pages_set(browser, world, person):
    made = add(browser)
    path = path_of(made["device"])
    shown = browser.get(path).ok()
    assert (shown["pictureLimitBytes"], shown["locale"]) == (460000, "en")
    for locale in ("de", "pt-BR", "zh-Hans-CN"):
        assert browser.patch(path, {"locale": locale}).ok()["locale"] == locale
    for body, pointer in (({"locale": "DE"}, "/locale"), ({"locale": "de_DE"}, "/locale"),
                          ({"locale": "de-"}, "/locale"), ({"locale": ""}, "/locale"),
                          ({"pictureLimitBytes": 100000}, "/pictureLimitBytes"),
                          ({"pictureLimitBytes": 0}, "/pictureLimitBytes")):
        assert list(browser.patch(path, body).faults()) == [pointer], body
    assert (shown["dimEnabled"], shown["dimStart"], shown["dimBrightness"], shown["allowsOwnKey"]) == (
        False, "20:00", 20, False)
    for body in ({"dimEnabled": True}, {"dimStart": "00:00"}, {"dimStart": "23:59"}, {"dimBrightness": 0},
                 {"dimBrightness": 100}, {"allowsOwnKey": True}, {"dimEnabled": False, "allowsOwnKey": False}):
        answer = browser.patch(path, body).ok()
        assert {name: answer[name] for name in body} == body
    for name, values in (("dimEnabled", [1, "true", None]), ("dimStart", ["24:00", "7:00", "", 7]),
                         ("dimBrightness", [-1, 101, 1.5, "5"]), ("allowsOwnKey", [0, "x", None])):
        for value in values:
            assert list(browser.patch(path, {name: value}).faults()) == ["/" + name], value
    assert browser.patch(path, {"pictureLimitBytes": 60000}).ok()["pictureLimitBytes"] == 60000
    for note in ("by the door,\n\tleft", "é" * 1000, ""):
        assert browser.patch(path, {"note": note}).ok()["note"] == note
    for note in ("é" * 1001, "a\rb", "a\x00b", None, 1):
        assert list(browser.patch(path, {"note": note}).faults()) == ["/note"], note
    key = person.key()
    for name, value in (("note", "x"), ("locale", "fr"), ("pictureLimitBytes", 220000), ("dimEnabled", True), ("dimStart", "20:00"),
                        ("dimBrightness", 5), ("allowsOwnKey", True)):
        answer = world.request("PATCH", f"/v1/devices/{made['device']['id']}", key=key,
                               body={name: value})
        assert answer.status == 400 and name not in world.request(
            "GET", f"/v1/devices/{made['device']['id']}", key=key).json()


def test_a_push_that_the_board_does_not_take(browser):
    made = add(browser)
    path = path_of(made["device"])
    frames = [images.noise(number) for number in range(20)]
    image = images.text(images.animation("WEBP", frames, lossless=True))
    browser.patch(path, {"pictureLimitBytes": 60000}).ok()
    answer = browser.post(path + "/push", {"image": image})
    error = answer.faults()
    assert list(error) == ["/image"] and "60000" in error["/image"], error
    browser.patch(path, {"pictureLimitBytes": 460000}).ok()
    browser.post(path + "/push", {"image": image}).ok()


def test_if_none_match_compares_what_the_page_was_shown(world, browser):
    device = add(browser)["device"]

    def ask(value):
        return browser.patch(path_of(device), {"volume": 7},
                             fields=[*browser.fields, ("If-None-Match", value)])

    def tag():
        return browser.get(path_of(device))["ETag"]

    settings = tag().strip('"').partition("-")[0]
    for value in ('"other"', f'"{settings}-other"'):
        assert ask(value).status == 200
        settings = tag().strip('"').partition("-")[0]
    for value in (tag(), "W/" + tag(), "*"):
        ask(value).problem(412)
    old = tag()
    world.sql("UPDATE device SET mac = '02:00:5e:99:00:01' WHERE id = %s", device["id"])
    assert ask(old).status == 200
    ask('"a').problem(400)
