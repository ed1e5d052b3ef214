"""Times at which entries are shown: disabled entries, display times, hours and weekdays, the pinned entry
and the night entry."""

import datetime

import pytest
from database_clock import DatabaseClock
from devices import add, panel_of, path_of, poll_answer
from events import Events
from people import UNKNOWN_ID, Person, wait_until
from rendered import app, author, install, place_of, reviewer, store, webp
from test_rotation import (install_app, names, picture, push, rotation, seen, served, show, shows)

import images

__all__ = ["app", "author", "reviewer"]  # fixtures

WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
USUAL = {"isEnabled": True, "displaySeconds": None, "hours": None, "weekdays": WEEKDAYS,
         "isPinned": False, "note": "", "expiresAt": None}


@pytest.fixture
def made(browser):
    """Entries a, b and c with the pictures 0, 1 and 2."""
    made = add(browser)
    for number, name in enumerate("abc"):
        push(browser, made, name, number)
    return made


def change(browser, made, name, /, **members):
    return browser.patch(f"{path_of(made['device'])}/rotation/{name}", members)


def night(browser, made, **members):
    return browser.patch(path_of(made["device"]) + "/night", members)


def options(browser, made, name):
    [entry] = [entry for entry in rotation(browser, made)["entries"]
               if entry["installationId"] == name]
    return {key: entry[key] for key in USUAL}


def clock(minutes):
    """The time of day at this offset from now."""
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return at.strftime("%H:%M")


def now(minutes_before=120, minutes_behind=120):
    return {"start": clock(-minutes_before), "end": clock(minutes_behind)}


def later():
    return {"start": clock(120), "end": clock(240)}


def numbers_served(world, made, count):
    answers = [served(world, made) for _ in range(count)]
    return [next((n for n in range(6) if shows(answer, n)), None) for answer in answers]


def dwell(world, made):
    return int(poll_answer(world, made["link"])["Tronbyt-Dwell-Secs"])


# ---- as they are kept ----


def test_an_entry_is_called_as_its_owner_wants(browser, made):
    """An entry has the owner's name until that is removed; its ID stays, and a push to that ID keeps the name."""
    def name():
        return [entry["name"] for entry in rotation(browser, made)["entries"]]

    assert name() == [None] * 3
    change(browser, made, "b", name="Am Fenster \u2600").ok()
    assert name() == [None, "Am Fenster \u2600", None]
    push(browser, made, "b", 4)
    change(browser, made, "b", isEnabled=False).ok()
    assert name()[1] == "Am Fenster \u2600"
    asked = browser.get(f"/web/entries?devices={made['device']['id']}").ok()
    assert asked == {"entries": [{"deviceId": made["device"]["id"], "installationId": "b",
                                  "name": "Am Fenster \u2600", "isFailing": False}]}
    change(browser, made, "b", name=None).ok()
    assert name() == [None] * 3
    assert browser.get(f"/web/entries?devices={made['device']['id']}").ok() == {"entries": []}


@pytest.mark.parametrize("name", ["", " ", "a" * 65, "a\nb", "\0", 1, []])
def test_a_name_that_nobody_could_read_is_refused(browser, made, name):
    assert set(change(browser, made, "a", name=name).faults()) == {"/name"}


def test_names_are_those_of_own_devices(browser, world, made):
    """The list omits devices of others and removed ones."""
    other = Person(world).browser()
    theirs = add(other)
    push(other, theirs, "z", 1)
    change(other, theirs, "z", name="Secret").ok()
    ids = ",".join([made["device"]["id"], theirs["device"]["id"], UNKNOWN_ID])
    assert browser.get(f"/web/entries?devices={ids}").ok() == {"entries": []}
    assert browser.get("/web/entries").ok() == {"entries": []}
    assert browser.get("/web/entries?devices=a").status == 400
    assert browser.get("/web/entries?devices=" + ",".join(
        f"0198f6a3-1111-7f19-a3c6-{n:012}" for n in range(201))).status == 400


def test_as_usual(browser, made):
    assert options(browser, made, "b") == USUAL
    assert rotation(browser, made)["night"] == {"installationId": None, "brightness": 10}


def test_changes_are_kept(browser, made):
    wanted = {"isEnabled": False, "displaySeconds": 90, "hours": {"start": "22:00", "end": "02:30"},
              "weekdays": ["monday", "friday", "sunday"], "isPinned": True}
    change(browser, made, "b", **wanted).ok()
    assert options(browser, made, "b") == wanted | {"note": "", "expiresAt": None}
    assert options(browser, made, "a") == options(browser, made, "c") == USUAL
    # Change one value at a time; the others stay.
    for name in list(wanted):
        change(browser, made, "b", **{name: USUAL[name]}).ok()
        wanted[name] = USUAL[name]
        assert options(browser, made, "b") == wanted | {"note": "", "expiresAt": None}


