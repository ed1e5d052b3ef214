"""POST /v1/import/tronbyt: imports devices of a tronbyt server with their entries."""

import contextlib
import json
import select

import psycopg2
import pytest
from app_forms import ALL, MAKER, published, renders
from former import account as exported_account
from former import bring, entry, new_id
from former import device as exported
from former import poll
from panel import Panel
from waiting import wait_until
from world import PATIENCE_S, SECRETS, images, request_bytes, sha256

PLACE = {"lat": "45.81", "lng": "15.98", "description": "Zagreb", "locality": "Zagreb", "place_id": "x",
         "timezone": "Europe/Zagreb"}
WHOLE = {"text": "hello you", "key": "hush hush", "color": "#00ff00", "on": "true", "kind": "b",
         "where": json.dumps(PLACE)}


def brought(owner, export, **flags):
    report = bring(owner, export, **flags).ok()
    SECRETS.update(made["key"] for made in report["devices"] if made["key"])
    return report


def waiters(world):
    return world.sql("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'device'::regclass")[0][0]


def notes(report, device=None):
    """(iname, what). The report names an entry by slug and iname; only the iname is used."""
    return [(note["entry"] and note["entry"].rpartition(" ")[2], note["what"]) for note in report["notBrought"]
            if device is None or note["device"] == device]


@pytest.fixture
def clock(account):
    return published(account)


@pytest.fixture
def form(account):
    return published(account, ALL, name="Everything")


def test_a_device_with_its_settings(world, account, clock):
    export = exported(
        "Kitchen", [entry(clock.slug, 7, order=3), entry(clock.slug, 3, order=1, enabled=False, display_time=45,
                    start_time="07:30", end_time="22:15", days=["monday", "sunday"], notes="Morning")],
        brightness=12, default_interval=40, night_mode_enabled=True, night_start="23:15", night_end="6:05",
        night_brightness=3, night_mode_app="7", dim_mode_enabled=True, dim_time="19:45", dim_brightness=8,
        pinned_app="3", locale="de_DE", timezone="Europe/Vienna")
    report = brought(account, export)
    made, = report["devices"]
    assert (made["state"], made["entries"], made["alias"], made["formerId"]) == ("new", 2, None, export["id"])
    assert made["key"] in made["webSocketUrl"] and made["id"] in made["pollingUrl"]
    assert notes(report) == [(None, "render interval")]
    shown = account.get(f"/v1/devices/{made['id']}").ok()
    assert {name: shown[name] for name in ("name", "brightness", "timezone", "scheduleInterval", "sleep")} == {
        "name": "Kitchen", "brightness": 12, "timezone": "Europe/Vienna", "scheduleInterval": 40,
        "sleep": {"enabled": True, "start": "23:15", "end": "06:05"}}
    older = account.get(f"/v0/devices/{made['id']}").ok()
    assert (older["dimMode"]["startTime"], older["dimMode"]["brightness"]) == ("19:45", 8)
    assert older["nightMode"]["brightness"] == 3
    assert world.sql("SELECT locale, place_json FROM device WHERE id = %s", made["id"]) == [
        ("de-DE", json.dumps(PLACE, separators=(",", ":")))]
    assert older["type"] == "other"
    first, second = account.get(f"/v1/devices/{made['id']}/installations").ok()
    assert older["pinnedApp"] == first["id"].replace("-", "") and older["nightMode"]["app"] == second["id"].replace("-", "")
    detail = account.get(f"/v1/devices/{made['id']}/installations/{first['id']}").ok()
    assert {name: detail[name] for name in ("isEnabled", "displaySeconds", "hours", "weekdays", "name", "isPinned")} == {
        "isEnabled": False, "displaySeconds": 45, "hours": {"start": "07:30", "end": "22:15"},
        "weekdays": ["monday", "sunday"], "name": "Morning", "isPinned": True}


@renders
def test_settings_of_an_entry(account, form):
    report = brought(account, exported("Desk", [entry(form.slug, 1, config=WHOLE)]))
    assert notes(report) == [(None, "render interval")]
    device = report["devices"][0]["id"]
    installed, = account.get(f"/v1/devices/{device}/installations").ok()
    detail = account.get(f"/v1/devices/{device}/installations/{installed['id']}").ok()
    assert detail["secrets"] == ["key"]
    assert json.loads(detail["settings"]["where"]) == PLACE
    assert {name: detail["settings"][name] for name in ("text", "color", "on", "kind")} == {
        "text": "hello you", "color": "#00ff00", "on": "true", "kind": "b"}


