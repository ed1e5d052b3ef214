"""Webhooks of a busy server: when they are checked, and how often their events may change."""

import contextlib
import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest
from webhook_stage import ALLOWED, local, make, marked_account, names, one_receiver, push, state, world_that_reaches
from world import wait_until

from database_clock import DatabaseClock

__all__ = ["marked_account", "one_receiver", "world_that_reaches"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS"), reason="built without the egress")


def test_hints_without_end(world, account, receiver):
    """Hints never delay a scheduled check."""
    make(account, receiver, ["pushed"])
    device = account.device()
    with contextlib.closing(psycopg2.connect(world.database)) as hinting, hinting.cursor() as cursor, \
            ThreadPoolExecutor(1) as pool:
        hinting.autocommit = True
        pushed = []

        def hint():
            cursor.execute("NOTIFY displayd_hint, 'webhook:changed'")
            if not pushed:
                pushed.append(pool.submit(push, device, "one"))
            return receiver.events()

        wait_until(hint, "an event", pause_s=0.005)
        pushed[0].result()


@contextlib.contextmanager
def hostile_receiver(begin, repeated):
    """A URL with this answer, whose second part repeats without end until the client leaves. Parts may be empty."""
    def answer(peer):
        with peer, contextlib.suppress(OSError):
            peer.sendall(begin)
            while repeated:
                peer.sendall(repeated)
            while peer.recv(65536):
                pass

    def serve(server):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("begin, repeated", [
    (b"", b""), (b"HTTP/1.1 200 OK\r\n\r\n", 4096 * b"x"), (b"HTTP/1.1 200 OK\r\n", b"X-More: yes\r\n"),
    (b"", b"HTTP/1.1 100 Continue\r\n\r\n"), (bytes(range(256)), 4096 * b"\0"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n")],
    ids=["silence", "body", "head", "continue", "garbage", "chunks"])
def test_a_hostile_receiver_delays_nobody(world, account, receiver, begin, repeated):
    """Ten webhooks of an account send to it; those of another account are served meanwhile."""
    other = local(world.account())
    with hostile_receiver(begin, repeated) as url:
        for _ in range(10):
            assert account.post("/v1/webhooks", {"url": url, "events": ["pushed"]}).status == 201
        make(other, receiver, ["pushed"])
        mine, device = account.device(), other.device()
        for number in range(3):
            push(mine, f"mine {number}")
            push(device, f"other {number}")
            receiver.wait_for(number + 1)
    assert names(receiver.events()) == ["other 0", "other 1", "other 2"]


def test_hints_of_events_alone(world, account, receiver):
    """A push without a matching webhook sends no hint, so no worker checks. One with a webhook sends it by the
    connection for hints, so after its commit."""
    make(account, receiver, ["pushed"])
    stranger, device = world.account().device(), account.device()

    def hints(of_device):
        with contextlib.closing(psycopg2.connect(world.database)) as listening, listening.cursor() as cursor:
            listening.autocommit = True
            cursor.execute("LISTEN displayd_hint")
            push(of_device, "one")

            def look():
                cursor.execute("SELECT")
                listening.poll()
                heard = {word: notice.pid for notice in listening.notifies for word in notice.payload.split()}
                return heard if any(word.startswith(f"push:{of_device.id}") for word in heard) else None

            return wait_until(look, "the hint of the push")

    heard = hints(device)
    assert heard["webhook:due"] == next(pid for word, pid in heard.items() if word.startswith("push:"))
    assert not [word for word in hints(stranger) if word.startswith("webhook")]


def test_upkeep_without_end(start, receiver):
    """Webhooks whose panels are checked again and again, one for each worker, delay no message."""
    world = start("--renderers", "0", *ALLOWED)
    account = local(world.account())
    world.sql("CREATE FUNCTION look_again() RETURNS trigger LANGUAGE plpgsql AS $$ "
              "BEGIN NEW.looked_at := '-infinity'; RETURN NEW; END $$")
    world.sql("CREATE TRIGGER look_again BEFORE UPDATE OF looked_at ON webhook FOR EACH ROW EXECUTE FUNCTION look_again()")
    for events in (["online"], ["online"], ["online", "pushed"]):
        make(account, receiver, events)
    device = account.device()
    wait_until(lambda: world.sql("SELECT 1 FROM webhook_online"), "a look")
    push(device, "one")
    assert names(receiver.wait_for(1)) == ["one"]


def test_wanted_events_change_at_a_pace(account, receiver):
    """Such a change locks the account's devices. Changes without effect on them do not count."""
    with DatabaseClock(account.world.database) as clock:
        made = make(account, receiver)
        path = f"/v1/webhooks/{made['id']}"
        for number in range(19):
            assert account.request("PATCH", path, body={"isEnabled": bool(number % 2)}).status == 200
        for _ in range(3):
            assert account.request("PATCH", path, body={"isEnabled": False, "url": receiver.url + "/x"}).status == 200
        refused = account.request("PATCH", path, body={"isEnabled": True})
        assert refused["Retry-After"] == "1" and "too often" in refused.problem(429)["detail"]
        account.post("/v1/webhooks", {"url": receiver.url, "events": ["online"]}).problem(429)
        assert not state(account, made)["isEnabled"] and len(account.get("/v1/webhooks").ok()) == 1
        clock.advance(1)
        assert account.request("PATCH", path, body={"isEnabled": True}).status == 200
        account.request("PATCH", path, body={"events": ["online"]}).problem(429)
        assert account.request("DELETE", path).ok() == {}


def test_kinds_that_are_no_longer_wanted(account, receiver):
    made = make(account, receiver)
    path = f"/v1/webhooks/{made['id']}"
    world, device = account.world, account.device()
    world.sql("UPDATE webhook SET leased_until = clock_timestamp() + interval '1 hour', lease = id WHERE id = %s", made["id"])
    push(device, "one")
    assert account.request("PATCH", device.path, body={"brightness": 12}).ok()

    def kinds():
        return [kind for kind, in world.sql("SELECT kind FROM webhook_event WHERE webhook_id = %s ORDER BY number", made["id"])]

    assert kinds() == ["pushed", "changed"]
    assert account.request("PATCH", path, body={"events": ["changed"]}).ok()
    assert kinds() == ["changed"]
    assert account.request("PATCH", path, body={"isEnabled": False}).ok()
    # An event of a change that had read the webhook before it was disabled.
    world.sql("INSERT INTO webhook_event (webhook_id, kind, data) VALUES (%s, 'changed', '{}')", made["id"])
    assert account.request("PATCH", path, body={"isEnabled": True}).ok()
    assert kinds() == []


def test_a_lease_is_given_back(start, receiver):
    """The lease is granted while the worker ends."""
    world = start("--renderers", "0", *ALLOWED)
    account = local(world.account())
    world.sql("CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $$ "
              "BEGIN PERFORM pg_sleep(1.5); RETURN NEW; END $$")
    made = make(account, receiver, ["pushed"])
    world.sql("CREATE TRIGGER take_long BEFORE UPDATE OF lease ON webhook FOR EACH ROW WHEN (NEW.lease IS NOT NULL) "
              "EXECUTE FUNCTION take_long()")
    push(account.device(), "one")
    wait_until(lambda: world.sql("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() "
                                 "AND wait_event = 'PgSleep'"), "a lease under way")
    world.stop()
    assert receiver.seen() == []
    assert world.sql("SELECT lease, leased_until <= now() FROM webhook WHERE id = %s", made["id"]) == [(None, True)]
