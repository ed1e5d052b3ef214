"""What an owner sets of an installation: shown, changed, with its entity tag."""

import pytest
from app_forms import ALL, published, renders
from test_installations import together
from world import TIMESTAMP, UNKNOWN_ID, request_bytes

WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
DEFAULTS = {"name": None, "isEnabled": True, "displaySeconds": None, "hours": None, "weekdays": WEEK,
            "isPinned": False, "note": "", "colorFilter": "inherit",
            "playsWhole": False, "pinsItself": False, "recurrenceRule": "", "recurrenceStart": "", "expiresAt": None}


class Entry:
    def __init__(self, device, entry_id):
        self.device, self.account, self.id = device, device.account, entry_id
        self.path = f"{device.path}/installations/{entry_id}"

    def ask(self, **options):
        return self.account.get(self.path, **options)

    def get(self):
        return self.ask().ok()

    def patch(self, body, tag=None, **options):
        fields = [("If-Match", tag)] if tag else []
        return self.account.request("PATCH", self.path, body=body, fields=fields, **options)

    def tag(self):
        return self.ask()["ETag"]


@pytest.fixture
def pushed(device):
    assert device.push(installationId="weather").ok() == {}
    return Entry(device, "weather")


@pytest.fixture
def installed(world, account, device):
    """An app's installation, put there without settings."""
    app = published(account, ALL)
    (entry_id,), = world.sql(
        "WITH d AS (UPDATE device SET generation = generation + 1 WHERE id = %s RETURNING generation) "
        "INSERT INTO installation (device_id, id, app_id, position) "
        "SELECT %s, gen_random_uuid()::text, %s, generation FROM d RETURNING id",
        device.id, device.id, app.id)
    entry = Entry(device, entry_id)
    entry.app = app
    return entry


# ---- its ID ----


def in_capitals(entry):
    return Entry(entry.device, entry.id.upper())


@renders
def test_an_id_is_found_in_either_case(installed):
    other = in_capitals(installed)
    assert other.get() == installed.get()
    assert other.tag() == installed.tag()
    assert other.patch({"name": "Kitchen"}).ok()["id"] == installed.id
    assert installed.get()["name"] == "Kitchen"
    assert installed.device.delete(other.id).ok() == {}
    assert installed.ask().problem(404)


def test_an_id_that_is_written_as_chosen_comes_first(device):
    """IDs of pushed images are chosen by programs, and may differ by case alone."""
    chosen = "0198F6A5-3C41-7D02-B6F1-0A9E8D7C6B5A"
    for name in (chosen, chosen.lower(), "Weather"):
        assert device.push(installationId=name).ok() == {}
    for name in (chosen, chosen.lower(), "Weather"):
        assert Entry(device, name).get()["id"] == name
    assert Entry(device, "WEATHER").ask().problem(404)
    assert Entry(device, chosen.replace("A", "B")).ask().problem(404)
    assert device.delete(chosen).ok() == {}
    assert Entry(device, chosen).get()["id"] == chosen.lower()


# ---- what is shown ----


def test_a_pushed_image(pushed):
    shown = pushed.get()
    assert TIMESTAMP.fullmatch(shown.pop("createdAt"))
    assert shown == {"id": "weather", "app": None, **DEFAULTS, "settings": None, "secrets": []}


@renders
def test_an_app(device, installed):
    shown = installed.get()
    listed = next(entry for entry in device.installations() if entry["id"] == installed.id)
    assert shown == {**listed, **DEFAULTS, "settings": {}, "secrets": []}


def test_in_the_rotation(device, pushed):
    """The rotation shows the options of all entries, and the size of their pictures."""
    changes = {"displaySeconds": 7, "hours": {"start": "07:00", "end": "09:00"}, "isPinned": True}
    pushed.patch(changes).ok()
    rotation = device.account.get(device.path + "/rotation").ok()
    entry, = rotation["entries"]
    assert {name: entry[name] for name in changes} == changes
    assert (entry["installationId"], entry["kind"], entry["appId"]) == ("weather", "push", None)
    assert entry["pictureBytes"] == len(device.poll().body)
    assert rotation["temporary"] is None and rotation["night"]["installationId"] is None


# ---- options ----


@pytest.mark.parametrize("change", [
    {"isEnabled": False}, {"displaySeconds": 5}, {"displaySeconds": 86400}, {"displaySeconds": 30.0},
    {"name": "x"}, {"name": "\U0001f4a1" * 64}, {"name": " a "}, {"isPinned": True},
    {"hours": {"start": "07:00", "end": "09:00"}}, {"hours": {"start": "23:59", "end": "00:00"}},
    {"weekdays": ["sunday"]}, {"weekdays": WEEK},
    {"name": "Evening", "hours": {"start": "18:00", "end": "23:00"}, "weekdays": ["friday"]}])