@renders
def test_settings_that_are_too_large(account, form):
    """The largest are left out, and named; the others come, and so do the other entries."""
    several = [entry(form.slug, 1, config={"key": "k" * 70_000, "text": "hello", "unknown": "x" * 40_000, "color": "#00ff00"}),
               entry(form.slug, 2, config={"text": "t" * 40_000, "key": "k" * 30_000}),
               entry(form.slug, 3, config={"text": "next"})]
    report = brought(account, exported("Desk", several))
    assert sorted((note["entry"].rpartition(" ")[2], note["what"], note["why"]) for note in report["notBrought"] if note["entry"]) == [
        ("1", "setting key", "has 70000 bytes: the settings of an entry have at most 65536 in total"),
        ("1", "setting unknown", "the app has no such setting"),
        ("2", "setting text", "has 40000 bytes: the settings of an entry have at most 65536 in total")]
    device = report["devices"][0]["id"]
    details = [account.get(f"/v1/devices/{device}/installations/{one['id']}").ok()
               for one in account.get(f"/v1/devices/{device}/installations").ok()]
    assert [detail["settings"].get("text") for detail in details] == ["hello", None, "next"]
    assert [detail["secrets"] for detail in details] == [[], ["key"], []]
    assert details[0]["settings"]["color"] == "#00ff00"


@renders
def test_settings_that_do_not_come(account, form):
    wrong = {"color": "green", "kind": "z", "where": "{", "when": "yesterday", "unknown": "x", "on": "maybe", "text": "good"}
    report = brought(account, exported("Desk", [entry(form.slug, 1, config=wrong)]))
    assert sorted(what for name, what in notes(report) if name) == [
        f"setting {name}" for name in ("color", "kind", "on", "unknown", "when", "where")]
    device = report["devices"][0]["id"]
    installed, = account.get(f"/v1/devices/{device}/installations").ok()
    detail = account.get(f"/v1/devices/{device}/installations/{installed['id']}").ok()
    assert detail["settings"]["text"] == "good"


def test_what_has_no_counterpart_is_named(account, clock):
    several = [
        entry(clock.slug, 1, use_custom_recurrence=True, recurrence_type="hourly", color_filter="pink", show_full_animation="true"),
        entry("no-such-app", 2), entry("", 3), entry(clock.slug, 4, pushed=True), entry(clock.slug, 5, days=["someday"]),
        entry(clock.slug, 6, notes="x" * 100, display_time=2, start_time="25:00")]
    report = brought(account, exported(
        "Desk", several, notes="by the window", interstitial_enabled=True, color_filter="Warm", swap_colors=True,
        custom_brightness_scale="1,3,5,12,35,100", pinned_app="2", timezone="Mars/Base", locale="x", default_interval=3,
        brightness=300, location=None))
    found = notes(report)
    assert report["devices"][0]["entries"] == 3
    assert {what for name, what in found if name is None} == {
        "entry between entries", "colour filter", "swapped colours", "brightness scale", "render interval",
        "time zone", "locale", "interval", "brightness"}
    assert {(name, what) for name, what in found if name} == {
        ("1", "recurrence type"), ("1", "colour filter"),
        ("2", "entry"), ("3", "entry"), ("4", "entry"), ("5", "days"), ("6", "display time"),
        ("6", "start of its hours")}
    shown = account.get("/v1/devices").ok()[0]
    assert (shown["brightness"], shown["scheduleInterval"], shown["timezone"]) == (100, 15, "UTC")
    assert account.get(f"/v0/devices/{shown['id']}").ok()["notes"] == "by the window"


