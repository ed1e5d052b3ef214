"""Collections of single accounts: their rights, shares and limits."""

import os

import pytest
from people import UNKNOWN_ID, Person, World, wait_until
from release_server import install
from test_collections import ARCHIVE, PATH, SCRIPT, add, again, app, browser, came, counts, end_of, repository, tar
from trusting import certificate, folder, host, trusting

__all__ = ["browser", "certificate", "folder", "host", "repository", "trusting"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS") or not os.environ.get("HAS_STARLARK"),
                                reason="this build has no egress or no Starlark")
WISH = {"url": "https://a.invalid/a.zip"}


@pytest.fixture
def owner(trusting):
    """An account that may reach local addresses, as the repository has one."""
    made = Person(trusting)
    trusting.sql("UPDATE account SET reaches_local = true WHERE id = %s", made.id)
    return made


def add_own(person, repository, content, path=ARCHIVE):
    repository.answers[path] = content
    browser = person.browser()
    made = browser.post(PATH, {"url": repository.root + path, "folder": "apps"})
    assert made.status == 201, made
    return end_of(browser, made.json())


def catalogue(browser):
    return sorted(one["name"] for one in browser.get("/web/apps").ok())


def bytes_of(browser):
    return browser.get("/web/account/storage").ok()["bytes"]


def test_only_its_account_sees_it(repository, trusting, owner):
    stranger, administrator = Person(trusting).browser(), Person(trusting, is_administrator=True).browser()
    mine = owner.browser()
    before, others = bytes_of(mine), catalogue(stranger)
    shown = add_own(owner, repository, tar(app("sun") | app("moon")))
    assert (shown["state"], counts(shown), shown["isForAll"]) == ("done", {"made": 2}, False), shown
    assert sorted(set(catalogue(mine)) - set(others)) == ["Moon", "Sun"] and catalogue(stranger) == others
    assert bytes_of(mine) > before
    assert [one["id"] for one in mine.get(PATH).ok()] == [shown["id"]] and "apps" not in mine.get(PATH).ok()[0]
    at = f"{PATH}/{shown['id']}"
    for other in (stranger, administrator):
        assert other.get(PATH).ok() == []
        for method, end in (("GET", ""), ("DELETE", ""), ("POST", "/fetch"), ("POST", "/confirm")):
            assert other.request(method, at + end).problem(404)["code"] == "collection_not_found"
    app_id = trusting.sql("SELECT id::text FROM app WHERE collection_id = %s LIMIT 1", shown["id"])[0][0]
    assert stranger.get(f"/web/apps/{app_id}").status == 404
    # Another account has the same archive: each has its own apps.
    other = Person(trusting)
    trusting.sql("UPDATE account SET reaches_local = true WHERE id = %s", other.id)
    assert counts(add_own(other, repository, tar(app("sun")))) == {"made": 1}
    assert counts(again(mine, shown, repository, tar(app("sun", "two") | app("moon")))) == {"updated": 1, "unchanged": 1}


def test_it_and_one_for_all(repository, browser, trusting, owner):
    """The same archive: neither changes the apps of the other."""
    for_all = add(browser, repository, tar(app("sun")))
    shown = add_own(owner, repository, tar(app("sun") | app("moon")))
    assert counts(for_all) == {"made": 1} and counts(shown) == {"made": 2}
    assert counts(again(browser, for_all)) == {"made": 1, "unchanged": 1}  # moon is new there, too
    assert trusting.sql("SELECT count(*) FROM app WHERE visibility = 'private' AND collection_id = %s", shown["id"]) == [(2,)]
    assert [one["isForAll"] for one in browser.get(PATH).ok()] == [True]


def test_rights(trusting):
    person, administrator = Person(trusting).browser(), Person(trusting, is_administrator=True).browser()
    assert person.post(PATH, WISH | {"isForAll": True}).problem(403)["code"] == "not_administrator"
    made = administrator.post(PATH, WISH | {"isForAll": True}).json()
    assert person.post(f"{PATH}/{made['id']}/fetch").problem(404)
    assert administrator.post(PATH, WISH | {"isForAll": True}).problem(409)["code"] == "collection_exists"
    assert person.post(PATH, WISH).status == 201  # its own one
    assert person.post(PATH, WISH).problem(409)["code"] == "collection_exists"
    administrator.get(f"{PATH}/{UNKNOWN_ID}").problem(404)
    for wrong in ("a\nb", "a\tb", "x" * 201, 1):
        person.post(PATH, {"url": "https://b.invalid/a.zip", "folder": wrong}).problem(400)
    administrator.delete(f"{PATH}/{made['id']}").ok()
    # A key of the account does what its pages do.
    key = administrator.post("/web/keys", {"name": "all"}).json()["key"] if administrator.get("/web/devices").ok() else None
    assert key is None or trusting.get("/v1/collections", key=key).status == 200