def test_changes(pushed, change):
    before = pushed.get()
    answer = pushed.patch(change)
    assert answer.ok() == {**before, **change} == pushed.get()
    assert answer["ETag"] == pushed.tag()


def test_reset(pushed):
    before = pushed.get()
    pushed.patch({"displaySeconds": 7, "name": "x", "hours": {"start": "01:00", "end": "02:00"}}).ok()
    pushed.patch({"displaySeconds": None, "name": None, "hours": None}).ok()
    assert pushed.get() == before


@pytest.mark.parametrize("name, values", [
    ("isEnabled", [None, 1, "true", {}]), ("isPinned", [None, 0, "false"]),
    ("displaySeconds", [4, 86401, 5.5, "5", True, 10**30, -5, {}]),
    ("name", ["", " ", "x" * 65, "\U0001f4a1" * 65, "a\nb", "\u0000", 1, {}]),
    ("hours", [{}, {"start": "07:00"}, {"start": "07:00", "end": "24:00"}, "07:00-09:00", [],
               {"start": "7:00", "end": "09:00"}, {"start": "07:00", "end": "09:00", "x": 1}]),
    ("weekdays", [None, [], ["monday", "monday"], ["Monday"], ["mon"], [1], "monday", WEEK + ["monday"]]),
    ("settings", [None, [], "x", 1]), ("unknown", [1]), ("id", ["x"]), ("app", [None])])
def test_wrong_values(pushed, name, values):
    before = pushed.get()
    for value in values:
        assert set(pushed.patch({"isEnabled": False, name: value} if name != "isEnabled"
                                else {name: value}).faults()) == {f"/{name}"}, value
    assert pushed.get() == before


def test_settings_of_a_pushed_image_that_are_wrong(pushed):
    """One fault for each member."""
    for settings in ({"a": "x" * 65536}, {str(number): "" for number in range(201)}):
        assert list(pushed.patch({"settings": settings}).faults()) == ["/settings"]


def test_nothing_to_change(pushed):
    assert set(pushed.patch({}).faults()) == {""}
    assert set(pushed.patch({"isEnabled": 1, "displaySeconds": 1}).faults()) == {
        "/isEnabled", "/displaySeconds"}


def test_one_is_pinned(device):
    one, two = (Entry(device, name) for name in ("one", "two"))
    for entry in (one, two):
        assert device.push(installationId=entry.id).ok() == {}
        entry.patch({"isPinned": True}).ok()
    assert [entry.get()["isPinned"] for entry in (one, two)] == [False, True]
    two.patch({"isPinned": False}).ok()
    assert not two.get()["isPinned"]


def test_panel_follows(world, device, pushed):
    (before,), = world.sql("SELECT generation FROM device WHERE id = %s", device.id)
    pushed.patch({"isEnabled": False}).ok()
    assert world.sql("SELECT generation FROM device WHERE id = %s", device.id) == [(before + 1,)]


def test_who_may(world, account, pushed):
    other = world.account()
    for method, body in (("GET", None), ("PATCH", {"isEnabled": False})):
        other.request(method, pushed.path, body=body).problem(403)
        for path in (pushed.path + "x", pushed.path.replace(pushed.device.id, UNKNOWN_ID)):
            account.request(method, path, body=body).problem(404)
    # A missing installation is reported before faults of the body.
    account.request("PATCH", pushed.path + "x", body={"isEnabled": 1}).problem(404)
    pushed.patch({"isEnabled": 1}, tag='"1-0"').problem(412)
    assert pushed.get()["isEnabled"] is True


# ---- tags ----


def test_tag(pushed):
    first = pushed.tag()
    assert pushed.ask(fields=[("If-None-Match", first)]).status == 304
    pushed.patch({"isEnabled": False}, tag=first).ok()
    second = pushed.tag()
    assert second != first and pushed.ask(fields=[("If-None-Match", first)]).status == 200
    pushed.patch({"isEnabled": True}, tag=first).problem(412)
    pushed.patch({"isEnabled": True}, tag=f'"x", {second}').ok()
    assert pushed.tag() == first  # as it was
    for condition in (("If-None-Match", first), ("If-None-Match", "*")):
        answer = pushed.account.request("PATCH", pushed.path, body={"name": "x"}, fields=[condition])
        answer.problem(412)
    pushed.patch({"name": "x"}, tag="W/" + first).problem(412)
    pushed.patch({"name": "x"}, tag="*").ok()
    pushed.patch({"name": "y"}, tag="x").problem(400)