def test_notes(account, clock):
    """Short notes of entries are their names; others are notes, at most 1,000 characters long."""
    entries = [entry(clock.slug, 1, notes="Hall"), entry(clock.slug, 2, notes="x" * 65),
               entry(clock.slug, 3, notes="two\nlines"), entry(clock.slug, 4, notes="é" * 1001),
               entry(clock.slug, 5, notes="a\u0007b")]
    report = brought(account, exported("Desk", entries, notes="é" * 1001, location=None))
    assert [one for one in notes(report) if one[1] == "notes"] == [(None, "notes"), ("4", "notes"), ("5", "notes")]
    device = report["devices"][0]["id"]
    found = [account.get(f"/v1/devices/{device}/installations/{one['id']}").ok()
             for one in account.get(f"/v1/devices/{device}/installations").ok()]
    assert [(one["name"], one["note"]) for one in found] == [
        ("Hall", ""), (None, "x" * 65), (None, "two\nlines"), (None, "é" * 1000), (None, "")]
    assert account.get(f"/v0/devices/{device}").ok()["notes"] == "é" * 1000


def test_a_night_without_an_app_dims(account):
    """There, the rotation continues at night, dimmed; here a panel without a night entry is dark."""
    for members, sleep, dim in (
            ({"night_brightness": 4}, False, {"startTime": "22:00", "brightness": 4}),
            ({"night_brightness": 0}, True, None),
            ({"night_brightness": 4, "dim_mode_enabled": True}, False, {"startTime": "20:00", "brightness": 20})):
        report = brought(account, exported("Desk", night_mode_enabled=True, **members))
        device = report["devices"][0]["id"]
        assert account.get(f"/v1/devices/{device}").ok()["sleep"]["enabled"] is sleep
        shown = account.get(f"/v0/devices/{device}").ok()["dimMode"]
        assert {name: shown[name] for name in dim} == dim if dim else not shown["enabled"]
        assert ((None, "brightness at night") in notes(report)) == (dim is not None and dim["brightness"] == 20)


def test_a_dry_run_changes_nothing(account, clock):
    export = exported_account([exported("One", [entry(clock.slug, 1)]), exported("Two")])
    dry = brought(account, export, dryRun=True, keepAddresses=True)
    assert dry["isDryRun"] is True and account.get("/v1/devices").ok() == []
    assert [(made["state"], made["id"], made["key"], made["alias"]) for made in dry["devices"]] == [
        ("new", None, None, device["id"]) for device in export["devices"]]
    real = brought(account, export, dryRun=False, keepAddresses=True)
    assert real["notBrought"] == dry["notBrought"]
    assert [made["entries"] for made in real["devices"]] == [made["entries"] for made in dry["devices"]] == [1, 0]


def test_a_second_time(account, clock):
    """A second import leaves imported objects as they are, and adds new ones."""
    one, two = exported("One", [entry(clock.slug, 1)]), exported("Two", swap_colors=True)
    first = brought(account, one)["devices"][0]
    account.request("PATCH", f"/v1/devices/{first['id']}", body={"name": "Hall"}).ok()
    report = brought(account, exported_account([one, two]))
    assert [(made["name"], made["state"]) for made in report["devices"]] == [("Hall", "there"), ("Two", "new")]
    assert report["devices"][0]["id"] == first["id"] and report["devices"][0]["key"] is None
    assert {note["device"] for note in report["notBrought"]} == {"Two"}  # unchanged objects are not reported
    assert len(account.get("/v1/devices").ok()) == 2
    # Another account may import it, too, but not its address.
    other = account.world.account()
    assert brought(account, exported("Three", id=one["id"]), dryRun=True)["devices"][0]["state"] == "there"
    brought(account, {**one, "id": new_id()}, keepAddresses=True)
    assert brought(other, one)["devices"][0]["state"] == "new"


def test_an_address_that_another_device_has(world):
    one, other = world.account(), world.account()
    export = exported("Desk")
    assert brought(one, export, keepAddresses=True)["devices"][0]["alias"] == export["id"]
    # A dry run reveals nothing about others' devices.
    report = brought(other, export, keepAddresses=True, dryRun=True)
    assert report["devices"][0]["alias"] == export["id"] and (None, "address") not in notes(report)
    report = brought(other, export, keepAddresses=True)
    assert report["devices"][0]["alias"] is None and (None, "address") in notes(report)


