"""Webhooks and MQTT connections that an API key has set up end with the key, unless the owner keeps them."""

import base64
import contextlib
import datetime
import os
from concurrent.futures import ThreadPoolExecutor

import lock_sessions
import pytest
from broker import PASSWORD, USER
from hook_receiver import Receiver
from mqtt_stage import base, one_broker
from panel import Panel
from people import Person, World, sha256, wait_until
from world import SECRETS, images

from database_clock import DatabaseClock

__all__ = ["one_broker"]  # fixture
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS"), reason="built without the egress")
NO_MQTT = {"url": None, "username": None, "hasPassword": False, "isOfInstance": False, "state": "none", "since": None,
           "error": None}


@pytest.fixture(scope="module", name="world")
def world_that_reaches(postgres):
    with World(postgres.create_database(), "--rate-limit", "0", "--egress-allow", "127.0.0.1") as one:
        yield one


@pytest.fixture(name="person")
def marked_person(world):
    one = Person(world, reaches_local=True)
    one.device()
    yield one
    one.browser().delete("/web/account/mqtt")


def key_of(browser, name="program", **wish):
    return browser.post("/web/keys", {"name": name, **wish}).json()


def hook(world, key, url="https://hooks.example.invalid/secret", **members):
    answer = world.request("POST", "/v1/webhooks", key=key["key"], body={"url": url, "events": ["pushed"], **members})
    assert answer.status == 201, answer
    SECRETS.add(answer.json()["secret"])
    return answer.json()["id"]


def mqtt(world, key, url="mqtts://broker.example.invalid", **members):
    assert world.request("PUT", "/v1/account/mqtt", key=key["key"], body={"url": url, **members}).status == 200


def own_hook(browser, **members):
    made = browser.post("/web/webhooks", {"url": "https://own.example.invalid/", "events": ["pushed"], **members}).json()
    SECRETS.add(made["secret"])
    return made["id"]


def enabled(browser):
    return {one["id"]: one["isEnabled"] for one in browser.get("/web/webhooks").ok()}


def set_up(browser):
    return {key["name"]: [(one["kind"], one["host"]) for one in key["setUp"]] for key in browser.get("/web/keys").ok()}


def has_mqtt(browser):
    return browser.get("/web/account/mqtt").ok()["url"] is not None


# ---- what is under way ----


def test_it_ends_while_it_works(world, person, broker):
    """A broker that dimmed a panel dims it no more, and messages that wait are not sent."""
    made = world.server.ctl("device", "create", "--account", person.email, "--name", "Lamp")
    target = "/d/" + made["websocketUrl"].split("/d/", 1)[1]
    SECRETS.add(target.rpartition("key=")[2])
    browser = person.browser()
    key, other = key_of(browser), key_of(browser, "other")
    light = f"{base(person)}/{made['id']}/light/set"
    with Receiver() as receiver, broker.listen() as heard, Panel(world.server, None, target) as panel:
        receiver.always = 500
        mqtt(world, key, broker.url, username=USER, password=PASSWORD)
        works = hook(world, key, receiver.url)
        heard.wait_for(f"{base(person)}/{made['id']}/availability", b"online")
        broker.publish(light, '{"state":"ON","brightness":33}')
        panel.wait_for(lambda message: message == {"brightness": 33})
        push = {"image": base64.b64encode(images.png(images.solid((1, 2, 3)))).decode(), "installationId": "one"}
        assert world.request("POST", f"/v1/devices/{made['id']}/push", key=other["key"], body=push).status == 200
        wait_until(lambda: receiver.messages, "a message that fails")
        assert world.sql("SELECT count(*) FROM webhook_event WHERE webhook_id = %s", works) == [(1,)]
        assert browser.delete(f"/web/keys/{key['id']}").ok() == {}
        heard.wait_for(f"{base(person)}/availability", b"offline")
        assert world.sql("SELECT count(*) FROM webhook_event WHERE webhook_id = %s", works) == [(0,)]
        # Later brightness comes from the owner alone.
        broker.publish(light, '{"state":"ON","brightness":77}')
        assert browser.patch(f"/web/devices/{made['id']}", {"brightness": 44}).status == 200
        panel.wait_for_brightness(44)
        count = len(receiver.messages)
        with DatabaseClock(world.database) as clock:
            clock.advance(4000)
            push["installationId"] = "two"
            assert world.request("POST", f"/v1/devices/{made['id']}/push", key=other["key"], body=push).status == 200
            receiver.always = 204
            with_other = hook(world, other, receiver.url)
            push["installationId"] = "three"
            assert world.request("POST", f"/v1/devices/{made['id']}/push", key=other["key"], body=push).status == 200
            wait_until(lambda: len(receiver.messages) > count, "a message of the webhook that is left")
        assert [len(message.events) for message in receiver.seen()[count:]] == [1]
    assert enabled(browser) == {works: False, with_other: True}