def test_removal_of_what_was_seen(account, pushed):
    old = pushed.tag()
    pushed.patch({"isEnabled": False}).ok()
    for condition in (("If-Match", old), ("If-None-Match", "*")):
        account.request("DELETE", pushed.path, fields=[condition]).problem(412)
    account.request("DELETE", pushed.path, fields=[("If-Match", pushed.tag())]).ok()
    account.request("DELETE", pushed.path, fields=[("If-Match", old)]).problem(404)


def test_another_change_of_the_device_is_none_of_the_entry(device, pushed):
    tag = pushed.tag()
    assert device.push(installationId="other").ok() == {}
    assert device.push(installationId="weather").ok() == {}
    pushed.patch({"isEnabled": False}, tag=tag).ok()


def test_race(world, device, pushed):
    """Of many who have seen one state exactly one changes it."""
    tag = pushed.tag()
    answers = together(world, [
        request_bytes("PATCH", pushed.path, key=pushed.account.key, body={"displaySeconds": 10 + n},
                      fields=[("If-Match", tag)]) for n in range(12)])
    assert sorted(answer.status for answer in answers) == [200] + 11 * [412]
    good, = (10 + n for n, answer in enumerate(answers) if answer.status == 200)
    assert pushed.get()["displaySeconds"] == good


# ---- settings ----


def test_settings_of_a_pushed_image(pushed):
    assert set(pushed.patch({"settings": {}}).faults()) == {"/settings"}


@renders
def test_settings(installed):
    installed.patch({"settings": {"text": "a", "color": "#FFAA00", "on": "true"}}).ok()
    shown = installed.patch({"settings": {"kind": "b", "on": None}, "name": "x"}).ok()
    assert shown == installed.get()
    assert shown["settings"] == {"text": "a", "color": "#ffaa00", "kind": "b"}
    assert (shown["name"], shown["secrets"]) == ("x", [])
    assert installed.patch({"settings": {}}).ok() == shown


@renders
def test_secrets_are_never_given_back(world, installed):
    tags = [installed.tag()]
    for value in ("secret-one", "secret-two", None):
        answer = installed.patch({"settings": {"key": value}}, tag=tags[-1])
        shown = answer.ok()
        assert shown["secrets"] == (["key"] if value else [])
        for body in (answer.body, installed.ask().body, installed.patch({"isEnabled": True}).body):
            assert b"secret-" not in body
        tags.append(installed.tag())
    assert len(set(tags)) == 3 and tags[0] == tags[-1]
    installed.patch({"settings": {"key": "secret-three"}}).ok()
    installed.patch({"settings": {"text": "other"}}).ok()  # it stays
    assert installed.get()["secrets"] == ["key"]
    (stored,), = world.sql("SELECT settings FROM installation WHERE id = %s", installed.id)
    assert "secret-" not in stored


@renders
def test_wrong_settings(installed):
    before = installed.get()
    faults = installed.patch({"isEnabled": False, "settings": {
        "color": "red", "on": "maybe", "kind": "c", "text": "fine"}}).faults()
    assert set(faults) == {"/settings/color", "/settings/on", "/settings/kind"}
    assert set(installed.patch({"settings": {"auth": "x"}}).faults()) == {"/settings/auth"}
    assert set(installed.patch({"settings": {"text": 1, "": "x"}}).faults()) == {
        "/settings/text", "/settings/"}
    assert installed.get() == before


@renders
def test_how_many_and_how_long(installed):
    most = {f"n{n}": "x" for n in range(200)}
    assert installed.patch({"settings": most}).ok()["settings"] == {}  # the form has none of them
    assert set(installed.patch({"settings": {**most, "one": "x"}}).faults()) == {"/settings"}
    longest = "x" * (64 * 1024 - len("text"))
    assert installed.patch({"settings": {"text": longest}}).ok()["settings"] == {"text": longest}
    assert set(installed.patch({"settings": {"text": longest + "x"}}).faults()) == {"/settings"}
    # With what stays.
    assert set(installed.patch({"settings": {"kind": "a"}}).faults()) == {"/settings"}


@renders
def test_without_a_form(account, installed):
    """What is not of the form can still be changed."""
    installed.app.published("2.0", script="x (")
    answer = installed.patch({"settings": {"text": "x"}})
    assert "form" in answer.problem(409)["detail"]
    assert installed.patch({"isEnabled": False}).ok()["isEnabled"] is False
