"""/v0: entries of a rotation, as programs written for the earlier API show and change them."""

import pytest
import scene
from app_forms import ALL, published, renders
from older import UNTYPED, entries, entry, patch, push, shown, v0, without_time
from world import UNKNOWN_ID, images


def test_entries(world, account):
    device = account.device()
    app_id = scene.app(account, f"app-{device.id}")
    assert push(device, installationID="weather").status == 200
    installed = scene.install(world, device, app_id)
    assert entries(device) == [entry("weather"), entry(installed.replace("-", ""), f"app-{device.id}")]


def test_removal(device):
    for name in ("a", "b c"):
        assert push(device, installationID=name).status == 200
    path = v0(device, "/installations/")
    assert device.account.request("DELETE", path + "b%20c").ok() == {}
    assert device.account.request("DELETE", path + "b%20c").problem(404)
    assert device.account.request("DELETE", path + "a", fields=[("If-Match", '"x"')]).problem(412)
    assert device.ids() == ["a"]


@pytest.fixture
def installed(world, device):
    """Both forms of the ID of an app's installation."""
    app_id = scene.app(device.account, f"app-{device.id}")
    own = scene.install(world, device, app_id)
    return own, own.replace("-", "")


def one(device, name, method="GET", body=None, **options):
    options.setdefault("fields", UNTYPED)
    return device.account.request(method, v0(device, f"/installations/{name}"), body=body, **options)


def test_an_entry(device, installed):
    assert push(device, installationID="weather").status == 200
    assert without_time(one(device, "weather").ok()) == entry("weather")
    own, bare = installed
    for name in (own, bare, bare.upper()):
        assert without_time(one(device, name).ok()) == entry(bare, f"app-{device.id}")
    for name in ("none", bare[:-1], bare[:-1] + ("0" if bare[-1] != "0" else "1"), UNKNOWN_ID, UNKNOWN_ID.replace("-", "")):
        for method, body in (("GET", None), ("DELETE", None), ("PATCH", {"enabled": False})):
            assert one(device, name, method, body).problem(404), name


def test_what_get_says_of_an_app_is_taken_back(device, installed):
    for change in ({}, {"startTime": "07:00", "endTime": "09:00", "days": ["monday"], "displayTimeSec": 30, "pinned": True},
                   {"enabled": False}):
        one(device, installed[1], "PATCH", change).ok()
        now = one(device, installed[1]).ok()
        for name in installed:
            assert one(device, name, "PATCH", now).ok() == now == one(device, name).ok()


def test_both_forms_of_an_id(device, installed):
    own, bare = installed
    for name in installed:
        assert one(device, name, "PATCH", {"pinned": True}).ok()["id"] == bare
        assert shown(device)["pinnedApp"] == bare
        assert patch(device, {"pinnedApp": ""}).ok()["pinnedApp"] == ""
        answer = patch(device, {"pinnedApp": name, "nightModeApp": name}).ok()
        assert (answer["pinnedApp"], answer["nightMode"]["app"]) == (bare, bare)
        assert one(device, name).ok()["pinned"] is True
        patch(device, {"pinnedApp": "", "nightModeApp": ""}).ok()
    assert one(device, bare, "DELETE").ok() == {}
    assert device.ids() == []


def test_a_pushed_entry_has_its_own_id(device):
    """The ID stays even if it looks like that of an app without dashes."""
    name = "0190163d8694739baea5966c26f8ad91"
    assert push(device, installationID=name).status == 200
    assert without_time(one(device, name).ok()) == entry(name)
    assert patch(device, {"pinnedApp": name}).ok()["pinnedApp"] == name
    assert one(device, name, "DELETE").ok() == {}


WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


