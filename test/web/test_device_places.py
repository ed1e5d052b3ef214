"""The place of a device on earth, and settings of its apps that mean it."""

import json
import os

import pytest
from devices import add, panel_of, path_of
from rendered import BLUE, GREEN, HEAD, RED, author, installed, place_of, published, rendered, reviewer, seen

__all__ = ["author", "reviewer"]  # fixtures
HAS_ENGINE = pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no engine is built")
OF_DEVICE = '{"place":"device"}'
ZAGREB = {"lat": "45.81", "lng": "15.98", "description": "Zagreb", "locality": "Zagreb", "place_id": "",
          "timezone": "Europe/Zagreb"}
SUVA = {**ZAGREB, "lat": "-18.14", "lng": "178.44", "description": "Suva \"Fiji\" ü", "locality": "Suva", "timezone": "Pacific/Fiji"}
# Green in the north, blue in the south, red without a place.
SCRIPT = HEAD + '''
load("schema.star", "schema")
load("encoding/json.star", "json")
def main(config):
    place = config.get("where")
    color = "#f00"
    if place:
        color = "#0f0" if float(json.decode(place)["lat"]) > 0 else "#00f"
    return render.Root(child = render.Box(color = color))
def near(place):
    return [schema.Text(id = "in", name = json.decode(place)["locality"] if place else "nowhere", desc = "x", icon = "gear")]
def get_schema():
    return schema.Schema(version = "1", fields = [
        schema.Location(id = "where", name = "Where", desc = "Where", icon = "gear"),
        schema.Text(id = "key", name = "Key", desc = "Key", icon = "key", secret = True)EXTRA])
'''
MADE = ', schema.Generated(id = "more", source = "where", handler = near)'


def text_of(place):
    return json.dumps(place, ensure_ascii=False, separators=(",", ":"))


def put(browser, made, **settings):
    path = f"/web/devices/{made['device']['id']}/rotation/{made['entry']}/settings"
    return browser.request("PUT", path, body={"settings": settings})


def test_a_place_is_set_and_removed_as_a_whole(browser):
    path = path_of(add(browser)["device"])
    assert browser.get(path).ok()["place"] == ""
    for given, stored in ((ZAGREB, ZAGREB), (SUVA, SUVA), ({**ZAGREB, "lat": 45.81, "lng": 15.98}, ZAGREB),
                          ({"lng": "180", "lat": "-90.0", "timezone": "UTC"},
                           {"lat": "-90.0", "lng": "180", "description": "", "locality": "", "place_id": "", "timezone": "UTC"}),
                          ({"lat": 90, "lng": -180.0, "description": "é" * 100, "timezone": "UTC"},
                           {"lat": "90", "lng": "-180", "description": "é" * 100, "locality": "é" * 100, "place_id": "",
                            "timezone": "UTC"})):
        assert browser.patch(path, {"place": json.dumps(given)}).ok()["place"] == text_of(stored)
        assert browser.patch(path, {"brightness": 7}).ok()["place"] == text_of(stored)
    assert browser.get(path).ok()["timezone"] != "Pacific/Fiji"
    assert browser.patch(path, {"place": ""}).ok()["place"] == ""


@pytest.mark.parametrize("place", [
    None, 5, True, {}, ZAGREB, "x", "[]", "{}", "null", "{", OF_DEVICE, " ", '{"lat":"45"}', '{"lat":"45","lng":""}',
    *(json.dumps({**ZAGREB, **members}) for members in (
        {"lat": "90.01"}, {"lat": "-90.0000000000000000000001"}, {"lng": "180.0000000000000000000001"}, {"lng": "-181"}, {"lat": 91},
        {"lat": "1e1"}, {"lat": "0x10"}, {"lat": "nan"}, {"lat": None}, {"lat": [1]}, {"lat": " 1"}, {"lng": "1" * 40},
        {"description": "é" * 101}, {"locality": "x" * 101}, {"place_id": "x" * 101}, {"description": "a\u0000b"},
        {"description": "a\nb"}, {"timezone": "Mars/Base"}, {"timezone": 5}, {"timezone": "europe/zagreb"}, {"more": "x"})),
    '{"lat":90.0000000000000000000001,"lng":1}', '{"lat":1,"lng":-180.0000000000000000000001}', '{"lat":1,"lng":1,"lat":2}',
    '{"lat":1,"lng":1' + " " * 1000 + "}", '{"lat":1,"lng":1,"a":' + "[" * 40 + "]" * 40 + "}"])
