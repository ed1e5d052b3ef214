"""Requests of TronbytAssistant 1.0.0, a Home Assistant integration for /v0, exactly as it makes them. Each
of its entities and services is used once; afterwards the panel and the state of the integration are
checked. The integration reads a device's state from answers, and merges the answer of each change into
it."""

import json
import urllib.error
import urllib.request

import pytest
from app_forms import published, renders
from older import v0
from world import images


class Assistant:
    """The coordinator of the integration: its requests, and the state that it keeps."""

    def __init__(self, device):
        self.device, self.account = device, device.account
        self.headers = {"Authorization": f"Bearer {self.account.key}", "Accept": "application/json"}
        self.refresh()

    def request(self, method, path, body=None):
        """Sends the fields of aiohttp. The integration treats anything but 200 as an error."""
        headers = self.headers | ({} if body is None else {"Content-Type": "application/json"})
        url = self.account.world.server.url + path
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=30) as answer:
            assert answer.status == 200
            return json.load(answer)

    def refresh(self):
        listed = self.request("GET", "/v0/devices")["devices"]
        self.state = next(one for one in listed if one["id"] == self.device.id)
        self.read_installations()

    def read_installations(self):
        self.installations = self.request("GET", v0(self.device, "/installations"))["installations"]

    def patch_device(self, **body):
        self.state = self.request("PATCH", v0(self.device), body)
        self.read_installations()

    def patch_installation(self, installation_id, **body):
        answer = self.request("PATCH", v0(self.device, f"/installations/{installation_id}"), body)
        known = [one["id"] for one in self.installations]
        self.installations[known.index(answer["id"])] = answer

    # ---- entities ----

    def light(self, *path):
        """Brightness as Home Assistant has it, 0 to 255; None: unknown."""
        value = self.state
        for name in path:
            value = (value or {}).get(name)
        return None if value is None else round(value / 100 * 255)

    def options(self):
        """Options of its two selects."""
        return ["none"] + sorted(f"{one['appID']}-{one['id']}" for one in self.installations)

    def chosen(self, value):
        if not (value or "").strip():
            return "none"
        return next(f"{one['appID']}-{one['id']}" for one in self.installations
                    if value in (one["id"], one["appID"]))

    def select(self, name, option):
        self.patch_device(**{name: "" if option == "none" else option.rsplit("-", 1)[-1].strip()})

    def switch(self, installation_id):
        return next(one["enabled"] for one in self.installations if one["id"] == installation_id)

    # ---- services ----

    def push_app(self, content, arguments, content_id=None, publish="foreground"):
        self.request("POST", v0(self.device, "/push_app"), {
            "config": arguments, "app_id": content, "installationID": content_id, "publish": publish})
        self.refresh()

    def text(self, content, content_id=None, texttype="regular", **arguments):
        names = ("font", "color", "title", "titlecolor", "titlefont", "background_color", "emoji")
        self.push_app(f"text-{texttype}", {"content": content} | {name: arguments.get(name) for name in names},
                      content_id)

    def delete(self, content_id):
        assert content_id in [one["id"] for one in self.installations if one["appID"] == "pushed"]
        self.request("DELETE", v0(self.device, f"/installations/{content_id}"), {})
        self.refresh()


@pytest.fixture
def assistant(account):
    device = account.device(name="Kitchen", brightness=50)
    assert device.push(installationId="weather").status == 200
    assert device.push(images.png(images.gradient(3)), installationId="news").status == 200
    return Assistant(device)


def brightness(assistant):
    return int(assistant.device.poll()["Tronbyt-Brightness"])


ALL_DAY = {"nightModeStartTime": "06:00", "nightModeEndTime": "06:00"}


def test_config_flow(assistant):
    """The flow needs 401 for a wrong key, and at least one device with an ID and a name."""
    devices = assistant.request("GET", "/v0/devices")["devices"]
    assert [(one["id"], one["displayName"]) for one in devices] == [(assistant.device.id, "Kitchen")]
    assert assistant.state["info"]["macAddress"] == assistant.device.mac
    assistant.headers["Authorization"] = "Bearer wrong"
    with pytest.raises(urllib.error.HTTPError) as refused:
        assistant.refresh()
    assert refused.value.code == 401


