"""An administrator removes accounts and apps from the pages, without a shell."""

from urllib.parse import quote

import pytest
from authors import Author
from people import OTHER_PASSWORD, PASSWORD, UNKNOWN_ID, Browser, Person, wait_until
from rendered import reviewer, world_without_engines
from test_removal import app, is_gone

__all__ = ["reviewer", "world_without_engines"]  # fixtures


@pytest.fixture
def boss(world):
    return Person(world, is_administrator=True)


def path_of(person):
    return f"/web/admin/accounts/{person.id}/removal"


def deeds(browser, target):
    return [(one["actor"], one["action"]) for one in browser.get(f"/web/admin/audit?q={quote(target)}").ok()
            if one["target"] == target]


def test_an_account_goes_with_all_it_has(world, boss, person):
    other = Person(world)
    other.device()
    person.device()
    key = person.key()
    kept = app(world, person, "public", other)
    elsewhere, browser = person.browser(), boss.browser()
    assert browser.get(path_of(person)).ok() == {
        "devices": 1, "keys": 1, "apps": 0, "keptApps": 1, "isLastAdministrator": False}
    assert browser.post(path_of(person), {"password": OTHER_PASSWORD}).faults() == {
        "/password": "is not the password of this account"}
    assert elsewhere.get("/web/account").ok()
    assert browser.post(path_of(person), {"password": PASSWORD}).ok() == {}
    elsewhere.get("/web/account").problem(401)
    Browser(world).try_sign_in(person.email).problem(401)
    wait_until(lambda: world.get("/v1/devices", key=key).status == 401, "the end of the key")
    wait_until(lambda: is_gone(world, person), "the end of the account")
    assert world.sql("SELECT 1 FROM app WHERE id = %s", kept) == []
    assert (boss.email, "account.remove") in deeds(browser, person.email)
    browser.post(path_of(person), {"password": PASSWORD}).problem(404)
    browser.get(path_of(person)).problem(404)
    browser.post(f"/web/admin/accounts/{UNKNOWN_ID}/removal", {"password": PASSWORD}).problem(404)


def test_only_with_a_right_that_still_holds(world, boss, person):
    """Neither an owner, nor a former administrator, nor a page of another site removes an account."""
    browser, body = boss.browser(), {"password": PASSWORD}
    Person(world).browser().post(path_of(person), body).problem(403)
    Browser(world).post(path_of(person), body).problem(401)
    browser.request("POST", path_of(person), body=body, fields=[("Sec-Fetch-Site", "cross-site")]).problem(403)
    browser.post(path_of(person), {}).problem(400)
    browser.post(path_of(person), {"password": "x" * 1025}).problem(400)
    browser.post(path_of(person), {"password": "x" * 1024 * 1024}).problem(413)
    world.sql("UPDATE account SET is_administrator = false WHERE id = %s", boss.id)
    browser.post(path_of(person), body).problem(403)
    world.sql("UPDATE account SET is_administrator = true WHERE id = %s", boss.id)
    world.sql("DELETE FROM session WHERE account_id = %s", boss.id)
    browser.post(path_of(person), body).problem(401)
    assert person.browser().get("/web/account").ok()


def test_an_app_goes_from_all_rotations(world, boss, reviewer):
    author = Author(world)
    made = author.make(visibility="public")
    made.publish(reviewer)
    browser = boss.browser()
    assert [one["id"] for one in browser.get(f"/web/admin/apps?q={made.slug.upper()}").ok()] == [made.id]
    assert browser.get("/web/admin/apps?q=no-such-app").ok() == []
    author.browser.request("DELETE", f"/web/admin/apps/{made.id}").problem(403)
    browser.request("DELETE", f"/web/admin/apps/{made.id}", fields=[("Sec-Fetch-Site", "cross-site")]).problem(403)
    assert browser.delete(f"/web/admin/apps/{made.id}").ok() == {}
    browser.delete(f"/web/admin/apps/{made.id}").problem(404)
    author.browser.get(made.path).problem(404)
    wait_until(lambda: world.sql("SELECT 1 FROM app WHERE id = %s", made.id) == [], "the end of the app")
    assert deeds(browser, made.slug)[0] == (boss.email, "app.remove")
