"""GET /v1/events: events of devices, for programs with a key."""

import contextlib
import datetime
import os
import signal

import pytest
from key_events import KEPT, Events, on_each_worker, push
from panel import Panel
from served_metrics import value_of
from world import UNKNOWN_ID, World, images, new_key, sha256, wait_until

from postgres import Postgres

RED = images.png(images.solid())


def change(device, **members):
    assert device.account.request("PATCH", device.path, body=members).status == 200


def tell_key(world, key):
    """Sends the hint of a statement that changes a key."""
    world.sql("SELECT pg_notify('displayd_hint', %s)", f"key:{sha256(key).hex()}")


def test_state(world, account):
    """A stream sends online and shown: their state at its beginning, then each change."""
    device = account.device()
    push(device, image=RED, installationId="red", background=True)
    with Events(account) as events:
        assert events.next("online")["isOnline"] is False
        offline = events.next("shown")
        assert (offline["kind"], offline["picture"], offline["since"]) == ("unknown", None, None)
        with Panel(world.server, device):
            assert events.next("online")["isOnline"] is True
            shown = events.next("shown", lambda data: data["installationId"] == "red")
            assert shown["deviceId"] == device.id and shown["kind"] == "rotation" and shown["picture"]
            push(device)
            assert events.next("shown", lambda data: data["kind"] == "temporary")["installationId"] is None
            change(device, brightness=0)
            assert events.next("shown", lambda data: data["kind"] == "dark")["picture"] is None
            with Events(account) as other:
                assert other.next("online")["isOnline"] is True
                assert other.next("shown")["kind"] == "dark"
        assert events.next("online", lambda data: not data["isOnline"])["deviceId"] == device.id


def test_what_is_kept(world, account, start):
    """Events have the same IDs and order in all workers of two instances, wherever they happen."""
    device = account.device()
    other = start(database=world.database)
    with contextlib.ExitStack() as stack:
        streams = on_each_worker(stack, account, (world, other))
        for number, client in enumerate([*world.clients(), *other.clients()]):
            entry = f"entry {number}: ä/%"[:9] + str(number)
            body = {"image": images.text(RED), "installationId": entry}
            path = f"{device.path}/push"
            assert client.request("POST", path, key=account.key, body=body).status == 200
            body.pop("installationId")
            assert client.request("POST", path, key=account.key, body=body).status == 200
            assert client.request("PATCH", device.path, key=account.key,
                                  body={"brightness": 10 + number}).status == 200
            found = []
            for events in streams:
                assert events.kept("pushed", device)["installationId"] == entry
                assert events.kept("pushed", device)["installationId"] is None
                events.kept("changed", device)
                found.append(events.last_id)
            assert len(set(found)) == 1
            client.close()


def test_changes_by_displayctl(world, account):
    device = account.device()
    with Events(account) as events:
        world.server.ctl("device", "update", device.id, "--brightness", "33")
        events.kept("changed", device)


def test_only_ones_own(world, account):
    device, stranger = account.device(), world.account()
    other = stranger.device()
    with Events(account) as events, Events(stranger) as theirs:
        push(other)
        change(other, brightness=11)
        # Other workers may report them in another order.
        told = set()
        while told != {"pushed", "changed"}:
            told |= {theirs.event()[0]} & {"pushed", "changed"}
        push(device)
        events.kept("pushed", device)
        assert {data.get("deviceId") for _, data in events.seen} == {device.id}


def test_a_device_that_comes(world, account):
    """A new device and its state are sent to streams of all devices, not to streams of named devices."""
    first = account.device()
    with Events(account) as events, Events(account, [first.id]) as named:
        second = account.device()
        world.sql("SELECT pg_notify('displayd_hint', %s)", f"changed:{account.id}:devices")
        assert events.kept("online", second)["isOnline"] is False
        push(second)
        events.kept("pushed", second)
        push(first)
        named.kept("pushed", first)
        assert {data.get("deviceId") for _, data in named.seen} == {first.id}
        world.sql("DELETE FROM device WHERE id = %s", second.id)
        world.sql("SELECT pg_notify('displayd_hint', %s)", f"changed:{account.id}:devices")
        push(first)
        events.kept("pushed", first)


def test_named_devices(world, account):
    first, second, third = (account.device() for _ in range(3))
    with Events(account, [first.id, third.id]) as events:
        events.begun(first, third)
        push(second)
        push(third)
        events.kept("pushed", third)
        assert second.id not in {data.get("deviceId") for _, data in events.seen}