@pytest.mark.parametrize("body, members", [
    ({"enabled": False}, {}), ({"pinned": True}, {}), ({"displayTimeSec": 0}, {}), ({"displayTimeSec": 5}, {}),
    ({"displayTimeSec": 86400}, {}), ({"startTime": "07:00", "endTime": "09:30"}, {}),
    ({"startTime": "07:00"}, {"endTime": "00:00"}), ({"endTime": "09:00"}, {"startTime": "00:00"}),
    ({"startTime": "", "endTime": ""}, {}), ({"days": ["sunday", "monday"]}, {"days": ["monday", "sunday"]}),
    ({"days": WEEK}, {"days": []}), ({"days": []}, {}), ({"autoPin": True}, {}), ({"autoPin": False}, {}), ({}, {})])
def test_changes_of_an_entry(device, body, members):
    assert push(device, installationID="a").status == 200
    expected = entry("a", **(body | members))
    assert without_time(one(device, "a", "PATCH", body).ok()) == expected == without_time(one(device, "a").ok())


def test_hours_one_by_one(device):
    """Hours that a change omits stay as they are."""
    assert push(device, installationID="a").status == 200
    for body, start, end in (({"startTime": "07:00", "endTime": "09:00"}, "07:00", "09:00"),
                             ({"endTime": "10:00"}, "07:00", "10:00"), ({"startTime": "08:00"}, "08:00", "10:00"),
                             ({"startTime": ""}, "00:00", "10:00"), ({"enabled": True}, "00:00", "10:00"),
                             ({"startTime": "", "endTime": ""}, "", "")):
        answer = one(device, "a", "PATCH", body).ok()
        assert (answer["startTime"], answer["endTime"]) == (start, end), body


def test_what_get_says_of_an_entry_is_taken_back(device):
    """Also of what does not exist here, as other programs call it off."""
    assert push(device, installationID="a").status == 200
    now = one(device, "a").ok()
    fixed = {name: now[name] for name in (
        "enabled", "pinned", "renderIntervalMin", "displayTimeSec", "startTime", "endTime", "days", "useCustomRecurrence",
        "recurrenceType", "recurrenceInterval", "recurrencePattern", "recurrenceStartDate", "recurrenceEndDate", "autoPin",
        "colorFilter", "showFullAnimation")}
    assert one(device, "a", "PATCH", fixed).ok() == now
    assert one(device, "a", "PATCH", now).ok() == now
    assert one(device, "a", "PATCH", {"lastRenderAt": 1, "isInactive": True, "id": "a", "appID": "pushed"}).ok() == now
    assert one(device, "a", "PATCH", {"colorFilter": "inherit", "recurrenceInterval": 1, "showFullAnimation": None}).ok() == now
    assert one(device, "a", "PATCH", {"colorFilter": "", "renderIntervalMin": 0}).ok() == now
    assert one(device, "a", "PATCH", {"days": ["Monday", "SUNDAY", "monday"], "startTime": "07:00", "endTime": "08:00"}).ok()["days"] == [
        "monday", "sunday"]


@pytest.mark.parametrize("rule, start, members", [
    ("FREQ=DAILY;INTERVAL=3", "2026-12-01", {"recurrenceType": "daily", "recurrenceInterval": 3, "recurrenceStartDate": "2026-12-01"}),
    ("", "2026-12-01", {"recurrenceInterval": 1, "recurrenceStartDate": "2026-12-01"}),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,SA;WKST=WE;UNTIL=20301224", "",
     {"recurrenceType": "weekly", "recurrenceInterval": 2, "recurrencePattern": {"weekdays": ["saturday", "sunday"]},
      "recurrenceEndDate": "2030-12-24"}),
    ("FREQ=WEEKLY", "2026-12-01", {"recurrenceType": "weekly", "recurrenceInterval": 1, "recurrencePattern": {"weekdays": ["tuesday"]},
                                   "recurrenceStartDate": "2026-12-01"}),
    ("FREQ=MONTHLY;BYMONTHDAY=31", "", {"recurrenceType": "monthly", "recurrenceInterval": 1, "recurrencePattern": {"day_of_month": 31}}),
    ("FREQ=MONTHLY;BYDAY=2TU", "", {"recurrenceType": "monthly", "recurrenceInterval": 1,
                                    "recurrencePattern": {"day_of_week": "second_tuesday"}}),
    ("FREQ=MONTHLY;BYDAY=-1FR", "", {"recurrenceType": "monthly", "recurrenceInterval": 1,
                                     "recurrencePattern": {"day_of_week": "last_friday"}}),
    ("FREQ=MONTHLY", "2026-11-30", {"recurrenceType": "monthly", "recurrenceInterval": 1, "recurrencePattern": {"day_of_month": 30},
                                    "recurrenceStartDate": "2026-11-30"}),
    ("FREQ=MONTHLY;BYMONTHDAY=1,-1", "", {"recurrenceType": "monthly", "recurrenceInterval": 1}),
    ("FREQ=YEARLY", "2026-12-24", {"recurrenceType": "yearly", "recurrenceInterval": 1, "recurrenceStartDate": "2026-12-24"})])