def test_light_of_the_brightness(assistant):
    for value in (0, 1, 100):
        assistant.patch_device(brightness=value)
        assert assistant.light("brightness") == round(value / 100 * 255) and brightness(assistant) == value


def test_light_of_the_night(assistant):
    assistant.patch_device(nightModeEnabled=True, nightModeApp="weather")
    assistant.patch_device(**ALL_DAY)
    for value in (0, 7, 100):
        assistant.patch_device(nightModeBrightness=value)
        assert assistant.light("nightMode", "brightness") == round(value / 100 * 255)
        assert brightness(assistant) == value


def test_light_and_time_of_the_dimming(assistant):
    assert assistant.state["dimMode"]["enabled"] is False
    assistant.patch_device(nightModeEndTime="05:00")
    assistant.patch_device(dimModeStartTime="05:00")
    assert assistant.state["dimMode"]["startTime"] == "05:00"
    for value in (0, 20, 50):
        assistant.patch_device(dimModeBrightness=value)
        assert assistant.light("dimMode", "brightness") == round(value / 100 * 255) and brightness(assistant) == value
    assistant.patch_device(dimModeStartTime="")
    assert assistant.state["dimMode"]["startTime"] is None and brightness(assistant) == 50


def test_switch_of_the_night(assistant):
    assistant.patch_device(**ALL_DAY)
    for is_on in (True, False):
        assistant.patch_device(nightModeEnabled=is_on)
        assert assistant.state["nightMode"]["enabled"] is is_on and brightness(assistant) == (0 if is_on else 50)


def test_times_of_the_night(assistant):
    for name, shown in (("nightModeStartTime", "startTime"), ("nightModeEndTime", "endTime")):
        assistant.patch_device(**{name: "23:45"})
        assert assistant.state["nightMode"][shown] == "23:45"


def test_number_of_the_interval(assistant):
    for value in (15, 3600):
        assistant.patch_device(intervalSec=value)
        assert assistant.state["intervalSec"] == value == assistant.device.get().ok()["scheduleInterval"]


@renders
def test_selects(account, assistant):
    """The pinned entry and the night entry: pushed ones, and an app's."""
    app = published(account)
    installed = account.post(f"/v1/devices/{assistant.device.id}/installations", {"app": app.slug}).json()["id"]
    assistant.refresh()
    of_app = f"{app.slug}-{installed.replace('-', '')}"
    assert assistant.options() == ["none"] + sorted(["pushed-weather", "pushed-news", of_app])
    for name in ("pinnedApp", "nightModeApp"):
        for option in assistant.options():
            assistant.select(name, option)
            value = assistant.state["pinnedApp"] if name == "pinnedApp" else assistant.state["nightMode"]["app"]
            assert assistant.chosen(value) == option
    assistant.select("pinnedApp", "pushed-news")
    assistant.device.shows(images.png(images.gradient(3)))
    assistant.select("pinnedApp", of_app)
    assert [one["id"] for one in assistant.installations if one["pinned"]] == [installed.replace("-", "")]


@renders
def test_switches_of_installations(account, assistant):
    app = published(account)
    account.post(f"/v1/devices/{assistant.device.id}/installations", {"app": app.slug})
    assistant.refresh()
    for one in list(assistant.installations):
        for is_on in (False, True, False):
            assistant.patch_installation(one["id"], enabled=is_on)
            assert assistant.switch(one["id"]) is is_on
    assistant.refresh()
    assert [one["enabled"] for one in assistant.installations] == [False] * 3


@renders
def test_services(account, assistant):
    """The services push, text and delete."""
    app = published(account)
    before = assistant.device.shown()
    assistant.push_app(app.slug, {"text": "Done"})
    assert len(assistant.installations) == 2 and assistant.device.shown() != before
    for texttype in ("regular", "scrolling", "title"):
        assistant.text("Hello", texttype=texttype, title="Title", color="#ff0000", font="6x13", emoji="\U0001f600")
    assistant.text("Bye", "Bye")
    assert assistant.options() == ["none", "pushed-Bye", "pushed-news", "pushed-weather"]
    assistant.delete("Bye")
    assert assistant.options() == ["none", "pushed-news", "pushed-weather"]