def test_a_key_for_chosen_devices(world, account):
    mine, other = account.device(), account.device()
    key = account.new_key()
    world.sql("UPDATE api_key SET device_ids = ARRAY[%s]::uuid[] WHERE secret_hash = %s", mine.id, sha256(key))
    with Events(account, key=key) as events, Events(account, [mine.id], key=key) as named:
        for one in (events, named):
            one.begun(mine)
        push(other)
        change(other, brightness=12)
        push(mine)
        for one in (events, named):
            one.kept("pushed", mine)
            assert {data.get("deviceId") for _, data in one.seen} == {mine.id}
    assert "other devices" in Events(account, [mine.id, other.id], key=key).refused().problem(403)["detail"]


def test_refusals(world, account):
    device, stranger = account.device(), world.account().device()
    for devices, status in (([UNKNOWN_ID], 404), ([device.id, UNKNOWN_ID], 404), ([stranger.id], 403),
                            ([device.id, "x"], 400), ([device.id, ""], 400),
                            ([UNKNOWN_ID[:-3] + f"{n:03}" for n in range(101)], 400)):
        events = Events(account, devices)
        assert events.status == status, devices
        events.close()
    for query in ("devices=", "devices=%"):
        account.get(f"/v1/events?{query}").problem(400)
    account.get("/v1/events", key=account.new_key(scope="push")).problem(403)
    account.get("/v1/events", key=new_key()).problem(401)
    assert account.request("HEAD", "/v1/events").status == 200


def test_a_hundred_and_a_thousand_devices(world):
    account = world.account()
    account.devices(999)
    last = account.device()
    with Events(account) as events:
        assert events.next("online")["isOnline"] is False
        push(last)
        events.kept("pushed", last)
    ids = [row[0] for row in world.sql("SELECT id FROM device WHERE account_id = %s LIMIT 100", account.id)]
    with Events(account, ids) as events:
        assert events.next("online")["deviceId"] in ids
    account.device()
    account.get("/v1/events").problem(409)


# ---- Last-Event-ID ----


@pytest.mark.parametrize("last_id", ["x", "0" * 31, "0" * 33, "g" * 32, "\xe9"])
def test_foreign_last_ids(account, last_id):
    """An EventSource that is answered 400 never comes back: an ID of another server counts as missed events."""
    device = account.device()
    with Events(account, last_id=last_id) as events:
        assert events.event() == ("reset", {})
        push(device)
        events.kept("pushed", device)


@pytest.mark.parametrize("query", ["x", "0" * 32, "%", "%zz", "%C3%A9"])
def test_foreign_last_ids_of_the_query(account, query):
    device = account.device()
    with Events(account, query=f"lastEventId={query}") as events:
        assert events.event() == ("reset", {})
        push(device)
        events.kept("pushed", device)


def test_last_id_of_the_query(account):
    """Clients that cannot set fields name the last event in the query. The field of a reconnection is newer."""
    device = account.device()
    with Events(account) as events:
        push(device, installationId="0")
        events.kept("pushed", device)
        first = events.last_id
        push(device, installationId="1")
        events.kept("pushed", device)
        second = events.last_id
    push(device, installationId="2")
    for last_id, expected in ((None, ["1", "2"]), (second, ["2"])):
        with Events(account, query=f"lastEventId={first}", last_id=last_id) as events:
            for entry in expected:
                assert events.kept("pushed", device)["installationId"] == entry
            assert "reset" not in dict(events.seen)


def test_pause_before_a_reconnection(account):
    with Events(account) as events:
        device = account.device()
        push(device)
        events.kept("pushed", device)
        assert events.retry_ms == 2000


def test_coming_back(world, account, start):
    """A client that reconnects to any worker of any instance gets missed events in order, then new ones."""
    first, second = account.device(), account.device()
    other = start(database=world.database)
    with Events(account, [first.id]) as events:
        push(first, installationId="0")
        events.kept("pushed", first)
        last_id = events.last_id
    for number in (1, 2, 3):
        push(first, installationId=str(number))
        push(second, installationId=str(number))
    with contextlib.ExitStack() as stack:  # until all workers have received them
        streams = on_each_worker(stack, account, (world, other))
        push(second, installationId="4")
        for stream in streams:
            stream.next("pushed", lambda data: data["installationId"] == "4")
    for client in [*world.clients(), *other.clients()]:
        with Events(account, [first.id], client, last_id=last_id) as events:
            found = [events.kept("pushed", first)["installationId"] for _ in range(3)]
            assert found == ["1", "2", "3"]
            kept = [data for name, data in events.seen if name in KEPT]
            assert {data["deviceId"] for data in kept} == {first.id}
            # They are sent before the state.
            assert events.seen[0][0] in KEPT and "reset" not in dict(events.seen)
    with Events(account, last_id=last_id) as events:
        push(second, installationId="new")
        events.next("pushed", lambda data: data["installationId"] == "new")


