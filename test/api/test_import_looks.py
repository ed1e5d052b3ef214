"""POST /v1/import/tronbyt: entries look as they did: filters, and animations shown to their end."""

import pytest
from former import device as exported
from former import entry
from test_import_tronbyt import brought, clock, notes

__all__ = ["clock"]  # a fixture


def test_filters_are_kept(account, clock):
    apps = [entry(clock.slug, 1, color_filter="sepia"), entry(clock.slug, 2, color_filter="inherit"), entry(clock.slug, 3),
            entry(clock.slug, 4, color_filter="none")]
    report = brought(account, exported("Desk", apps, color_filter="warm", night_color_filter="redshift", dim_color_filter="none",
                                       location=None))
    assert {what for _, what in notes(report)} == {"render interval"}
    id = report["devices"][0]["id"]
    assert account.world.sql("SELECT color_filter, night_color_filter, dim_color_filter FROM device WHERE id = %s", id) == [
        ("warm", "redshift", "none")]
    shown = account.get(f"/v0/devices/{id}/installations").ok()["installations"]
    assert [one["colorFilter"] for one in shown] == ["sepia", "inherit", "inherit", "none"]
    report = brought(account, exported("Hall", color_filter=None, night_color_filter=None, location=None))
    assert account.world.sql("SELECT color_filter, night_color_filter, dim_color_filter FROM device WHERE id = %s",
                             report["devices"][0]["id"]) == [("none", "inherit", "none")]


@pytest.mark.parametrize("value, is_whole", [(True, True), ("true", True), (1, True), (False, False), ("auto", False), (None, False)])
def test_whole_animations_are_kept(account, clock, value, is_whole):
    report = brought(account, exported("Desk", [entry(clock.slug, 1, show_full_animation=value)], location=None))
    assert {what for _, what in notes(report)} == {"render interval"}
    assert account.world.sql("SELECT plays_whole FROM installation WHERE device_id = %s", report["devices"][0]["id"]) == [(is_whole,)]


@pytest.mark.parametrize("location, stored, is_noted", [
    ({"lat": 45.8, "lng": "15.90", "description": "Zagreb", "timezone": "Europe/Zagreb", "name": "x"},
     '{"lat":"45.8","lng":"15.90","description":"Zagreb","locality":"Zagreb","place_id":"","timezone":"Europe/Zagreb"}', False),
    ({}, "", False), ({"lat": "", "lng": None, "description": ""}, "", False), ({"description": "Zagreb"}, "", True),
    ({"lat": "91", "lng": "1"}, "", True), ({"lat": "1"}, "", True), ({"lat": {}, "lng": []}, "", True), ([1], "", True),
    ({"lat": 1, "lng": 1, "timezone": "Mars/Base"}, "", True), ({"lat": 1, "lng": 1, "description": "x" * 101}, "", True)])
def test_the_place_of_a_device(account, location, stored, is_noted):
    report = brought(account, exported("Desk", location=location))
    assert account.world.sql("SELECT place_json FROM device WHERE id = %s", report["devices"][0]["id"]) == [(stored,)]
    assert ("place" in {note["what"] for note in report["notBrought"]}) == is_noted