# ---- who has set up what ----


def test_who_knows_the_secret_has_set_it_up(world, person):
    """A webhook ends with the key that made it, and with the key that replaced its secret: either could misuse it."""
    browser = person.browser()

    def renew(key, hook_id):
        answer = world.request("POST", f"/v1/webhooks/{hook_id}/secret", key=key["key"], body={})
        assert answer.status == 200, answer
        SECRETS.add(answer.json()["secret"])

    maker, reader, third = (key_of(browser, name) for name in ("maker", "reader", "third"))
    own = own_hook(browser)
    one, two, three = (hook(world, maker, f"https://{name}.example.invalid/secret") for name in "abc")
    renew(maker, one)
    for hook_id in (own, two, three):
        renew(reader, hook_id)
    hosts = {name: [host for _, host in made] for name, made in set_up(browser).items()}
    assert hosts["reader"] == [f"https://{name}.example.invalid" for name in ("b", "c", "own")]
    assert hosts["maker"] == [f"https://{name}.example.invalid" for name in "abc"]
    # Of a secret that the owner or another key replaces, the former key knows nothing more.
    SECRETS.add(browser.post(f"/web/webhooks/{three}/secret", {}).json()["secret"])
    assert set_up(browser)["reader"] == [("webhook", "https://b.example.invalid"), ("webhook", "https://own.example.invalid")]
    renew(third, own)
    assert browser.delete(f"/web/keys/{reader['id']}").ok() == {}
    assert enabled(browser) == {own: True, one: True, two: False, three: True}
    assert browser.delete(f"/web/keys/{third['id']}?keepSetUp=true").ok() == {}
    assert browser.delete(f"/web/keys/{maker['id']}").ok() == {}
    assert enabled(browser) == {own: True, one: False, two: False, three: False}
    assert world.sql("SELECT count(*) FROM webhook WHERE account_id = %s AND "
                     "(made_by_key_id IS NOT NULL OR secret_key_id IS NOT NULL)", person.id) == [(0,)]


def test_a_revocation_ends_what_the_key_has_set_up(world, person):
    browser = person.browser()
    own = own_hook(browser)
    first, second = key_of(browser, "first"), key_of(browser, "second")
    one, two = (hook(world, first, f"https://{name}.example.invalid/secret") for name in "ab")
    mqtt(world, first)
    assert set_up(browser) == {"second": [], "first": [
        ("webhook", "https://a.example.invalid"), ("webhook", "https://b.example.invalid"),
        ("mqtt", "mqtts://broker.example.invalid")]}
    # A URL that the owner sets is the owner's; one that a key sets is the key's. The same URL again changes nothing.
    assert browser.patch(f"/web/webhooks/{two}", {"url": "https://mine.example.invalid/"}).status == 200
    assert browser.patch(f"/web/webhooks/{one}", {"url": "https://a.example.invalid/secret"}).status == 200
    for body in ({"url": "https://own.example.invalid/"}, {"events": ["changed"]}, {"isEnabled": True}):
        assert world.request("PATCH", f"/v1/webhooks/{own}", key=first["key"], body=body).status == 200
    assert [name for name, made in set_up(browser).items() if ("webhook", "https://own.example.invalid") in made] == []
    moved = {"url": "https://c.example.invalid/"}
    assert world.request("PATCH", f"/v1/webhooks/{own}", key=second["key"], body=moved).status == 200
    assert set_up(browser)["second"] == [("webhook", "https://c.example.invalid")]
    browser.delete(f"/web/keys/{first['id']}?keepSetUp=maybe").problem(400)
    assert world.get("/v1/devices", key=first["key"]).status == 200
    assert browser.delete(f"/web/keys/{first['id']}").ok() == {}
    assert enabled(browser) == {own: True, one: False, two: True}
    assert browser.get("/web/account/mqtt").ok() == NO_MQTT
    [ended] = [shown for shown in browser.get("/web/webhooks").ok() if shown["id"] == one]
    assert ended["switchedOffAt"] is not None
    assert browser.delete(f"/web/keys/{second['id']}?keepSetUp=true").ok() == {}
    assert enabled(browser)[own] is True
    audit = world.sql("SELECT action, target FROM audit_entry WHERE account_id = %s AND action IN "
                      "('webhook.disable', 'mqtt.remove', 'key.revoke')", person.id)
    assert sorted(audit) == [("key.revoke", "first"), ("key.revoke", "second"),
                             ("mqtt.remove", "mqtts://broker.example.invalid"),
                             ("webhook.disable", "https://a.example.invalid")]
    # No key ends a webhook that the owner has switched on again, or has kept.
    assert browser.patch(f"/web/webhooks/{one}", {"isEnabled": True}).status == 200
    assert world.sql("SELECT count(*) FROM webhook WHERE account_id = %s AND made_by_key_id IS NOT NULL",
                     person.id) == [(0,)]