def test_what_is_not_there(world, account):
    """Unknown IDs get reset, whether they are old, invalid or of another account."""
    device, stranger = account.device(), world.account()
    other = stranger.device()
    with Events(stranger) as theirs:
        push(other)
        theirs.kept("pushed", other)
        for last_id in ("0" * 32, theirs.last_id):
            with Events(account, last_id=last_id) as events:
                assert events.event() == ("reset", {})
                push(device)
                events.kept("pushed", device)
                assert [name for name, _ in events.seen].count("reset") == 1
    with Events(account) as fresh:
        push(device)
        fresh.kept("pushed", device)
        assert "reset" not in dict(fresh.seen)


def test_eight_streams_of_a_key(world, account):
    """A key has eight streams in all workers together; closing one makes room."""
    account.device()
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(Events(account, client=client))
                   for _ in range(4) for client in world.clients()]
        for client in world.clients():
            refused = Events(account, client=client).refused()
            assert "8 streams" in refused.problem(429)["detail"] and int(refused["Retry-After"]) >= 1
            client.close()
        with Events(account, key=account.new_key()) as other:
            assert other.status == 200
        streams[0].close()

        def is_open():
            events = Events(account)
            stack.callback(events.close)
            return events.status == 200

        wait_until(is_open, "room for another stream")


def test_streams_of_an_account(start):
    world = start(workers=1)
    account = world.account()
    account.device()
    with contextlib.ExitStack() as stack, world.impatient():
        for _ in range(8):
            key = account.new_key()
            for _ in range(8):
                stack.enter_context(Events(account, key=key))
        refused = Events(account, key=account.new_key()).refused()
        assert int(refused["Retry-After"]) >= 1 and "64 streams" in refused.problem(503)["detail"]
        other = world.account()
        other.device()
        stack.enter_context(Events(other))


def test_they_are_counted(start):
    world = start("--admin-listen", "127.0.0.1:0")
    account = world.account()
    account.device()

    def is_counted(count):
        return value_of(world, "displayd_event_streams") == count

    with contextlib.ExitStack() as stack:
        for client in world.clients():
            stack.enter_context(Events(account, client=client)).next("shown")
        assert is_counted(2)
    wait_until(lambda: is_counted(0), "the end of the streams")


def ends(streams):
    for events in streams:
        assert events.end()[-1] == "bye"


def test_revocation(world, account, start):
    device = account.device()
    key = account.new_key()
    other = start(database=world.database)
    with contextlib.ExitStack() as stack, Events(account) as lasting:
        streams = on_each_worker(stack, account, (world, other), key=key)
        account.revoke(key)
        tell_key(world, key)
        ends(streams)
        push(device)
        lasting.kept("pushed", device)


@pytest.mark.parametrize("change_of", ["scope = 'push'", "scope = 'devices'",
                                       "ends_at = clock_timestamp() + interval '1 day'",
                                       "device_ids = (SELECT array_agg(id) FROM device WHERE "
                                       "device.account_id = api_key.account_id)"])
def test_change_of_scope(world, account, change_of):
    account.device()
    with contextlib.ExitStack() as stack:
        streams = on_each_worker(stack, account, [world])
        world.sql("UPDATE api_key SET name = 'Another' WHERE secret_hash = %s", sha256(account.key))
        tell_key(world, account.key)
        for events in streams:
            events.begun()
        world.sql(f"UPDATE api_key SET {change_of} WHERE secret_hash = %s", sha256(account.key))
        tell_key(world, account.key)
        ends(streams)


def test_the_end_of_a_key(world, account):
    """A key expires by the clock, without a hint."""
    account.device()
    key = account.new_key()
    [[end]] = world.sql("UPDATE api_key SET ends_at = clock_timestamp() + interval '2 seconds' "
                        "WHERE secret_hash = %s RETURNING ends_at", sha256(key))
    with contextlib.ExitStack() as stack:
        ends(on_each_worker(stack, account, [world], key=key))
        assert datetime.datetime.now(datetime.timezone.utc) >= end