def test_addresses_of_others_are_guesses(start):
    """Unused addresses do not count as failed attempts."""
    world = start("--trust-proxy", "127.0.0.1", rate_limit=1000)
    one, other = world.account(), world.account()
    export = exported_account([{"id": f"{number:08x}"} for number in range(100)])
    assert {made["state"] for made in brought(one, export, keepAddresses=True)["devices"]} == {"new"}
    answer = other.post("/v1/import/tronbyt?keepAddresses=true", export, fields=[("X-Forwarded-For", "192.0.2.1")])
    report = answer.ok()
    SECRETS.update(made["key"] for made in report["devices"] if made["key"])
    states = [made["state"] for made in report["devices"]]
    assert states[:60] == ["new"] * 60 and 10 <= states.count("failed") <= 40
    assert len(other.get("/v1/devices").ok()) == 100 - states.count("failed")
    # Without addresses, the remaining devices are imported.
    assert brought(other, export)["devices"][99]["state"] == "new"


def test_claims_of_addresses(world, start):
    """An account claims 1,000 addresses a day on all instances, with or without success."""
    owner, other = world.account(), world.account()
    taken = exported_account([{"id": f"{number:08x}"} for number in range(0xabc00000, 0xabc00064)])
    assert {made["alias"] is None for made in brought(owner, taken, keepAddresses=True)["devices"]} == {False}

    def claim(at=world):
        answer = at.request("POST", "/v1/import/tronbyt?keepAddresses=true", key=other.key, body=taken)
        if answer.status == 200:
            SECRETS.update(made["key"] for made in answer.json()["devices"] if made["key"])
        world.sql("DELETE FROM device WHERE account_id = %s", other.id)
        return answer

    answers = [claim() for _ in range(9)]
    assert all({made["alias"] for made in answer.json()["devices"]} == {None} for answer in answers)
    instance = start(database=world.database)
    assert claim(instance).status == 200
    for at in (world, instance):
        answer = claim(at)
        assert "at most 1000 a day" in answer.problem(429)["detail"] and 86000 < int(answer["Retry-After"]) <= 86400
    # Without addresses nothing is claimed; a day later it begins anew.
    assert brought(other, taken, keepAddresses=True, dryRun=True)["devices"]
    assert {made["state"] for made in brought(other, taken)["devices"]} == {"new"}
    world.sql("DELETE FROM device WHERE account_id = %s", other.id)
    world.sql("UPDATE account SET address_claims_since = address_claims_since - interval '1 day' WHERE id = %s",
              other.id)
    assert claim().status == 200
    assert world.sql("SELECT address_claims FROM account WHERE id = %s", other.id) == [(100,)]


def test_too_many_devices(account):
    account.devices(999)
    report = brought(account, exported_account([exported("One"), exported("Two")]))
    assert [made["state"] for made in report["devices"]] == ["new", "failed"]
    assert notes(report, "Two")[-1] == (None, "device")
    assert len(account.get("/v1/devices").ok()) == 1000


def test_an_account_that_is_full_meanwhile(world, account, clock):
    """No entry of a device that is not stored counts as imported."""
    with contextlib.closing(psycopg2.connect(world.database)) as holder, world.client() as client:
        account.get("/v1/devices").ok()
        holder.cursor().execute("UPDATE account SET device_count = 1000 WHERE id = %s", (account.id,))
        client.send(request_bytes("POST", "/v1/import/tronbyt", body=exported("Desk", [entry(clock.slug, 1)]), key=account.key))
        wait_until(lambda: world.sql("SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"), "the import")
        holder.commit()
        made, = client.answer("POST").ok()["devices"]
    world.sql("UPDATE account SET device_count = 0 WHERE id = %s", account.id)
    assert (made["state"], made["entries"], made["entriesInFile"]) == ("failed", 0, 1)


def test_too_many_entries(account, clock):
    report = brought(account, exported("Desk", [entry(clock.slug, number) for number in range(103)]))
    assert (report["devices"][0]["entries"], report["devices"][0]["entriesInFile"]) == (100, 103)
    assert [note for note in notes(report) if note[0]] == [(str(number), "entry") for number in (100, 101, 102)]


@pytest.mark.parametrize("count, status", [(100, 200), (101, 400)])
def test_number_of_devices(account, count, status):
    export = exported_account([{"id": f"{number:08x}"} for number in range(count)])
    assert bring(account, export, dryRun=True).status == status


def test_apps_of_others(world, account):
    mine, private = published(account), published(world.account())
    world.sql("UPDATE app SET slug = %s WHERE id = %s", "shared-" + mine.slug[-8:], mine.id)
    report = brought(account, exported("Desk", [entry("shared-" + mine.slug[-8:], 1), entry(private.slug, 2)]))
    assert report["devices"][0]["entries"] == 1
    assert [note for note in notes(report) if note[0]] == [("2", "entry")]