def test_who_switches_it_on_has_set_it_up(world, person):
    browser = person.browser()
    key = key_of(browser)
    own = own_hook(browser, isEnabled=False)
    path = f"webhooks/{own}"
    assert world.request("PATCH", f"/v1/{path}", key=key["key"], body={"isEnabled": True}).status == 200
    assert set_up(browser) == {"program": [("webhook", "https://own.example.invalid")]}
    for is_on in (False, True):
        assert set_up(browser)["program"] if not is_on else not set_up(browser)["program"]
        assert browser.patch(f"/web/{path}", {"isEnabled": is_on}).status == 200
    assert set_up(browser) == {"program": []}
    mqtt(world, key)
    assert set_up(browser) == {"program": [("mqtt", "mqtts://broker.example.invalid")]}
    assert browser.request("PUT", "/web/account/mqtt", body={"url": "mqtts://own.example.invalid"}).status == 200
    assert browser.delete(f"/web/keys/{key['id']}").ok() == {}
    assert enabled(browser) == {own: True} and has_mqtt(browser)


def test_displayctl_shows_and_keeps_it(world, person):
    ctl = world.server.ctl
    browser = person.browser()
    kept, ended = (ctl("key", "create", "--account", person.email, "--name", name) for name in ("kept", "ended"))
    SECRETS.update((kept["key"], ended["key"]))
    stays = hook(world, kept)
    mqtt(world, kept)
    shown = ctl("key", "show", kept["id"])
    assert [one["kind"] for one in shown["setUp"]] == ["webhook", "mqtt"]
    ctl("key", "revoke", kept["id"], "--keep", "--yes")
    assert enabled(browser) == {stays: True} and has_mqtt(browser)
    goes = hook(world, ended, "https://goes.example.invalid/")
    mqtt(world, ended)
    ctl("key", "revoke", ended["id"], "--yes")
    assert enabled(browser) == {stays: True, goes: False} and not has_mqtt(browser)
    assert world.sql("SELECT actor FROM audit_entry WHERE action = 'webhook.disable' AND target = %s",
                     "https://goes.example.invalid") == [("displayctl",)]


# ---- other ends of a key ----


@pytest.mark.parametrize("wish", [{"scope": "devices"}, {"deviceIds": True}])
@pytest.mark.parametrize("keeps", [False, True])
def test_a_limited_key(world, person, wish, keeps):
    """A key that may not set it up any more does not have it any more."""
    browser = person.browser()
    key = key_of(browser)
    made = hook(world, key)
    mqtt(world, key)
    path = f"/web/keys/{key['id']}"
    assert len(browser.request("PUT", path, body={"name": "renamed"}).ok()["setUp"]) == 2
    if wish.get("deviceIds"):
        wish = {"deviceIds": [person.device()]}
    answer = browser.request("PUT", path + ("?keepSetUp=true" if keeps else ""), body={"name": "limited", **wish})
    assert answer.ok()["setUp"] == []
    assert enabled(browser) == {made: keeps} and has_mqtt(browser) == keeps
    assert set_up(browser) == {"limited": []}
    # It was kept once: what the key sets up later ends again.
    assert browser.request("PUT", path, body={"name": "again"}).status == 200
    later = hook(world, key, "https://later.example.invalid/")
    assert browser.delete(path).ok() == {}
    assert enabled(browser)[later] is False