def test_a_closed_account(world):
    account = world.account()
    account.device()
    with contextlib.ExitStack() as stack:
        streams = on_each_worker(stack, account, [world])
        world.server.ctl("account", "remove", account.email, "--yes")
        ends(streams)


def end_hint_connections(world):
    for pid in world.hint_backends():
        world.sql("SELECT pg_terminate_backend(%s)", pid)


def test_revocation_whose_hint_is_lost(start):
    """Revocation works even if connections for hints hang or are gone."""
    world = start()
    account = world.account()
    account.device()
    first, second = account.new_key(), account.new_key()
    hung = world.hint_backends()
    with contextlib.ExitStack() as stack:
        streams = on_each_worker(stack, account, [world], key=first)
        for pid in hung:
            os.kill(pid, signal.SIGSTOP)
        try:
            account.revoke(first)
            ends(streams)
        finally:
            for pid in hung:
                os.kill(pid, signal.SIGCONT)
        streams = on_each_worker(stack, account, [world], key=second)
        account.revoke(second)
        end_hint_connections(world)
        ends(streams)


# ---- failures ----


def test_hints_that_were_lost(start):
    """Events may have been missed, so all streams are reset, and older IDs are unknown."""
    world = start()
    account = world.account()
    device = account.device()
    with Events(account) as events:
        push(device)
        events.kept("pushed", device)
        last_id = events.last_id
        end_hint_connections(world)
        for name in ("away", "back", "reset"):
            events.next(name)
        events.begun(device)
        push(device)
        events.kept("pushed", device)
    with Events(account, last_id=last_id) as events:
        events.next("reset")


def test_a_worker_that_dies(start):
    """Its streams end and others continue. The new worker keeps events, and the places of the old one are free."""
    world = start()
    account = world.account()
    device = account.device()
    first, second = world.workers()
    with contextlib.ExitStack() as stack:
        lasting = stack.enter_context(Events(account, client=world.client_of(second)))
        lost = [stack.enter_context(Events(account, client=world.client_of(first))) for _ in range(7)]
        world.kill_worker(first)
        for events in lost:
            with pytest.raises(ConnectionError):
                events.next("bye")
        wait_until(lambda: len(set(world.workers()) - {first, second}) == 1, "another worker")
        [third] = set(world.workers()) - {first, second}
        # A push at the new worker reaches streams of the old one.
        body = {"image": images.text(RED), "installationId": "late"}

        def is_heard():
            with world.client_of(third) as client:
                assert client.request("POST", device.path + "/push", key=account.key, body=body).status == 200
            push(device)
            return lasting.kept("pushed", device)["installationId"] == "late"

        wait_until(is_heard, "the push of a new worker")
        for _ in range(7):
            stack.enter_context(Events(account, client=world.client_of(third)))


def test_the_database_goes():
    with Postgres() as cluster, World(cluster.create_database(), "--rate-limit", "0") as world:
        account = world.account()
        device = account.device()
        with Panel(world.server, device), Events(account) as events:
            events.begun(device)
            cluster.kill()
            events.next("away")
            cluster.start()
            events.next("back")
            events.next("reset")
            events.begun(device)
            wait_until(lambda: device.push().status == 200, "a push")
            events.kept("pushed", device)


def test_the_server_stops(start):
    world = start()
    account = world.account()
    account.device()
    with Events(account) as events:
        events.next("shown")
        assert world.server.stop() == 0
        events.end()


def test_a_slow_reader(start):
    """A slow reader gets a notice of missed events, and has no more unsent output than others."""
    world = start(workers=1)
    account = world.account()
    device = account.device()
    with Events(account) as events, Events(account) as quick:
        quick.begun(device)
        for start_at in range(0, 40000, 25):
            words = " ".join(f"event:{account.id}:pushed:{device.id}:{10**6 + n}:{'x' * 64}::"
                             for n in range(start_at, start_at + 25))
            world.sql("SELECT pg_notify('displayd_hint', %s)", words)
            if start_at % 1000 == 0:
                with contextlib.suppress(TimeoutError):
                    quick.next("pushed")
        push(device, installationId="last")
        events.next("reset")
        while ("pushed", "last") != (events.event()[0], events.seen[-1][1].get("installationId")):
            if events.seen[-1][0] == "reset":  # this push may be missed, too
                push(device, installationId="last")