WRONG = [
    ([], ""), (b"null", ""), ("x", ""), (7, ""), ({}, ""), ({"name": "x"}, ""),
    ({"devices": None}, "/devices"), ({"devices": []}, "/devices"), ({"devices": 3}, "/devices"),
]


@pytest.mark.parametrize("export, pointer", WRONG)
def test_what_no_export_has(account, export, pointer):
    assert set(bring(account, export).faults()) == {pointer}
    assert account.get("/v1/devices").ok() == []


def test_an_id_that_is_repeated(account):
    one = exported("One")
    report = brought(account, exported_account([one, {**exported("Two"), "id": one["id"].upper()}, exported("Three")]))
    assert [made["state"] for made in report["devices"]] == ["new", "failed", "new"]


def test_entries_with_one_id(account, clock):
    report = brought(account, exported("Desk", [entry(clock.slug, 1), entry(clock.slug, 1)]))
    assert report["devices"][0]["entries"] == 1 and ("1", "entry") in notes(report)


def test_hostile_files(account):
    path = "/v1/import/tronbyt"
    deep = b'{"id":"00000001","x":' + b"[" * 40 + b"]" * 40 + b"}"
    many = b'{"id":"00000001","x":[' + b",".join([b"1"] * 250_000) + b"]}"
    twice = b'{"id":"00000001","id":"00000002"}'
    for body in (deep, many, twice, b"{", b"\xff", b'{"id":"00000001"} x', b""):
        account.post(path, body).problem(400)
    account.post(path, b'{"id":"00000001","x":"' + b"x" * (4 << 20) + b'"}').problem(413)
    account.post(path, {"id": "00000001"}, fields=[("Content-Type", "text/plain")]).problem(415)
    for flag in ("dryRun", "keepAddresses", "openAddresses"):
        for value in ("", "1", "yes", "TRUE"):
            account.post(f"{path}?{flag}={value}", {"id": "00000001"}).problem(400)
    assert account.get("/v1/devices").ok() == []
    # A large valid file.
    large = exported_account([exported("Desk", notes="x" * (3 << 20))])
    assert brought(account, large)["devices"][0]["state"] == "new"


def test_bounds_of_texts(account, clock):
    for name, shown in (("x" * 25, "x" * 25), ("ž" * 26, "ž" * 25), ("", None), ("\n", None), ("   ", None)):
        export = exported(name)
        made = brought(account, export)["devices"][0]
        assert made["name"] == (shown or f"Panel {export['id']}")
    settings = {f"s{number}": "x" for number in range(201)}
    report = brought(account, exported("Desk", [entry(clock.slug, 1, config=settings),
                                                entry(clock.slug, 2, config={"x": "y" * 65536})]))
    assert sorted(note for note in notes(report) if note[0]) == [*(("1", f"setting {name}") for name in sorted(settings)), ("2", "setting x")]


def test_one_at_a_time(start):
    """A worker runs one import of an account, and two in all."""
    world = start(workers=1)
    one, two, three = (world.account() for _ in range(3))
    path = "/v1/import/tronbyt"
    body = exported("Desk")
    for owner in one, two, three:
        assert owner.get("/v1/devices").ok() == []  # the worker caches the key

    def ask(client, owner):
        client.send(request_bytes("POST", path, body=body, key=owner.key))

    with contextlib.ExitStack() as stack:
        holder = stack.enter_context(psycopg2.connect(world.database))
        clients = [stack.enter_context(world.client()) for _ in range(4)]
        holder.cursor().execute("LOCK TABLE device IN ACCESS EXCLUSIVE MODE")
        ask(clients[0], one)
        wait_until(lambda: waiters(world) > 0, "the first")
        ask(clients[1], one)
        assert "another import" in clients[1].answer("POST").problem(503)["detail"]
        ask(clients[2], two)
        ask(clients[3], three)
        refused, _, _ = select.select([client.socket for client in clients[2:]], [], [], PATIENCE_S)
        other, = [client for client in clients[2:] if client.socket in refused]
        assert "another import" in other.answer("POST").problem(503)["detail"]
        holder.rollback()
        for client in clients:
            if client not in (clients[1], other):
                assert client.answer("POST").status in (200, 503)  # the wait for the database may have been too long
    for owner in one, two, three:
        assert brought(owner, exported("Hall"))["devices"][0]["state"] == "new"