# ---- as they stand ----


def standings(browser, made):
    return [entry["standing"] for entry in rotation(browser, made)["entries"]]


def test_how_entries_stand(browser, made):
    assert standings(browser, made) == ["shown"] * 3
    change(browser, made, "a", isEnabled=False).ok()
    change(browser, made, "b", hours=later()).ok()
    assert standings(browser, made) == ["off", "waiting", "shown"]
    change(browser, made, "b", hours=now()).ok()
    change(browser, made, "a", isPinned=True).ok()
    assert standings(browser, made) == ["pinned", "hidden", "hidden"]
    change(browser, made, "a", isPinned=False, isEnabled=True).ok()
    assert standings(browser, made) == ["shown"] * 3


def test_without_a_picture(browser, world, made):
    install_app(world, made)
    assert standings(browser, made)[-1] == "empty"
    name = names(browser, made)[-1]
    change(browser, made, name, isPinned=True).ok()
    assert standings(browser, made) == ["shown"] * 3 + ["pinned_empty"]


# Sunday, 2026-05-03, and what follows, in the zone of the device.
@pytest.mark.parametrize("zone, options, shown, waiting", [
    ("UTC", {}, ["2026-05-07 12:00"], []),
    ("UTC", {"weekdays": WEEKDAYS[:5]}, ["2026-05-08 23:59"], ["2026-05-09 00:00", "2026-05-10 23:59"]),
    ("UTC", {"hours": {"start": "07:00", "end": "09:00"}}, ["2026-05-04 07:00", "2026-05-04 08:59"],
     ["2026-05-04 06:59", "2026-05-04 09:00"]),
    ("UTC", {"hours": {"start": "22:00", "end": "02:00"}, "weekdays": ["sunday"]}, ["2026-05-03 22:00", "2026-05-04 01:59"],
     ["2026-05-03 01:00", "2026-05-04 02:00", "2026-05-04 22:00"]),
    ("UTC", {"hours": {"start": "06:00", "end": "06:00"}, "weekdays": ["monday"]}, ["2026-05-04 06:00", "2026-05-05 05:59"],
     ["2026-05-05 06:00", "2026-05-04 05:59"]),
    ("Europe/Zagreb", {"weekdays": ["monday"]}, ["2026-05-03 22:30"], ["2026-05-03 21:30", "2026-05-04 22:30"]),
    ("America/New_York", {"hours": {"start": "18:00", "end": "19:00"}}, ["2026-05-03 22:30"], ["2026-05-03 18:30"]),
])
def test_hours_and_weekdays_as_they_stand(browser, world, made, zone, options, shown, waiting):
    browser.patch(path_of(made["device"]), {"timezone": zone}).ok()
    change(browser, made, "a", **(options or {"isEnabled": True})).ok()
    with DatabaseClock(world.database) as clock:
        for text in shown + waiting:
            clock.set(text + "+00")
            assert standings(browser, made) == ["shown" if text in shown else "waiting", "shown", "shown"], text


def test_weekdays_in_any_order(browser, made):
    change(browser, made, "a", weekdays=["sunday", "monday"]).ok()
    assert options(browser, made, "a")["weekdays"] == ["monday", "sunday"]


def test_a_push_keeps_them(browser, made):
    change(browser, made, "b", displaySeconds=30, isPinned=True, weekdays=["monday"]).ok()
    before = options(browser, made, "b")
    push(browser, made, "b", 4)
    assert options(browser, made, "b") == before


@pytest.mark.parametrize("name, value", [
    ("isEnabled", None), ("isEnabled", 1), ("isPinned", None), ("isPinned", "true"),
    *(("displaySeconds", value) for value in (0, 4, 86401, -5, 5.5, "5", [], True)),
    *(("hours", value) for value in (
        "07:00", [], {}, {"start": "07:00"}, {"start": "07:00", "end": "24:00"},
        {"start": "7:00", "end": "09:00"}, {"start": "07:00", "end": None}, {"start": 7, "end": 9},
        {"start": "07:00", "end": "09:00", "days": []}, 7, False)),
    *(("weekdays", value) for value in (
        None, [], "monday", ["Monday"], ["mon"], ["monday", "monday"], [0], [None], WEEKDAYS * 2,
        {"monday": True}, [["monday"]]))])