def test_it_expires(world, person):
    browser = person.browser()
    key = key_of(browser, endsAt="2099-01-31T12:00:00Z")
    made = hook(world, key)
    mqtt(world, key)
    with DatabaseClock(world.database) as clock:
        clock.set("2099-01-31 12:00:01+00")
        wait_until(lambda: world.sql("SELECT is_enabled FROM webhook WHERE id = %s", made) == [(False,)], "its end")
        wait_until(lambda: not world.sql("SELECT 1 FROM mqtt_connection WHERE account_id = %s", person.id), "its end")
    assert not has_mqtt(browser) and enabled(browser) == {made: False}


@contextlib.contextmanager
def nothing_cleans(world):
    """Nothing that a key has set up is removed because the key has ended: what ends then, ends by itself."""
    [(usual,)] = world.sql("SELECT pg_get_functiondef('key_set_up_end'::regproc)")
    world.sql("CREATE OR REPLACE FUNCTION key_set_up_end(key uuid, from_address text, by_session uuid) RETURNS int8 "
              "LANGUAGE sql AS 'SELECT 0::int8'")
    try:
        yield
    finally:
        world.sql(usual)


def soon():
    """The end of a key: in three to four seconds."""
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=4)
    return end.replace(microsecond=0)


def text_of(time):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def push(world, device, key):
    body = {"image": images.text(images.png())}
    assert world.request("POST", f"/v1/devices/{device}/push", key=key["key"], body=body).status == 200


@pytest.mark.parametrize("by_secret", [False, True])
def test_an_expired_key_hears_nothing(world, person, by_secret):
    """From its end on, whoever removes what it has set up, and whether it has made the webhook or knows its secret."""
    browser = person.browser()
    device, owners = person.device(), key_of(browser)
    key = key_of(browser, endsAt=text_of(soon()))
    with nothing_cleans(world), Receiver() as receiver, Receiver() as other:
        made = hook(world, owners if by_secret else key, receiver.url)
        if by_secret:
            SECRETS.add(world.request("POST", f"/v1/webhooks/{made}/secret", key=key["key"], body={}).json()["secret"])
        hook(world, owners, other.url)
        wait_until(lambda: world.get("/v1/devices", key=key["key"]).status == 401, "the end of the key")
        for count in range(1, 4):
            push(world, device, owners)
            wait_until(lambda count=count: len(other.events()) >= count, "an event at the other webhook")
        assert receiver.events() == []
        assert world.sql("SELECT message_id, (SELECT count(*) FROM webhook_event WHERE webhook_id = id) FROM webhook "
                         "WHERE id = %s", made) == [(None, 3)]
    assert enabled(browser)[made] is True
    wait_until(lambda: enabled(browser)[made] is False, "the end of the webhook")


@pytest.mark.parametrize("is_known", [True, False])
def test_the_mqtt_connection_of_an_expired_key(world, person, broker, is_known):
    """It ends at the instant at which the key ends, and comes no more, whoever removes it. The end may be known when the
    connection is made, or be set later."""
    browser = person.browser()
    stays = Person(world, reaches_local=True)
    stays.device()
    owners = key_of(stays.browser())
    end = soon()
    key = key_of(browser, **({"endsAt": text_of(end)} if is_known else {}))
    availability = f"{base(person)}/availability"
    with nothing_cleans(world), broker.listen() as heard:
        mqtt(world, key, broker.url, username=USER, password=PASSWORD)
        mqtt(world, owners, broker.url, username=USER, password=PASSWORD)
        heard.wait_for(availability, b"online")
        heard.wait_for(f"{base(stays)}/availability", b"online")
        if not is_known:
            end = soon()
            body = {"name": "ends", "endsAt": text_of(end)}
            assert browser.request("PUT", f"/web/keys/{key['id']}", body=body).status == 200
        assert heard.newest[availability] == b"online"
        heard.wait_for(availability, b"offline")
        late = datetime.datetime.now(datetime.timezone.utc) - end
        assert datetime.timedelta() <= late + datetime.timedelta(seconds=1)
        assert late < datetime.timedelta(seconds=3), "the next lease of its connection has ended it, not the key's end"
        # All connections are free then, and are leased again: but for this one.
        leased = ("SELECT held_until > present_time() FROM mqtt_connection WHERE account_id = ANY (%s::uuid[]) "
                  "ORDER BY account_id = %s")
        with DatabaseClock(world.database) as clock:
            clock.advance(60)
            wait_until(lambda: world.sql(leased, [person.id, stays.id], person.id) == [(True,), (False,)],
                       "the other's lease, and none of this")
        assert heard.newest[availability] == b"offline"
    stays.browser().delete("/web/account/mqtt")
    wait_until(lambda: not has_mqtt(browser), "the end of the connection")