def test_recurrence(device, rule, start, members):
    """It is shown, and what GET returns is taken back."""
    assert push(device, installationID="a").status == 200
    body = {"recurrenceRule": rule, "recurrenceStart": start}
    device.account.request("PATCH", f"/v1/devices/{device.id}/installations/a", body=body).ok()
    now = one(device, "a").ok()
    assert without_time(now) == entry("a", useCustomRecurrence=True, **members)
    assert entries(device) == [without_time(now)]
    assert one(device, "a", "PATCH", now).ok() == now
    assert one(device, "a", "PATCH", {"enabled": False} | members).ok() == now | {"enabled": False}
    stored = device.account.request("GET", f"/v1/devices/{device.id}/installations/a").ok()
    assert (stored["recurrenceRule"], stored["recurrenceStart"]) == (rule, start)
    for wrong in ({"recurrenceType": "hourly"}, {"recurrenceInterval": 7}, {"recurrencePattern": {"day_of_month": 2}},
                  {"recurrencePattern": []}, {"recurrenceStartDate": "2026-01-01"}, {"recurrenceEndDate": "x"},
                  {"useCustomRecurrence": False}):
        assert {pointer.split("/")[1] for pointer in one(device, "a", "PATCH", wrong).faults()} == set(wrong)


def test_filters(device):
    assert push(device, installationID="a").status == 200
    for name in ("sepia", "none", "bw"):
        assert one(device, "a", "PATCH", {"colorFilter": name}).ok()["colorFilter"] == name
        assert one(device, "a", "PATCH", {"enabled": True}).ok()["colorFilter"] == name
        assert one(device, "a").ok()["colorFilter"] == name
    for cleared in ("", "inherit"):
        one(device, "a", "PATCH", {"colorFilter": "ice"}).ok()
        assert one(device, "a", "PATCH", {"colorFilter": cleared}).ok()["colorFilter"] == "inherit"


def test_whole_animations(device):
    assert push(device, installationID="a").status == 200
    for value in ("true", "auto"):
        assert one(device, "a", "PATCH", {"showFullAnimation": value}).ok()["showFullAnimation"] == value
        assert one(device, "a", "PATCH", {"enabled": True}).ok()["showFullAnimation"] == value


@pytest.mark.parametrize("name, values", [
    ("enabled", [1, "false", []]), ("pinned", [0, "x"]), ("displayTimeSec", [1, 4, -1, 86401, "5", 5.5, True]),
    ("startTime", ["24:00", "7:00", 7, []]), ("endTime", ["x", True]),
    ("days", [["someday"], WEEK + ["monday"], "monday", [1]]),
    ("config", [[], "x", {"a": 1}, {"n" * 2000: "x"}, {"a": "x" * 65536}]),
    # Members without a counterpart in displayd.
    ("renderIntervalMin", [5]), ("autoPin", [1, "true"]), ("colorFilter", ["pink", "Warm"]), ("showFullAnimation", ["false", True, "x"]),
    ("colorFilter", [1, True]), ("recurrenceInterval", [2, "1"]), ("recurrenceStartDate", ["2026-01-01"]),
    ("useCustomRecurrence", [True]), ("recurrenceType", ["weekly"]), ("appID", ["x", [], 1]), ("unknown", [1]),
    ("id", ["b", 1]), ("pushed", [False, "true"]), ("lastRenderAt", ["x", True, [1]]), ("isInactive", [1, "x"])])