def test_bad_changes(browser, made, name, value):
    assert list(change(browser, made, "a", **{name: value}).faults()) == ["/" + name]
    assert options(browser, made, "a") == USUAL


def test_all_faults_at_once(browser, made):
    faults = change(browser, made, "a", isEnabled="x", displaySeconds=1, hours=1, weekdays=[],
                    more=1).faults()
    assert set(faults) == {"/isEnabled", "/displaySeconds", "/hours", "/weekdays", "/more"}
    assert "5 to 86400" in faults["/displaySeconds"]
    change(browser, made, "a").problem(400)
    night(browser, made).problem(400)


def test_nobody_else(world, browser, made, person):
    change(browser, made, "none", isEnabled=False).problem(404)
    change(browser, made, "none", isPinned=True).problem(404)
    browser.patch(f"/web/devices/{UNKNOWN_ID}/rotation/a", {"isEnabled": False}).problem(404)
    path = path_of(made["device"]) + "/rotation/a"
    same = ("Sec-Fetch-Site", "same-origin")
    browser.request("PATCH", path, body={"isEnabled": False},
                    fields=[same, ("If-Match", '"1"')]).problem(412)
    browser.request("PATCH", path, body={"isEnabled": False}, fields=[same, ("If-Match", "*")]).ok()
    assert options(browser, made, "a")["isEnabled"] is False


def test_the_public_api_is_as_it_was(world, person, browser, made):
    change(browser, made, "b", isPinned=True, displaySeconds=30).ok()
    night(browser, made, installationId="b").ok()
    path = f"/v1/devices/{made['device']['id']}/installations"
    with world.client() as client:
        key = person.key()
        entries = client.request("GET", path, key=key).ok()
        assert [set(entry) for entry in entries] == [{"id", "app", "createdAt"}] * 3
        client.request("DELETE", path + "/b", key=key).ok()
    assert names(browser, made) == ["a", "c"]
    assert rotation(browser, made)["night"]["installationId"] is None
    assert numbers_served(world, made, 2) == [0, 2]


# ---- panels that poll ----


def test_disabled(world, browser, made):
    change(browser, made, "b", isEnabled=False).ok()
    assert numbers_served(world, made, 3) == [0, 2, 0]
    change(browser, made, "b", isEnabled=True).ok()
    assert numbers_served(world, made, 2) == [1, 2]
    for name in "abc":
        change(browser, made, name, isEnabled=False).ok()
    assert numbers_served(world, made, 1) == [None]
    show(browser, made, "b").ok()
    assert numbers_served(world, made, 2) == [1, None]


def test_display_times(world, browser, made):
    change(browser, made, "a", displaySeconds=7).ok()
    change(browser, made, "c", displaySeconds=86400).ok()
    assert [dwell(world, made) for _ in range(3)] == [7, 15, 299]
    change(browser, made, "c", displaySeconds=None).ok()
    assert [dwell(world, made) for _ in range(2)] == [15, 7]


def test_hours(world, browser, made):
    change(browser, made, "a", hours=later()).ok()
    change(browser, made, "b", hours=now()).ok()
    assert numbers_served(world, made, 3) == [1, 2, 1]


def test_hours_are_those_of_the_device(world, browser, made):
    """At each moment the weekday differs somewhere, 12 hours away."""
    change(browser, made, "a", hours=now()).ok()
    browser.patch(path_of(made["device"]), {"timezone": "Etc/GMT-12"}).ok()
    assert numbers_served(world, made, 2) == [1, 2]


def test_weekdays(world, browser, made):
    today = datetime.datetime.now(datetime.timezone.utc).weekday()
    near = [WEEKDAYS[(today + days) % 7] for days in (-1, 0, 1)]
    # Yesterday and tomorrow are included in case midnight passes.
    change(browser, made, "a", weekdays=[day for day in WEEKDAYS if day not in near]).ok()
    change(browser, made, "b", weekdays=near).ok()
    assert numbers_served(world, made, 3) == [1, 2, 1]


def test_pinned(world, browser, made):
    change(browser, made, "b", isPinned=True, isEnabled=False, hours=later()).ok()
    assert numbers_served(world, made, 3) == [1, 1, 1]
    push(browser, made, number=4, duration=5)
    assert numbers_served(world, made, 2) == [4, 1]
    # Pin another entry.
    change(browser, made, "c", isPinned=True).ok()
    assert [options(browser, made, name)["isPinned"] for name in "abc"] == [False, False, True]
    change(browser, made, "b", isPinned=False).ok()
    assert numbers_served(world, made, 2) == [2, 2]
    browser.delete(path_of(made["device"]) + "/rotation/c").ok()
    assert numbers_served(world, made, 2) == [0, 0]