def test_a_revocation_that_was_cut_off(world, person):
    """The statement that ends it never came."""
    browser = person.browser()
    ended, kept = key_of(browser), key_of(browser)
    goes, stays = hook(world, ended), hook(world, kept)
    mqtt(world, ended)
    world.sql("UPDATE api_key SET revoked_at = present_time(), keeps_set_up = id = %s WHERE account_id = %s", kept["id"],
              person.id)
    wait_until(lambda: enabled(browser) == {goes: False, stays: True} and not has_mqtt(browser), "its end")
    wait_until(lambda: world.sql("SELECT count(*) FROM api_key WHERE account_id = %s AND has_set_up",
                                 person.id) == [(0,)], "that nothing is left to end")
    assert enabled(browser) == {goes: False, stays: True}


# ---- at the same moment ----


def test_a_revoked_key_sets_up_nothing(world, person):
    """Not even through a worker that has not heard of the revocation yet."""
    browser = person.browser()
    key = key_of(browser)
    own = own_hook(browser)
    with world.each_worker() as clients:
        for client in clients:
            assert client.request("GET", "/v1/account", key=key["key"]).status == 200
        world.sql("UPDATE api_key SET revoked_at = clock_timestamp() WHERE secret_hash = %s", sha256(key["key"]))
        for method, path, body in (("POST", "/v1/webhooks", {"url": "https://a.example.invalid/", "events": ["pushed"]}),
                                   ("PATCH", f"/v1/webhooks/{own}", {"url": "https://a.example.invalid/"}),
                                   ("PUT", "/v1/account/mqtt", {"url": "mqtts://a.example.invalid"})):
            answer = clients[0].request(method, path, key=key["key"], body=body)
            assert answer.problem(401)["code"] == "key_invalid"
    assert world.sql("SELECT url FROM webhook WHERE account_id = %s", person.id) == [("https://own.example.invalid/",)]


def test_a_revocation_waits_for_what_is_being_set_up(world, person):
    """The key has made a webhook in a transaction that is not committed: the revocation comes after it, and finds it."""
    browser = person.browser()
    key = key_of(browser)
    made = hook(world, key, isEnabled=False)
    with lock_sessions.Session(world) as holder:
        holder.run("BEGIN")
        holder.run("SELECT key_sets_up(%s)", (sha256(key["key"]),))
        holder.run("UPDATE webhook SET is_enabled = true WHERE id = %s", (made,))
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(browser.delete, f"/web/keys/{key['id']}")
            wait_until(lambda: answer.done() or world.sql(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'transactionid' AND datname = current_database()"),
                       "that the revocation waits")
            assert not answer.done(), answer.result()
            holder.run("COMMIT")
            assert answer.result().ok() == {}
    assert enabled(browser) == {made: False}


def test_many_at_once(world, person):
    """Whatever the order, nothing that works is left of a key that is revoked."""
    browser = person.browser()
    for _ in range(3):
        key = key_of(browser)

        def set_up_one(number, key=key):
            if number % 3 == 0:
                return world.request("PUT", "/v1/account/mqtt", key=key["key"], body={"url": f"mqtts://b{number}.invalid"})
            return world.request("POST", "/v1/webhooks", key=key["key"],
                                 body={"url": f"https://h{number}.invalid/", "events": ["pushed"]})

        with ThreadPoolExecutor(8) as pool:
            answers = [pool.submit(set_up_one, number) for number in range(12)]
            revoked = pool.submit(browser.delete, f"/web/keys/{key['id']}")
            assert revoked.result().ok() == {}
            found = [answer.result() for answer in answers]
        SECRETS.update(one.json()["secret"] for one in found if one.status == 201)
        assert {one.status for one in found} <= {200, 201, 401, 409, 429}
        assert not any(enabled(browser).values()) and not has_mqtt(browser)
        for one in enabled(browser):
            browser.delete(f"/web/webhooks/{one}").ok()
