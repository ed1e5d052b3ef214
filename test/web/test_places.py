"""Places found by name in the built-in list."""

from urllib.parse import quote

import pytest
from people import Browser


def find(browser, text):
    return browser.get(f"/web/places?search={quote(text)}").ok()


@pytest.fixture
def listed(browser):
    if not find(browser, "zagreb"):
        pytest.skip("built without the list")


def test_for_those_who_are_signed_in(world):
    Browser(world).get("/web/places?search=zagreb").problem(401)


def test_place(browser, listed):
    place = find(browser, "Zagr")[0]
    assert (place["name"], place["country"], place["timezone"]) == ("Zagreb", "HR", "Europe/Zagreb")
    assert abs(place["latitude"] - 45.8144) < 0.01 and abs(place["longitude"] - 15.978) < 0.01


def test_names_of_other_languages_and_areas(browser, listed):
    assert find(browser, "münchen")[0]["name"] == "Munich"
    assert find(browser, "paris, us")[0]["region"] == "Texas"
    assert find(browser, "Portland, ME")[0]["region"] == "Maine"
    assert find(browser, "london, on")[0]["country"] == "CA"
    assert find(browser, "newcastle, nsw")[0]["country"] == "AU"


def test_no_more_than_twenty(browser, listed):
    assert len(find(browser, "s")) == 20


def test_nothing(browser):
    assert find(browser, "") == [] and find(browser, "qqqq") == []
    assert browser.get("/web/places").ok() == []


@pytest.mark.parametrize("search", ["%ff", "a" * 201, "%00"])
def test_wrong(browser, search):
    answer = browser.get(f"/web/places?search={search}")
    assert answer.status == 400 or answer.ok() == []


def test_time_zones_are_those_of_the_database(world, browser):
    """The zones match the database, which is not queried: it would read the file of each zone at each request."""
    known = {name for name, in world.sql("SELECT name FROM pg_timezone_names")}
    names = browser.get("/web/timezones").ok()["names"]
    assert names == sorted(set(names))
    assert {"UTC", "Europe/Kyiv", "Asia/Kolkata", "America/Argentina/Buenos_Aires"} <= set(names) <= known