def test_an_entry_pins_itself_while_it_has_a_picture(world, browser, made):
    change(browser, made, "b", pinsItself=True).ok()
    assert numbers_served(world, made, 2) == [1, 1]
    assert standings(browser, made) == ["hidden", "shown", "hidden"]
    change(browser, made, "c", pinsItself=True, hours=now()).ok()
    assert numbers_served(world, made, 3) == [2, 1, 2]
    assert standings(browser, made) == ["hidden", "shown", "shown"]
    change(browser, made, "b", isEnabled=False).ok()
    assert numbers_served(world, made, 2) == [2, 2]
    assert standings(browser, made) == ["hidden", "off", "shown"]
    change(browser, made, "c", hours=later()).ok()
    assert numbers_served(world, made, 2) == [0, 0]
    assert standings(browser, made) == ["shown", "off", "waiting"]
    change(browser, made, "c", hours=None).ok()
    change(browser, made, "a", isPinned=True).ok()
    assert numbers_served(world, made, 2) == [0, 0]
    assert standings(browser, made) == ["pinned", "hidden", "hidden"]


def test_an_app_pins_itself_while_it_has_something_to_show(world, browser, app, made):
    device_id = made["device"]["id"]
    entry = install(browser, device_id, app)
    place = place_of(world, device_id, entry)
    change(browser, made, entry, pinsItself=True).ok()
    assert numbers_served(world, made, 3) == [0, 1, 2]
    assert standings(browser, made) == ["shown", "shown", "shown", "empty"]
    store(world, place, app.version_id, webp(4))
    wait_until(lambda: numbers_served(world, made, 2) == [4, 4], "the app alone")
    assert standings(browser, made) == ["hidden", "hidden", "hidden", "shown"]
    store(world, place, app.version_id, None)
    wait_until(lambda: 4 not in numbers_served(world, made, 3), "the others")
    assert standings(browser, made) == ["shown", "shown", "shown", "empty"]


def test_a_pinned_app_without_a_picture(world, browser, made):
    install_app(world, made)
    change(browser, made, "app-1", isPinned=True).ok()
    assert numbers_served(world, made, 2) == [0, 1]  # the rotation continues
    change(browser, made, "app-1", isPinned=False).ok()
    assert numbers_served(world, made, 2) == [2, 0]


# ---- the night ----


def sleeps(browser, made):
    browser.patch(path_of(made["device"]), {"sleepEnabled": True, "sleepStart": "00:00",
                                            "sleepEnd": "00:00"}).ok()


def test_at_night(world, browser, made):
    sleeps(browser, made)
    assert poll_answer(world, made["link"])["Tronbyt-Brightness"] == "0"
    change(browser, made, "b", isEnabled=False).ok()
    night(browser, made, installationId="b", brightness=3).ok()
    assert rotation(browser, made)["night"] == {"installationId": "b", "brightness": 3}
    answer = poll_answer(world, made["link"])
    assert shows(answer.body, 1) and answer["Tronbyt-Brightness"] == "3"
    push(browser, made, number=4, duration=45)
    assert numbers_served(world, made, 2) == [1, 1]
    night(browser, made, brightness=70).ok()
    assert poll_answer(world, made["link"])["Tronbyt-Brightness"] == "70"
    browser.patch(path_of(made["device"]), {"sleepEnabled": False}).ok()
    assert numbers_served(world, made, 2) == [4, 2]
    sleeps(browser, made)
    night(browser, made, installationId=None).ok()
    assert poll_answer(world, made["link"])["Tronbyt-Brightness"] == "0"
    assert rotation(browser, made)["night"] == {"installationId": None, "brightness": 70}


@pytest.mark.parametrize("name, value", [
    *(("brightness", value) for value in (0, 101, None, "5", 1.5)),
    *(("installationId", value) for value in ("", "none", "x" * 300, 1, [], "a\0"))])
def test_bad_nights(browser, made, name, value):
    night(browser, made, installationId="a", brightness=7).ok()
    assert list(night(browser, made, **{name: value}).faults()) == ["/" + name]
    assert rotation(browser, made)["night"] == {"installationId": "a", "brightness": 7}


# ---- apps ----


