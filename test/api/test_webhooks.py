"""Webhooks send signed events to a real receiver, in order, and retry after failures."""

import contextlib
import datetime
import os
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest
from hook_receiver import Receiver
from webhook_stage import (ALL, ALLOWED, forward, local, make, marked_account, names, one_receiver, push, state,
                           world_that_reaches)
from world import UNKNOWN_ID, World, images, wait_until

from database_clock import DatabaseClock
from postgres import Postgres

__all__ = ["marked_account", "one_receiver", "world_that_reaches"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS"), reason="built without the egress")
SECRET_LENGTH = 50


# ---- operations ----


def test_made_read_changed_and_removed(account, receiver):
    made = make(account, receiver, ["failed", "online"])
    assert len(made["secret"]) == SECRET_LENGTH and made["events"] == ["online", "failed"]
    assert made["isEnabled"] and made["lastStatus"] is None and made["lastAt"] is None
    shown = state(account, made)
    assert shown == {name: value for name, value in made.items() if name != "secret"}
    assert account.get("/v1/webhooks").ok() == [shown]
    path = f"/v1/webhooks/{made['id']}"
    changed = account.request("PATCH", path, body={"events": ["pushed"], "isEnabled": False}).ok()
    assert changed == {**shown, "events": ["pushed"], "isEnabled": False}
    assert account.request("PATCH", path, body={}).ok() == changed
    assert account.request("PATCH", path, body={"url": "https://example.org/x?a=b"}).ok()["url"] == "https://example.org/x?a=b"
    new = account.post(path + "/secret", {}).ok()
    assert new["secret"] != made["secret"] and len(new["secret"]) == SECRET_LENGTH
    assert account.request("DELETE", path).ok() == {}
    for method in ("GET", "DELETE"):
        account.request(method, path).problem(404)
    assert account.get("/v1/webhooks").ok() == []
    assert account.world.sql("SELECT action, target FROM audit_entry WHERE account_id = %s ORDER BY id", account.id)[-1] == (
        "webhook.remove", "https://example.org")


def test_ten_at_most(account, receiver):
    hooks = [make(account, receiver) for _ in range(10)]
    problem = account.post("/v1/webhooks", {"url": receiver.url, "events": ["pushed"]}).problem(409)
    assert "10 webhooks" in problem["detail"]
    assert account.request("DELETE", f"/v1/webhooks/{hooks[3]['id']}").ok() == {}
    make(account, receiver)
    parts = account.get("/v1/webhooks?limit=4")
    assert [one["id"] for one in parts.json()] == [one["id"] for one in account.get("/v1/webhooks").ok()][:4]


def test_of_others(world, account, receiver):
    made = make(account, receiver)
    stranger = world.account()
    path = f"/v1/webhooks/{made['id']}"
    assert stranger.get("/v1/webhooks").ok() == []
    for one, who in ((path, stranger), (f"/v1/webhooks/{UNKNOWN_ID}", account), ("/v1/webhooks/x", account)):
        who.get(one).problem(404)
        who.request("PATCH", one, body={"isEnabled": False}).problem(404)
        who.request("DELETE", one).problem(404)
        who.post(one + "/test", {}).problem(404)
        who.post(one + "/secret", {}).problem(404)
    for scope in ("push", "devices"):
        assert account.get("/v1/webhooks", key=account.new_key(scope=scope)).status == 403


@pytest.mark.parametrize("url", [
    "", "example.org", "ftp://example.org/", "https://", "https:///x", "https://a@example.org/", "https://a:b@example.org",
    "https://example.org/#x", "https://example.org/ x", "https://ex\u00e4mple.org/", "https://example.org/\\",
    "https://:80/", "https://example.org:0/", "https://example.org:65536/", "https://[::1]:99999/", "https://example.org:/", "https://example.org:port/", "https://[::1/", "https://[]/",
    "https://example.org/" + "x" * 2029, None, 1, ["https://example.org/"]])
def test_bad_urls(account, url):
    assert list(account.post("/v1/webhooks", {"url": url, "events": ["pushed"]}).faults()) == ["/url"]


@pytest.mark.parametrize("events", [[], ["shown"], ["pushed", "pushed"], "pushed", None, {}, [1], ["PUSHED"]])
def test_bad_events(account, events):
    faults = account.post("/v1/webhooks", {"url": "https://example.org", "events": events}).faults()
    assert list(faults) == ["/events"]


def test_bounds_that_are_taken(account):
    for url in ("https://example.org", "HTTPS://Example.org", "http://[2606:4700::1111]:8080/x", "https://example.org?x",
                "https://example.org/" + "x" * 2028):
        assert account.post("/v1/webhooks", {"url": url, "events": ALL}).status == 201, url
    assert list(account.post("/v1/webhooks", {}).faults()) == ["/url", "/events"]
    assert list(account.post("/v1/webhooks", {"url": "https://a", "events": ALL, "isEnabled": 1}).faults()) == ["/isEnabled"]


# ---- delivery ----


def test_pushes_and_changes_arrive_signed(account, receiver):
    made = make(account, receiver)
    device = account.device()
    push(device, "weather")
    assert device.push().ok() == {}
    assert account.request("PATCH", device.path, body={"brightness": 12}).ok()
    events = receiver.wait_for(3)
    assert [event["type"] for event in events] == ["pushed", "pushed", "changed"]
    assert names(events) == ["weather", None]
    assert {event["data"]["deviceId"] for event in events} == {device.id}
    for message in receiver.taken():
        assert message.is_signed_with(made["secret"])
        assert message.fields["content-type"] == "application/json"
    wait_until(lambda: state(account, made)["lastStatus"] == 204, "the state")
    assert state(account, made)["failingSince"] is None
    renewed = account.post(f"/v1/webhooks/{made['id']}/secret", {}).ok()
    push(device, "news")
    receiver.wait_for(4)
    last = receiver.taken()[-1]
    assert last.is_signed_with_all(renewed["secret"], made["secret"])


def test_the_status_counts_messages(world, account, receiver):
    before = world.server.ctl("status")["webhooks"]["delivered"]
    make(account, receiver, ["pushed"])
    assert account.device().push().ok() == {}
    wait_until(lambda: world.server.ctl("status")["webhooks"]["delivered"] > before, "a message")
    assert "webhooks  " in world.server.ctl("status", json_output=False)


def test_each_gets_what_it_wants(world, account, receiver):
    make(account, receiver, ["changed"])
    with Receiver() as second, Receiver() as third:
        make(account, second, ["pushed"])
        make(account, third, ["pushed"], isEnabled=False)
        stranger = world.account().device()
        device = account.device()
        push(stranger, "not-mine")
        push(device, "mine")
        assert account.request("PATCH", device.path, body={"brightness": 12}).ok()
        assert names(second.wait_for(1)) == ["mine"]
        assert [event["type"] for event in receiver.wait_for(1)] == ["changed"]
        assert third.seen() == []


def test_order_of_each_device(account, receiver):
    """The order also holds if some messages fail."""
    receiver.answers = [500, 503, 204, 500]
    make(account, receiver, ["pushed"])
    devices = [account.device() for _ in range(3)]
    for number in range(30):
        for device in devices:
            push(device, str(number))
    with DatabaseClock(account.world.database) as clock:
        found = forward(clock, receiver, 90)
    for device in devices:
        own = [event for event in found if event["data"]["deviceId"] == device.id]
        assert names(own) == [str(number) for number in range(30)]
    assert max(len(message.events) for message in receiver.seen()) <= 100


def test_the_same_comes_again_with_its_id(account, receiver):
    receiver.answers = [500]
    made = make(account, receiver, ["pushed"])
    device = account.device()
    push(device, "one")
    wait_until(lambda: state(account, made)["lastStatus"] == 500, "a failure")
    assert state(account, made)["failingSince"]
    push(device, "two")
    with DatabaseClock(account.world.database) as clock:
        forward(clock, receiver, 2)
    first, again = receiver.seen()[:2]
    assert first.id == again.id and first.events == again.events
    assert names(receiver.events()) == ["one", "two"]
    wait_until(lambda: not state(account, made)["failingSince"], "that it works")


def logged(account, made, text):
    """Lines of the log about the webhook that have this text."""
    return [line for line in account.world.server.log().splitlines()
            if text in line and f"webhook={made['id']} account={account.id}" in line]


def test_a_failure_is_logged_when_it_begins_and_ends(account, receiver):
    receiver.answers = [500, 503, 500]
    made = make(account, receiver, ["pushed"])
    push(account.device(), "one")
    wait_until(lambda: state(account, made)["lastStatus"] == 500, "a failure")
    with DatabaseClock(account.world.database) as clock:
        forward(clock, receiver, 1)
    wait_until(lambda: logged(account, made, "a webhook works again"), "the end of the failure in the log")
    begun, = logged(account, made, "cannot deliver to a webhook")
    assert "status=500" in begun and len(receiver.seen()) == 4


def test_a_receiver_that_is_away(account, receiver):
    made = make(account, receiver, ["pushed"])
    device = account.device()
    receiver.close()
    push(device, "one")
    wait_until(lambda: state(account, made)["lastProblem"], "a problem")
    shown = state(account, made)
    assert shown["lastStatus"] is None and "cannot be reached" in shown["lastProblem"]
    receiver.open()
    with DatabaseClock(account.world.database) as clock:
        assert names(forward(clock, receiver, 1)) == ["one"]


def test_ten_messages_a_second(account, receiver):
    """The limit is that of all webhooks of an account: with three, each sends its next message after 300 ms."""
    hooks = [make(account, receiver, ["pushed"]) for _ in range(3)]
    with DatabaseClock(account.world.database) as clock:
        push(account.device(), "one")
        wait_until(lambda: all(state(account, hook)["lastStatus"] == 204 for hook in hooks), "messages to all")
        found = account.world.sql("SELECT next_at - last_at FROM webhook WHERE account_id = %s", account.id)
        assert found == [(datetime.timedelta(milliseconds=300),)] * 3
        clock.advance(1)


def test_no_redirect_is_followed(account, receiver):
    with Receiver() as other:
        receiver.always = (307, {"Location": other.url})
        made = make(account, receiver, ["pushed"])
        push(account.device(), "one")
        wait_until(lambda: state(account, made)["lastStatus"] == 307, "the redirect")
        assert other.seen() == []


def test_local_addresses_need_the_mark(world, receiver):
    account = world.account()
    world.sql("UPDATE account SET reaches_local = true WHERE id = %s", account.id)
    made = make(account, receiver, ["pushed"])
    world.sql("UPDATE account SET reaches_local = false WHERE id = %s", account.id)
    push(account.device(), "one")
    wait_until(lambda: state(account, made)["lastProblem"], "a problem")
    assert "not public" in state(account, made)["lastProblem"]
    outcome = account.post(f"/v1/webhooks/{made['id']}/test", {}).ok()
    assert outcome["status"] is None and "an administrator can open local addresses to this account" in outcome["problem"]
    assert receiver.seen() == []


def test_after_a_day_events_are_dropped_and_told(account, receiver):
    receiver.always = 500
    made = make(account, receiver, ["pushed"])
    device = account.device()
    push(device, "lost")
    wait_until(lambda: state(account, made)["lastStatus"] == 500, "a failure")
    with DatabaseClock(account.world.database) as clock:
        clock.advance("25 hours")
        wait_until(lambda: account.world.sql("SELECT lost FROM webhook WHERE id = %s", made["id"]) == [(1,)], "a loss")
        push(device, "new")
        receiver.always = 204
        clock.advance("2 hours")
        events = receiver.wait_for(2)
    assert [event["type"] for event in events] == ["lost", "pushed"]
    assert events[0]["data"] == {"count": 1} and names(events) == ["new"]


def test_three_days_of_failures(account, receiver):
    receiver.always = 500
    made = make(account, receiver, ["pushed"])
    device = account.device()
    push(device, "one")
    wait_until(lambda: state(account, made)["failingSince"], "a failure")
    with DatabaseClock(account.world.database) as clock:
        for _ in range(4):
            before = state(account, made)["lastAt"]
            clock.advance("20 hours")
            push(device, "more")
            wait_until(lambda before=before: state(account, made)["lastAt"] != before
                       or not state(account, made)["isEnabled"], "another failure")
        wait_until(lambda: not state(account, made)["isEnabled"], "that it is switched off")
    assert state(account, made)["switchedOffAt"]
    assert account.world.sql("SELECT webhook_events FROM account WHERE id = %s", account.id) == [(0,)]
    assert account.world.sql("SELECT count(*) FROM webhook_event WHERE webhook_id = %s", made["id"]) == [(0,)]
    receiver.always = 204
    shown = account.request("PATCH", f"/v1/webhooks/{made['id']}", body={"isEnabled": True}).ok()
    assert shown["switchedOffAt"] is None and shown["failingSince"] is None
    push(device, "again")
    assert names(receiver.wait_for(1)) == ["again"]


def test_gone(account, receiver):
    """410 says that the receiver wants no more (Standard Webhooks): one such answer is enough."""
    receiver.always = 410
    made = make(account, receiver, ["pushed"])
    device = account.device()
    assert account.post(f"/v1/webhooks/{made['id']}/test", {}).ok()["status"] == 410
    assert state(account, made)["isEnabled"]  # a test changes nothing
    push(device, "one")
    wait_until(lambda: not state(account, made)["isEnabled"], "that it is switched off")
    shown = state(account, made)
    assert shown["switchedOffAt"] and shown["lastStatus"] == 410
    assert account.world.sql("SELECT count(*) FROM webhook_event WHERE webhook_id = %s", made["id"]) == [(0,)]
    receiver.always = 204
    account.request("PATCH", f"/v1/webhooks/{made['id']}", body={"isEnabled": True}).ok()
    push(device, "again")
    assert names(receiver.wait_for(1)) == ["again"] and state(account, made)["isEnabled"]


def test_two_secrets_while_one_is_replaced(account, receiver):
    made = make(account, receiver, ["pushed"])
    path, device = f"/v1/webhooks/{made['id']}", account.device()

    def sent(count, *secrets):
        push(device, f"n{count}")
        receiver.wait_for(count)
        assert receiver.seen()[-1].is_signed_with_all(*secrets)

    sent(1, made["secret"])
    second = account.post(f"{path}/secret", {}).ok()["secret"]
    sent(2, second, made["secret"])
    account.post(f"{path}/test", {}).ok()
    assert receiver.seen()[-1].is_signed_with_all(second, made["secret"])
    third = account.post(f"{path}/secret", {}).ok()["secret"]
    sent(4, third, second)  # the test counts
    with DatabaseClock(account.world.database) as clock:
        clock.advance("25 hours")
        account.post(f"{path}/test", {}).ok()
        assert receiver.seen()[-1].is_signed_with_all(third)
        sent(6, third)
    assert account.world.sql("SELECT previous_secret, previous_until FROM webhook WHERE id = %s",
                             made["id"]) == [(None, None)]


def test_the_newest_ten_thousand_are_kept(account, receiver):
    receiver.always = 500
    made = make(account, receiver, ["pushed"])
    device = account.device()
    push(device, "first")
    wait_until(lambda: state(account, made)["lastStatus"] == 500, "a failure")
    account.world.sql("INSERT INTO webhook_event (webhook_id, kind, data) SELECT %s, 'pushed', '{}' "
                      "FROM generate_series(1, 10500)", made["id"])
    with DatabaseClock(account.world.database) as clock:
        clock.advance(11)
        wait_until(lambda: account.world.sql("SELECT lost FROM webhook WHERE id = %s", made["id"])[0][0] >= 500,
                   "that the oldest go")
    [(count,)] = account.world.sql("SELECT count(*) FROM webhook_event WHERE webhook_id = %s", made["id"])
    assert count == 10001  # and that of the message that is retried
    account.request("DELETE", f"/v1/webhooks/{made['id']}").ok()


def test_online_and_offline(account, receiver):
    device = account.device(created_at="2020-01-01")
    make(account, receiver, ["online"])
    account.world.sql("UPDATE webhook SET looked_at = '-infinity' WHERE account_id = %s", account.id)
    wait_until(lambda: account.world.sql("SELECT 1 FROM webhook_online WHERE device_id = %s", device.id), "a look")
    assert device.poll().status == 200
    [event] = receiver.wait_for(1)
    assert event["type"] == "online" and event["data"]["deviceId"] == device.id and event["data"]["isOnline"]
    with DatabaseClock(account.world.database) as clock:
        clock.advance(3600)
        events = receiver.wait_for(2)
    assert not events[1]["data"]["isOnline"]


# ---- tests of webhooks ----


def test_a_test(account, receiver):
    made = make(account, receiver, isEnabled=False)
    path = f"/v1/webhooks/{made['id']}/test"
    outcome = account.post(path, {}).ok()
    assert outcome["status"] == 204 and outcome["problem"] is None and outcome["ms"] >= 0
    [message] = receiver.seen()
    assert message.kinds() == ["test"] and message.is_signed_with(made["secret"])
    assert state(account, made)["lastAt"] is None
    account.world.sql("UPDATE webhook SET tested_at = clock_timestamp() + interval '1 hour' WHERE id = %s", made["id"])
    assert account.post(path, {})["Retry-After"] == "1"
    account.world.sql("UPDATE webhook SET tested_at = '-infinity' WHERE id = %s", made["id"])
    receiver.always = 418
    assert account.post(path, {}).ok()["status"] == 418


# ---- faults ----


def test_a_worker_dies_before_it_sends(start, receiver):
    """Another worker sends the events that were answered."""
    world = start("--renderers", "0", *ALLOWED)
    account = local(world.account())
    made = make(account, receiver, ["pushed"])
    device = account.device()
    # A lock keeps the events from being sent once they are written.
    world.sql("UPDATE webhook SET leased_until = clock_timestamp() + interval '1 hour', lease = id WHERE id = %s", made["id"])
    for number in range(5):
        push(device, str(number))
    for pid in world.workers():
        world.kill_worker(pid)
    assert receiver.seen() == []
    world.sql("UPDATE webhook SET leased_until = clock_timestamp() WHERE id = %s", made["id"])
    assert names(receiver.wait_for(5)) == [str(number) for number in range(5)]


def test_the_database_dies(receiver):
    """Events that were answered before the loss are sent once the database is back."""
    with Postgres() as cluster, World(
            cluster.create_database(), "--rate-limit", "0", "--renderers", "0", *ALLOWED) as world, world.impatient():
        account = local(world.account())
        receiver.answers = [500]
        make(account, receiver, ["pushed"])
        device = account.device()
        for number in range(3):
            push(device, str(number))
        wait_until(receiver.seen, "a message that fails")
        cluster.kill()
        world.connection.close()
        wait_until(lambda: world.get("/readyz").status == 503, "a worker that has noticed")
        cluster.start()
        assert names(receiver.wait_for(3))[:3] == ["0", "1", "2"]
        wait_until(lambda: device.push(installationId="after", background=True).status == 200, "a push")
        assert names(receiver.wait_for(4))[3] == "after"


def test_a_removal_waits_for_a_push(world, account, receiver):
    """The removal locks the rows of a push in the same order, so neither ends by a deadlock."""
    made = make(account, receiver, ["pushed"])
    device = account.device()
    with contextlib.closing(psycopg2.connect(world.database)) as pushing, pushing.cursor() as cursor, \
            ThreadPoolExecutor(1) as pool:
        cursor.execute("SELECT FROM device WHERE id = %s FOR NO KEY UPDATE", (device.id,))
        removal = pool.submit(account.request, "DELETE", f"/v1/webhooks/{made['id']}")
        wait_until(lambda: world.sql("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() "
                                     "AND wait_event_type = 'Lock'"), "a removal that waits")
        cursor.execute("UPDATE device SET generation = generation + 1, last_push_generation = generation + 1 "
                       "WHERE id = %s", (device.id,))
        pushing.commit()
        assert removal.result().ok() == {}


def test_two_instances(start, receiver):
    one = start("--renderers", "0", *ALLOWED)
    other = start("--renderers", "0", *ALLOWED, database=one.database)
    account = local(one.account())
    make(account, receiver, ["pushed"])
    device = account.device()
    for number in range(60):
        writer = one if number % 2 else other
        answer = writer.request("POST", device.path + "/push", key=account.key, body={
            "image": images.text(images.png()), "installationId": str(number), "background": True})
        assert answer.ok() == {}
    assert names(receiver.wait_for(60)) == [str(number) for number in range(60)]


def test_removal_of_device_and_account(world, account, receiver):
    receiver.always = 500
    make(account, receiver, ALL)
    device = account.device()
    push(device, "one")
    wait_until(receiver.seen, "a message")
    world.sql("DELETE FROM device WHERE id = %s", device.id)
    world.sql("DELETE FROM account WHERE id = %s", account.id)
    assert world.sql("SELECT 1 FROM webhook WHERE account_id = %s", account.id) == []
