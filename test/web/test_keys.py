"""The page Development > API keys."""

import os
import re
import signal

import lock_sessions
import pytest
from lists import next_target
from people import OWN_PAGE, TIMESTAMP, UNKNOWN_ID, Browser, Person, sha256, wait_until
from server import CtlError
from world import request_bytes

from database_clock import DatabaseClock


def test_an_account_without_a_device_has_no_key(browser):
    problem = browser.post("/web/keys", {"name": "Weather"}).problem(409)
    assert "must own at least one device before it can create a key" in problem["detail"]
    assert browser.get("/web/keys").ok() == []


def test_create_use_revoke(world, person):
    person.device()
    browser = person.browser()
    answer = browser.post("/web/keys", {"name": "Weather"})
    assert answer.status == 201
    key = answer.json()
    assert re.fullmatch(r"ddk_[0-9A-Za-z]{36}", key["key"])
    assert key["firstCharacters"] == key["key"][:8] and TIMESTAMP.fullmatch(key["createdAt"])
    shown = browser.get("/web/keys").ok()
    assert shown == [{"id": key["id"], "name": "Weather", "firstCharacters": key["key"][:8],
                      "scope": "all", "deviceIds": None, "endsAt": None,
                      "createdAt": key["createdAt"], "lastUsedAt": None, "eventStreams": 0, "setUp": []}]
    assert key["key"] not in str(world.sql("SELECT * FROM api_key WHERE id = %s", key["id"]))
    assert world.get("/v1/devices", key=key["key"]).status == 200
    # Another account cannot revoke the key.
    stranger = Person(world).browser()
    for name in (key["id"], UNKNOWN_ID, "none", key["key"]):
        stranger.delete(f"/web/keys/{name}").problem(404)
    assert browser.delete(f"/web/keys/{key['id']}").ok() == {}
    wait_until(lambda: world.get("/v1/devices", key=key["key"]).status == 401, "the revocation")
    browser.delete(f"/web/keys/{key['id']}").problem(404)
    assert browser.get("/web/keys").ok() == []


def test_a_key_of_an_account_that_is_removed(world, person):
    """A key that was made during the removal is refused at once, before the removal deletes it."""
    person.device()
    browser = person.browser()
    key = person.key()
    # A lock keeps the removal from its rows.
    with lock_sessions.Session(world) as holder:
        holder.run("BEGIN")
        holder.run("SELECT FROM api_key WHERE account_id = %s FOR UPDATE", (person.id,))
        world.sql("UPDATE account SET closed_at = now() WHERE id = %s", person.id)
        for _ in range(4):
            assert world.get("/v1/devices", key=key).status == 401
        with pytest.raises(CtlError, match="no account"):
            world.server.ctl("key", "create", "--account", person.email, "--name", "Late")
        holder.run("ROLLBACK")
    browser.post("/web/keys", {"name": "Late"}).problem(401)


def test_revoked_by_a_worker_that_cannot_tell_others(start):
    """The connection for hints of an unknown worker hangs, so each worker revokes a key."""
    world = start()
    person = Person(world)
    person.device()
    browser = person.browser()
    made = [browser.post("/web/keys", {"name": "x"}).json() for _ in world.workers()]
    clients = world.clients()

    def answers(key):
        return {client.request("GET", "/v1/devices", key=key["key"]).status for client in clients}

    assert all(answers(key) == {200} for key in made)
    hung = world.hint_backends()[0]
    os.kill(hung, signal.SIGSTOP)
    try:
        for client, key in zip(clients, made):
            fields = [*OWN_PAGE, ("Cookie", browser.cookie)]
            client.send(request_bytes("DELETE", f"/web/keys/{key['id']}", fields=fields))
            assert client.answer().status == 200
        for key in made:
            wait_until(lambda key=key: answers(key) == {401}, "the revocation")
    finally:
        os.kill(hung, signal.SIGCONT)
    for client in clients:
        client.close()


def test_older_keys_have_no_first_characters(person):
    person.key()
    [key] = person.browser().get("/web/keys").ok()
    assert key["firstCharacters"] is None and key["lastUsedAt"] is None


def test_displayctl_keeps_them_too(world, person):
    person.device()
    made = world.server.ctl("key", "create", "--account", person.email, "--name", "by ctl")
    [key] = person.browser().get("/web/keys").ok()
    assert (key["name"], key["firstCharacters"]) == ("by ctl", made["key"][:8])


def test_last_use_is_written_behind(world, person):
    """An unused key has no last use. A used key has one a moment later, which is not written again for each
    request."""
    used, idle = person.key(), person.key()
    begun = world.sql("SELECT present_time()")[0][0]
    for _ in range(5):
        assert world.get("/v1/devices", key=used).status == 200

    def last_use(key):
        return world.sql("SELECT last_used_at FROM api_key WHERE secret_hash = %s", sha256(key))[0][0]

    wait_until(lambda: last_use(used), "the last use")
    assert last_use(used) >= begun and last_use(idle) is None
    assert sorted(entry["lastUsedAt"] is None
                  for entry in person.browser().get("/web/keys").ok()) == [False, True]
    with DatabaseClock(world.database) as clock:
        world.sql("UPDATE api_key SET last_used_at = present_time() WHERE secret_hash = %s", sha256(used))
        before = last_use(used)
        clock.advance(60)  # less than a minute ago
        for client in world.clients():  # even if no worker has the key cached
            assert client.request("GET", "/v1/devices", key=used).status == 200
            client.close()
        world.server.restart()
        assert world.get("/v1/devices", key=used).status == 200
        assert last_use(used) == before


def test_names(person):
    person.device()
    browser = person.browser()
    for name in ("", "\t", "a\u0000b", "x" * 101, None, 1):
        assert list(browser.post("/web/keys", {"name": name}).faults()) == ["/name"]
    browser.post("/web/keys", {"name": "x", "colour": "red"}).problem(400)
    name = "<img src=x onerror=alert(1)> \U0001f511"
    assert browser.post("/web/keys", {"name": name}).json()["name"] == name


def test_parts(world, person):
    browser = person.browser()
    world.sql("INSERT INTO api_key (id, account_id, name, secret_hash) SELECT gen_random_uuid(), "
              "%s, n::text, sha256(n::text::bytea || %s) FROM generate_series(1, 150) AS n",
              person.id, person.email.encode())
    everything = browser.get("/web/keys").ok()
    assert len(everything) == 150
    found, target = [], "/web/keys?limit=40"
    while target:
        answer = browser.get(target)
        found += answer.ok()
        target = next_target(target, answer)
    assert found == everything


def test_at_most_a_thousand(world, person):
    person.device()
    browser = person.browser()
    world.sql("INSERT INTO api_key (id, account_id, name, secret_hash) SELECT gen_random_uuid(), "
              "%s, 'x', sha256(n::text::bytea || %s) FROM generate_series(1, 1000) AS n",
              person.id, person.email.encode())
    assert "1000" in browser.post("/web/keys", {"name": "x"}).problem(409)["detail"]
    [first] = browser.get("/web/keys?limit=1").ok()
    browser.delete(f"/web/keys/{first['id']}").ok()
    assert browser.post("/web/keys", {"name": "x"}).status == 201
    browser.post("/web/keys", {"name": "x"}).problem(409)


def test_an_api_key_is_no_session(world, person):
    key = person.key()
    Browser(world).get("/web/keys", key=key).problem(401)
    assert person.browser().request("GET", "/v1/devices").status == 401