def test_places_that_are_refused(browser, place):
    path = path_of(add(browser)["device"])
    browser.patch(path, {"place": text_of(ZAGREB)}).ok()
    assert set(browser.patch(path, {"place": place, "brightness": 7}).faults()) == {"/place"}
    shown = browser.get(path).ok()
    assert shown["place"] == text_of(ZAGREB) and shown["brightness"] != 7


@HAS_ENGINE
@pytest.mark.parametrize("key", [None, "open-sesame"])
def test_a_setting_follows_the_place_of_the_device(world, author, reviewer, browser, key):
    made = installed(browser, published(author, reviewer, SCRIPT.replace("EXTRA", "")))
    secret = {"key": key} if key else {}
    put(browser, made, where=OF_DEVICE, **secret).ok()
    path = path_of(made["device"])
    with panel_of(world, made) as panel:
        seen(panel, RED)
        for place, color in ((ZAGREB, GREEN), (SUVA, BLUE), (ZAGREB, GREEN), (None, RED)):
            browser.patch(path, {"place": text_of(place) if place else ""}).ok()
            seen(panel, color)
    settings = browser.get(f"{path}/rotation/{made['entry']}/settings").ok()["settings"]
    assert settings == {"where": OF_DEVICE}


@HAS_ENGINE
def test_equal_settings_share_one_render(world, author, reviewer, browser):
    """A place of a device, one of a setting, and their copies: one render for each place."""
    app = published(author, reviewer, SCRIPT.replace("EXTRA", ""))
    all_made = []
    for own, setting in ((SUVA, OF_DEVICE), (SUVA, OF_DEVICE), (ZAGREB, text_of(SUVA)), (None, text_of(SUVA))):
        made = installed(browser, app)
        if own:
            browser.patch(path_of(made["device"]), {"place": text_of(own)}).ok()
        put(browser, made, where=setting).ok()
        all_made.append(made)
    places = {place_of(world, made["device"]["id"], made["entry"]) for made in all_made}
    assert len(places) == 1
    with panel_of(world, all_made[0]) as one, panel_of(world, all_made[2]) as other:
        seen(one, BLUE)
        seen(other, BLUE)
    assert rendered(world, app, "good_at IS NOT NULL") == [(True,)]
    # Each of the copies takes the place of its own device.
    other = add(browser)["device"]
    browser.patch(path_of(other), {"place": text_of(ZAGREB)}).ok()
    source = all_made[0]
    path = f"{path_of(source['device'])}/rotation/{source['entry']}/copy"
    assert browser.post(path, {"device": other["id"]}).status == 201
    [[place]] = world.sql("SELECT encode(place, 'hex') FROM installation WHERE device_id = %s", other["id"])
    assert place not in places
    browser.patch(path_of(other), {"place": text_of(SUVA)}).ok()
    [[place]] = world.sql("SELECT encode(place, 'hex') FROM installation WHERE device_id = %s", other["id"])
    assert {place} == places


@HAS_ENGINE
def test_previews_and_forms_take_it(world, author, reviewer, browser):
    app = published(author, reviewer, SCRIPT.replace("EXTRA", MADE))
    device = add(browser)["device"]
    ask = {"fieldId": "more", "parameter": OF_DEVICE, "settings": {"where": OF_DEVICE}, "deviceId": device["id"]}

    def names():
        return [field["name"] for field in browser.post(f"/web/apps/{app.slug}/handler", ask).ok()["fields"]]

    def picture():
        body = {"settings": {"where": OF_DEVICE}, "deviceId": device["id"]}
        return browser.post(f"/web/apps/{app.slug}/preview", body).ok()["picture"]

    assert names() == ["nowhere"]
    without = picture()
    browser.patch(path_of(device), {"place": text_of(SUVA)}).ok()
    assert names() == ["Suva"]
    assert picture() != without


@HAS_ENGINE
def test_only_a_location_takes_it(world, author, reviewer, browser):
    made = installed(browser, published(author, reviewer, SCRIPT.replace("EXTRA", "")))
    for wrong in ('{"place": "device"}', '{"place":"Device"}', '{"place":"device","lat":"1"}', "device"):
        assert set(put(browser, made, where=wrong).faults()) == {"/settings/where"}