@renders
def test_an_app_without_a_form(account):
    """Its form is requested once, and each of its entries has the reason."""
    app = published(account, 'fail("no form today"),', name="Broken")
    report = brought(account, exported("Desk", [entry(app.slug, number, config={"x": "y"}) for number in range(3)]))
    assert report["devices"][0]["entries"] == 3
    found = [note for note in report["notBrought"] if note["what"] == "settings"]
    assert len(found) == 3 and all("no form today" in note["why"] for note in found)


def test_who_may(world, account, device):
    export = exported("Desk")
    assert bring(world.account(), export).status == 200
    for scope in ("push", "devices"):
        assert account.post("/v1/import/tronbyt", export, key=account.new_key(scope=scope)).problem(403)
    chosen = account.new_key()
    world.sql("UPDATE api_key SET device_ids = ARRAY[%s::uuid] WHERE secret_hash = %s", device.id, sha256(chosen))
    assert account.post("/v1/import/tronbyt", export, key=chosen).problem(403)
    assert world.request("POST", "/v1/import/tronbyt", body=export, key="x").problem(401)


@renders
def test_moving_over(world, account, clock, form):
    """Three panels with twenty entries stay connected to their former addresses, and move one by one."""
    slugs = [clock.slug, form.slug]
    devices = [
        exported("Kitchen", [entry(slugs[number % 2], number, config={"text": str(number)} if number % 2 else {})
                             for number in range(10)]),
        exported("Hall", [entry(slugs[0], number) for number in range(6)]),
        exported("Bed", [entry(slugs[1], number, config=WHOLE) for number in range(4)])]
    export = exported_account(devices)
    report = brought(account, export, keepAddresses=True)
    assert [made["entries"] for made in report["devices"]] == [10, 6, 4]
    for made, former in zip(report["devices"], devices):
        path = f"/v1/devices/{made['id']}"
        picture = images.png(images.gradient(int(former["id"][:2], 16)))
        account.post(path + "/push", {"image": images.text(picture), "installationId": "mark"}).ok()
        with Panel(world.server, None, f"/{former['id']}/ws") as panel:
            assert images.frames_of(panel.wait_for_picture(None))
            panel.says({"client_info": {"firmware_version": "1.6.6"}})
            wait_until(lambda made=made: world.sql("SELECT 1 FROM panel_info WHERE device_id = %s", made["id"]), "told")
            account.request("POST", path + "/move-address").ok()
            url = panel.wait_for(lambda message: "image_url" in message if isinstance(message, dict) else False)["image_url"]
            SECRETS.add(url.rpartition("key=")[2])
            panel.wait_for(lambda message: message == {"reboot": True})
        with Panel(world.server, None, "/" + url.split("/", 3)[3]) as panel:
            panel.wait_for_picture()
        wait_until(lambda former=former: poll(world, former["id"]).status == 404, "the end of the former address")


@renders
def test_many_entries_of_one_app(account, form):
    """The form is read once. Each entry has its own settings, which are checked in several turns of the loop."""
    several = [entry(form.slug, number, config={"text": f"t{number}" + 5000 * "x", "key": f"k{number}", "color": "green" if number == 7 else "#fff"})
               for number in range(40)]
    report = brought(account, exported("Desk", several))
    assert [note for note in notes(report) if note[0]] == [("7", "setting color")]
    device = report["devices"][0]["id"]
    for number, installed in enumerate(account.get(f"/v1/devices/{device}/installations").ok()):
        detail = account.get(f"/v1/devices/{device}/installations/{installed['id']}").ok()
        assert detail["settings"]["text"] == f"t{number}" + 5000 * "x" and detail["secrets"] == ["key"]


@renders
def test_apps_that_make_fields(account):
    """Handlers are asked for forty entries; further ones come without settings, and it is said."""
    maker = published(account, ALL + MAKER)
    several = [entry(maker.slug, number, config={"text": "x", "made": "y"}) for number in range(42)]
    report = brought(account, exported("Desk", several))
    assert report["devices"][0]["entries"] == 42
    asked = [note for note in report["notBrought"] if note["entry"] and "too many app scripts" in note["why"]]
    assert [note["entry"] for note in asked] == [f"{maker.slug} 40", f"{maker.slug} 41"]
