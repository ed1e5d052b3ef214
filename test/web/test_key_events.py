"""GET /v1/events, while owners use the pages."""

import contextlib
import json
import os

import pytest
from devices import panel_of
from key_events import Events
from people import PASSWORD, Person, make_first, wait_until
from rendered import HEAD, author, installed, make_due, published, rendered, reviewer, script

from world import Account

__all__ = ["author", "reviewer"]  # fixtures

BROKEN = HEAD + 'def main():\n    fail("no bus: ü")\n'


def program(world, browser, **wish):
    """A program with a key of this person."""
    account = Account.__new__(Account)
    account.world = world
    account.key = browser.post("/web/keys", {"name": "program", **wish}).json()["key"]
    return account


@pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no engine is built")
def test_an_app_that_fails(world, author, reviewer, browser):
    """The first failure in a row is reported."""
    app = published(author, reviewer, BROKEN)
    made = installed(browser, app)
    owner = program(world, browser)
    hook = owner.post("/v1/webhooks", {"url": "http://webhook.invalid/", "events": ["failed"]}).json()["id"]
    with Events(owner) as events, panel_of(world, made):
        failed = events.next("failed")
        [(told,)] = world.sql("SELECT data FROM webhook_event WHERE webhook_id = %s", hook)
        assert json.loads(told) == failed
        assert (failed["deviceId"], failed["installationId"], failed["appId"]) == \
            (made["device"]["id"], made["entry"], app.id)
        assert "no bus: ü" in failed["message"]
        make_due(world, app)
        wait_until(lambda: rendered(world, app, "misses") == [(2,)], "the second failure")
        app.publish(reviewer, "2.0", script("#f00"))
        events.next("shown", lambda data: data["picture"] and data["installationId"] == made["entry"])
        assert "failed" not in [name for name, _ in events.seen[events.seen.index(("failed", failed)) + 1:]]
        app.publish(reviewer, "3.0", BROKEN)
        assert events.next("failed")["installationId"] == made["entry"]


@pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no engine is built")
def test_an_app_that_fails_in_many_places(world, author, reviewer, browser):
    """A webhook gets the failure even after a thousand installations of others that show the same."""
    app = published(author, reviewer, BROKEN)
    made = installed(browser, app)
    hook = program(world, browser).post("/v1/webhooks", {"url": "http://webhook.invalid/", "events": ["failed"]}).json()["id"]
    with panel_of(world, made):
        wait_until(lambda: rendered(world, app, "misses") == [(1,)], "a failure")
    [(place,)] = world.sql("SELECT place FROM installation WHERE id = %s", made["entry"])
    others = "owner_id = '00000000-0000-0000-0000-000000000000'"
    as_it_is = "SET session_replication_role = replica; {}; RESET session_replication_role"
    world.sql(as_it_is.format(
        "INSERT INTO installation (device_id, id, app_id, position, place, owner_id) "
        "SELECT gen_random_uuid(), id, app_id, 1, place, '00000000-0000-0000-0000-000000000000' "
        "FROM installation, generate_series(1, 1001) WHERE id = %s; "
        "UPDATE installation SET id = id WHERE id = %s AND NOT " + others), made["entry"], made["entry"])
    try:
        world.sql("DELETE FROM webhook_event WHERE webhook_id = %s", hook)
        world.sql("UPDATE render SET misses = 0 WHERE place = %s", place)
        world.sql("UPDATE render SET misses = 1, generation = generation + 1 WHERE place = %s", place)
        assert world.sql("SELECT count(*) FROM webhook_event WHERE webhook_id = %s", hook) == [(1,)]
    finally:
        world.sql(as_it_is.format("DELETE FROM installation WHERE " + others))


def test_devices_come_and_go(world, person):
    first = person.device()
    browser = person.browser()
    with Events(program(world, browser)) as events:
        events.next("shown")
        made = browser.post("/web/devices", {"name": "Second", "timezone": "UTC", "serialNumber": "SN-" + first[:8]})
        second = made.json()["device"]["id"]
        assert events.next("online", lambda data: data["deviceId"] == second)["isOnline"] is False
        browser.patch(f"/web/devices/{second}", {"brightness": 3})
        events.next("changed", lambda data: data["deviceId"] == second)


def test_the_list_of_keys_counts_their_streams(world, person):
    """The list counts the streams of all workers. A client that has the list gets a new one once the number
    has changed."""
    person.device()
    browser = person.browser()
    owner = program(world, browser)
    browser.post("/web/keys", {"name": "idle"}).json()

    def counts(answer):
        return {key["name"]: key["eventStreams"] for key in answer.ok()}

    before = browser.get("/web/keys")
    assert counts(before) == {"program": 0, "idle": 0}
    fields = [*browser.fields, ("If-None-Match", before["ETag"])]
    assert browser.get("/web/keys", fields=fields).status == 304
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(Events(owner, client=client)) for client in world.clients()]
        wanted = {"program": len(streams), "idle": 0}
        assert counts(browser.get("/web/keys", fields=fields)) == wanted
        assert counts(browser.get("/web/keys?limit=10")) == wanted
        [used] = [key for key in before.ok() if key["name"] == "program"]
        changed = browser.request("PUT", f"/web/keys/{used['id']}", body={"name": "renamed"}).json()
        assert changed["eventStreams"] == len(streams)
    wait_until(lambda: counts(browser.get("/web/keys")) == {"renamed": 0, "idle": 0}, "the end of the streams")


@pytest.mark.parametrize("wish", [{"scope": "push"}, {"deviceIds": True}, {"endsAt": "2099-01-31T12:00:00Z"}, None])
def test_a_key_changes(world, person, wish):
    """A stream ends if its key is revoked (None) or its rights change. A new name ends nothing."""
    device = person.device()
    browser = person.browser()
    key = browser.post("/web/keys", {"name": "program"}).json()
    account = Account.__new__(Account)
    account.world, account.key = world, key["key"]
    with Events(account) as events:
        events.next("shown")
        path = f"/web/keys/{key['id']}"
        if wish is None:
            assert browser.delete(path).status == 200
        else:
            browser.request("PUT", path, body={"name": "another"}).json()
            browser.patch(f"/web/devices/{device}", {"brightness": 4})
            events.next("changed")
            if wish == {"deviceIds": True}:
                wish = {"deviceIds": [device]}
            browser.request("PUT", path, body={"name": "another", **wish}).json()
        assert events.end()[-1] == "bye"


def test_an_account_is_closed(start):
    world = start("--rate-limit", "0")
    make_first(world)
    person = Person(world)
    person.device()
    browser = person.browser()
    with Events(program(world, browser)) as events:
        events.next("shown")
        answer = browser.post("/web/account/removal", {"password": PASSWORD})
        assert answer.status == 200, answer
        assert events.end()[-1] == "bye"
