"""Notes of owners about their devices and entries."""

import pytest
from test_installation_details import Entry

LONGEST = "é" * 1000


@pytest.fixture(name="pushed")
def pushed_entry(device):
    assert device.push(installationId="weather").ok() == {}
    return Entry(device, "weather")


def v0(device, **members):
    return device.account.request("PATCH", f"/v0/devices/{device.id}", body=members)


def test_of_an_entry(device, pushed):
    assert pushed.get()["note"] == ""
    for note in ("by the door,\n\tleft", LONGEST, ""):
        assert pushed.patch({"note": note}).ok()["note"] == note
        [shown] = device.get("/rotation").ok()["entries"]
        assert shown["note"] == note
    pushed.patch({"note": "x"}).ok()
    tag = pushed.tag()
    assert pushed.patch({"isEnabled": False}).ok()["note"] == "x"
    assert pushed.patch({"note": "y"}, tag).status == 412
    assert device.push(installationId="weather").ok() == {}
    assert pushed.get()["note"] == "x"


def test_a_copy_has_it(account, device, pushed):
    other = account.device()
    pushed.patch({"note": "x"}).ok()
    assert account.post(pushed.path + "/copy", {"device": other.id}).status == 201
    assert Entry(other, "weather").get()["note"] == "x"


@pytest.mark.parametrize("note", [LONGEST + "x", "a\rb", "a\u0000b", "a\u0085b", None, 1, ["x"]])
def test_what_is_none(pushed, note):
    assert set(pushed.patch({"note": note, "isEnabled": False}).faults()) == {"/note"}
    assert pushed.get()["isEnabled"]


def test_of_a_device_in_v0(device):
    shown = v0(device, notes=LONGEST).ok()
    assert shown["notes"] == LONGEST
    assert v0(device, **{**shown, "brightness": 5}).ok()["notes"] == LONGEST
    assert v0(device, notes="").ok()["notes"] == ""
    assert v0(device, notes=LONGEST + "x").status == 400