def test_numbers(trusting):
    """Also if they come at once."""
    browser = Person(trusting).browser()
    answers = [browser.post(PATH, {"url": f"https://a.invalid/{number}"}).status for number in range(7)]
    assert answers == [201] * 5 + [409] * 2
    browser.post(PATH, {"url": "https://a.invalid/8"}).problem(409)
    assert browser.post(PATH, {"url": "https://a.invalid/8"}).json()["code"] == "collections_too_many"
    browser.delete(f"{PATH}/{browser.get(PATH).ok()[0]['id']}").ok()
    assert browser.post(PATH, {"url": "https://a.invalid/8"}).status == 201


def test_private_addresses(repository, trusting):
    """An account that no administrator has allowed it reaches none, whatever leads there."""
    stranger = Person(trusting)
    shown = add_own(stranger, repository, tar(app("sun")))
    assert shown["state"] == "failed" and repository.seen == [], shown
    assert "addresses" in shown["problem"], shown["problem"]


def test_a_full_account(repository, trusting, owner):
    """Apps that do not fit fail, with the reason; those that fit are there."""
    trusting.sql("UPDATE account SET byte_limit = 500 WHERE id = %s", owner.id)
    try:
        shown = add_own(owner, repository, tar(app("sun") | app("large", **{"large.star": SCRIPT.format("x" * 5000)})))
        assert came(shown) == [("large", "failed"), ("sun", "made")], shown
        assert "no room" in next(one["reason"] for one in shown["apps"] if one["folder"] == "large")
    finally:
        trusting.sql("UPDATE account SET byte_limit = 0 WHERE id = %s", owner.id)


def test_what_waits_and_what_left(repository, owner):
    mine = owner.browser()
    shown = add_own(owner, repository, tar(app("sun") | app("moon") | app("star") | app("comet")))
    shown = again(mine, shown, repository, tar(app("sun", "https://new.example/x") | app("moon") | app("star")))
    assert (shown["state"], came(shown)) == ("held", [("comet", "gone"), ("sun", "held")]), shown
    mine.post(f"{PATH}/{shown['id']}/confirm").ok()
    assert ("sun", "updated") in came(end_of(mine, shown))


def test_a_removed_one(repository, trusting, owner):
    """Its apps go, but those that a device has stay there."""
    mine = owner.browser()
    shown = add_own(owner, repository, tar(app("sun") | app("moon")))
    device = owner.device()
    apps = dict(trusting.sql("SELECT slug, id::text FROM app WHERE collection_id = %s", shown["id"]))
    assert mine.post(f"/web/devices/{device}/apps", {"app": apps["sun"], "settings": {}}).status == 201
    mine.delete(f"{PATH}/{shown['id']}").ok()
    mine.get(f"{PATH}/{shown['id']}").problem(404)
    assert apps["moon"] not in {one["id"] for one in mine.get("/web/apps").ok()}
    assert apps["sun"] in {one["id"] for one in mine.get("/web/apps").ok()}
    # It comes anew, beside what was left.
    assert counts(add_own(owner, repository, tar(app("sun") | app("moon")))) == {"made": 2}


def test_one_account_fetches_without_end(trusting):
    """Another one comes after one of its fetches, and before its others."""
    trusting.sql("DELETE FROM app_archive")
    busy, other = Person(trusting), Person(trusting)

    def waiting(person, number, since="now()"):
        trusting.sql("INSERT INTO app_archive (id, account_id, name, url, is_for_all, leased_until, asked_at, state, ended_at) "
                     f"VALUES (gen_random_uuid(), %s, 'a', %s, false, 'infinity', {since}, 'waiting', NULL)",
                     person.id, f"https://a.invalid/{number}")

    for number in range(5):
        waiting(busy, number, "now() - interval '1 hour'")
    waiting(other, 9)
    trusting.sql("UPDATE app_archive SET ended_at = now() WHERE url = 'https://a.invalid/0'")  # it was fetched before
    trusting.sql("UPDATE app_archive SET leased_until = '-infinity'")
    trusting.sql("SELECT pg_notify('displayd_hint', 'changed:00000000-0000-0000-0000-000000000000:admin')")
    wait_until(lambda: trusting.sql("SELECT count(*) FROM app_archive WHERE state IN ('waiting', 'fetching')") == [(0,)], "their end", 60)
    order = [url for url, in trusting.sql("SELECT url FROM app_archive ORDER BY ended_at")]
    assert order.index("https://a.invalid/9") <= 2, order  # two workers may have begun two others
    trusting.sql("DELETE FROM app_archive")


def test_without_end(postgres, folder, certificate):
    """Adding and removing is limited by account: others are not hindered."""
    prefix = install(folder / "limited", certificate[0])
    with World(postgres.create_database(), prefix=prefix) as world:
        busy, other = Person(world).browser(), Person(world).browser()
        statuses = []
        while 429 not in statuses:
            answer = busy.post(PATH, {"url": "https://a.invalid/a.zip"})
            statuses.append(answer.status)
            if answer.status == 201:
                busy.delete(f"{PATH}/{answer.json()['id']}").ok()
        assert 15 <= len(statuses) <= 22, statuses
        limited = busy.post(PATH, {"url": "https://a.invalid/a.zip"})
        assert limited.problem(429)["code"] == "requests_too_many" and 1 <= int(limited["Retry-After"]) <= 30
        assert other.post(PATH, {"url": "https://a.invalid/a.zip"}).status == 201