def test_a_pinned_app_is_shown_as_soon_as_it_has_a_picture(world, browser, made, app):
    device_id = made["device"]["id"]
    entry = install(browser, device_id, app)
    change(browser, made, entry, isPinned=True, isEnabled=False).ok()
    assert numbers_served(world, made, 2) == [0, 1]
    place = place_of(world, device_id, entry)
    store(world, place, app.version_id, webp(4))
    wait_until(lambda: numbers_served(world, made, 1) == [4], "the pinned app")
    store(world, place, app.version_id, None)
    wait_until(lambda: numbers_served(world, made, 2) != [4, 4], "that it has nothing to show")
    assert set(numbers_served(world, made, 3)) == {0, 1, 2}


def test_an_app_for_the_night(world, browser, made, app):
    device_id = made["device"]["id"]
    entry = install(browser, device_id, app)
    night(browser, made, installationId=entry, brightness=3).ok()
    sleeps(browser, made)
    assert poll_answer(world, made["link"])["Tronbyt-Brightness"] == "0"
    store(world, place_of(world, device_id, entry), app.version_id, webp(4))

    def shown():
        """The picture and the brightness of one answer: the next may come from the other worker, which may
        not know the picture yet."""
        answer = poll_answer(world, made["link"])
        return shows(answer.body, 4), answer["Tronbyt-Brightness"]

    # The first picture may be drawn by the app itself.
    wait_until(lambda: shown() == (True, "3"), "the app")


def test_an_app_is_rendered_for_its_display_time(world, browser, made, app):
    device_id = made["device"]["id"]
    entry = install(browser, device_id, app)
    before = place_of(world, device_id, entry)
    change(browser, made, entry, hours=later(), isEnabled=False).ok()
    assert place_of(world, device_id, entry) == before

    def place(seconds):
        change(browser, made, entry, displaySeconds=seconds).ok()
        return place_of(world, device_id, entry)

    assert place(15) == before  # the interval of the device
    assert len({before, place(5), place(14), place(16), place(60)}) == 5
    assert place(61) == place(86400) == place(60)  # none is longer than a minute
    assert place(None) == before


# ---- panels with a WebSocket, and pages ----


def until(events, **members):
    return events.next("panel", lambda data: members.items() <= data.items())


def test_a_websocket_follows_at_once(world, browser, made):
    with Events(browser, [made["device"]["id"]]) as events, panel_of(world, made) as panel:
        panel.wait_for(lambda: 0 in seen(panel))
        change(browser, made, "c", isPinned=True).ok()
        panel.wait_for(lambda: shows(panel.pictures[-1], 2))
        pinned = until(events, kind="pinned", installationId="c", isAcknowledged=True)
        assert (pinned["next"], pinned["until"]) == (None, None)
        sleeps(browser, made)
        panel.wait_for(lambda: panel.brightness == 0)
        night(browser, made, installationId="b", brightness=4).ok()
        panel.wait_for(lambda: shows(panel.pictures[-1], 1) and panel.brightness == 4)
        shown = until(events, kind="night", isAcknowledged=True)
        assert (shown["installationId"], shown["brightness"]) == ("b", 4)
        browser.patch(path_of(made["device"]), {"sleepEnabled": False}).ok()
        panel.wait_for(lambda: shows(panel.pictures[-1], 2) and panel.brightness == 60)
        change(browser, made, "c", isPinned=False).ok()
        until(events, kind="rotation", isAcknowledged=True)
        topics = {data["topic"] for name, data in events.seen if name == "changed"}
        assert f"rotation:{made['device']['id']}" in topics


def test_a_polling_panel_in_the_pages(world, browser, made):
    with Events(browser, [made["device"]["id"]]) as events:
        change(browser, made, "c", isPinned=True).ok()
        assert shows(served(world, made), 2)
        assert until(events, kind="pinned")["installationId"] == "c"
        for name in "abc":
            change(browser, made, name, isEnabled=False, isPinned=False).ok()
        assert images.frames_of(served(world, made)) != images.frames_of(picture(2))
        assert until(events, kind="nothing")["next"] is None


def test_a_websocket_follows_when_hours_end(world, browser, made):
    """When the hours of the shown entry end, the panel changes within a minute."""
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: 0 in seen(panel))
        for name in "abc":
            change(browser, made, name, displaySeconds=86400).ok()
        change(browser, made, "a", hours={"start": clock(-2), "end": clock(1)}).ok()
        change(browser, made, "b", hours=later()).ok()
        change(browser, made, "c", hours={"start": clock(-2), "end": clock(20)}).ok()
        panel.wait_for(lambda: shows(panel.pictures[-1], 2))