def test_wrong_changes_of_an_entry(device, name, values):
    assert push(device, installationID="a").status == 200
    before = one(device, "a").ok()
    for value in values:
        other = "pinned" if name == "enabled" else "enabled"
        faults = one(device, "a", "PATCH", {name: value, other: name == "enabled"}).faults()
        assert {pointer[:len(name) + 1] for pointer in faults} == {f"/{name}"}, value
    assert one(device, "a").ok() == before


def test_an_entry_has_no_tag(device):
    assert push(device, installationID="a").status == 200
    tag = one(device, "a")["ETag"]
    assert one(device, "a", fields=[("If-None-Match", tag)]).status == 304
    assert one(device, "a", "PATCH", {"enabled": False}, fields=UNTYPED + [("If-Match", tag)]).problem(412)
    assert one(device, "a", "PATCH", {"enabled": False}, fields=UNTYPED + [("If-Match", "*")]).status == 200
    assert one(device, "b", "PATCH", {"enabled": 1}).problem(404)


@renders
def test_settings_are_replaced(world, account):
    """A change replaces all settings, including secrets, which are never returned."""
    device = account.device()
    app = published(account, ALL)
    made = account.post(device.path + "/installations",
                        {"app": app.slug, "settings": {"text": "one", "key": "secret", "on": "true"}}).json()
    assert "id" in made, made
    bare = made["id"].replace("-", "")

    def settings():
        detail = account.get(f"{device.path}/installations/{made['id']}").ok()
        return detail["settings"], detail["secrets"]

    assert settings() == ({"on": "true", "text": "one"}, ["key"])
    answer = one(device, bare, "PATCH", {"config": {"text": "two", "on": None, "other": "x"}}).ok()
    assert without_time(answer) == entry(bare, app.slug) and "two" not in str(answer)
    assert settings() == ({"text": "two"}, [])
    one(device, bare, "PATCH", {"config": {"key": "again"}}).ok()
    assert settings() == ({}, ["key"])
    # An empty object counts as missing.
    one(device, bare, "PATCH", {"config": {}, "enabled": True}).ok()
    assert settings() == ({}, ["key"])
    assert set(one(device, bare, "PATCH", {"config": {"color": "red", "kind": "c"}}).faults()) == {
        "/config/color", "/config/kind"}


def test_no_settings_of_a_pushed_image(device):
    assert push(device, installationID="a").status == 200
    assert one(device, "a", "PATCH", {"config": {"a": "x"}}).faults() == {
        "/config": "must be left out for a pushed image"}


def test_preview(world, device, installed):
    picture = images.webp(images.gradient(5))
    assert push(device, image=images.text(picture), installationID="a").status == 200
    answer = one(device, "a/preview")
    assert (answer.status, answer["Content-Type"], answer.body) == (200, "image/webp", picture)
    assert one(device, "a/preview", fields=[("If-None-Match", answer["ETag"])]).status == 304
    for name in installed:
        assert "has no picture yet" in one(device, f"{name}/preview").problem(404)["detail"]
    assert one(device, "none/preview").problem(404)


def test_a_panel_of_another_instance_follows(start):
    one = start()
    other = start(database=one.database)
    device = one.account().device()
    first, second = (images.png(images.gradient(number)) for number in (1, 2))
    for name, picture in (("a", first), ("b", second)):
        assert push(device, image=images.text(picture), installationID=name).status == 200
    for name, picture in (("a", first), ("b", second), ("a", first)):
        assert patch(device, {"pinnedApp": name}).status == 200
        device.shows(picture, world=other)
