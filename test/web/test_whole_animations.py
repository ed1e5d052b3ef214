"""Entries whose animations are shown to the end."""

import base64
import io

import pytest
from devices import add, panel_of, path_of
from PIL import Image


def animation(seconds):
    images = [Image.new("RGB", (64, 32), (i, 0, 99)) for i in range(1, seconds + 1)]
    file = io.BytesIO()
    images[0].save(file, "WEBP", lossless=True, save_all=True, append_images=images[1:], duration=1000)
    return base64.b64encode(file.getvalue()).decode()



@pytest.mark.parametrize("seconds, interval, expected", [(40, 15, 40), (10, 15, 15), (119, 15, 119), (130, 15, 120), (130, 200, 200)])
def test_a_turn_lasts_as_long(world, browser, seconds, interval, expected):
    made = add(browser)
    path = path_of(made["device"])
    browser.patch(path, {"scheduleInterval": interval}).ok()
    browser.post(path + "/push", {"image": animation(seconds), "installationId": "a", "background": True}).ok()
    assert browser.get(path + "/rotation").ok()["entries"][0]["playsWhole"] is False
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.pictures and panel.dwell_s == interval)
        browser.patch(path + "/rotation/a", {"playsWhole": True}).ok()
        assert browser.get(path + "/rotation").ok()["entries"][0]["playsWhole"] is True
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.pictures and panel.dwell_s == expected)


@pytest.mark.parametrize("value", [None, 1, "true", [True]])
def test_values_that_are_refused(browser, value):
    made = add(browser)
    path = path_of(made["device"])
    browser.post(path + "/push", {"image": animation(2), "installationId": "a", "background": True}).ok()
    assert set(browser.patch(path + "/rotation/a", {"playsWhole": value}).faults()) == {"/playsWhole"}
