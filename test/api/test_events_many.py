"""GET /v1/events: many streams, many events, and IDs that are empty."""

import contextlib

import pytest
from key_events import Events, on_each_worker, push


def test_a_device_that_comes_to_many_streams(world, account):
    """Each stream gets it, one in a turn of the loop; a stream that ends meanwhile does no harm."""
    first = account.device()
    with contextlib.ExitStack() as stack:
        streams = [events.begun(first) for _ in range(4) for events in on_each_worker(stack, account, [world])]
        second = account.device()
        world.sql("SELECT pg_notify('displayd_hint', %s)", f"changed:{account.id}:devices")
        streams.pop().close()
        for events in streams:
            assert events.kept("online", second)["isOnline"] is False
        push(second)
        for events in streams:
            events.kept("pushed", second)


def notify_pushes(world, device, first, count):
    """Sends as many events at once as fit in a hint."""
    words = " ".join(f"event:{device.account.id}:pushed:{device.id}:{n}:{'x' * 64}::" for n in range(first, first + count))
    world.sql("SELECT pg_notify('displayd_hint', %s)", words)


def wait_for_all_workers(world, account, device):
    """Waits until each worker has handled the hints so far, which arrive in order."""
    with contextlib.ExitStack() as stack:
        streams = on_each_worker(stack, account, [world])
        push(device, installationId="last")
        for stream in streams:
            while (found := stream.event())[0] != "pushed" or found[1]["installationId"] != "last":
                if found[0] == "reset":  # slower than the events: the last push may be among those missed
                    push(device, installationId="last")


def test_more_than_is_kept(world, account):
    """An account keeps two MiB of events. A client that comes back for older ones gets reset."""
    device = account.device()
    with Events(account) as events:
        push(device)
        events.kept("pushed", device)
        last_id = events.last_id
    for start in range(0, 3600, 600):  # what fits in the log of hints, so that no worker misses any
        for first in range(start, start + 600, 30):
            notify_pushes(world, device, 10**6 + first, 30)
        wait_for_all_workers(world, account, device)
    for client in world.clients():
        with Events(account, client=client, last_id=last_id) as events:
            assert events.event()[0] == "pushed"
    for start in range(0, 12000, 25):
        notify_pushes(world, device, 2 * 10**6 + start, 25)
    wait_for_all_workers(world, account, device)
    for client in world.clients():
        with Events(account, client=client, last_id=last_id) as events:
            assert events.event()[0] == "reset"


def test_streams_of_all_accounts(start):
    """A worker has 1,024 streams. Who gets none is told whose limit it is."""
    world = start(workers=1)
    with contextlib.ExitStack() as stack, world.impatient():
        for _ in range(16):
            account = world.account()
            account.device()
            for key in [account.new_key() for _ in range(8)]:
                for _ in range(8):
                    stack.enter_context(Events(account, key=key))
        other = world.account()
        other.device()
        refused = Events(other).refused()
        assert refused["Retry-After"] == "10"
        problem = refused.problem(503)
        assert (problem["code"], problem["detail"]) == (
            "streams_too_many", "the server has too many open streams of all accounts, try again")


def test_devices_of_all_streams(start):
    """A worker watches 16,384 devices, of an account as many as it leaves free: few devices still find room."""
    world = start(workers=1)
    accounts = [world.account() for _ in range(16)]
    few = world.account()
    few.device()
    for account in accounts:
        account.devices(1000)
    with contextlib.ExitStack() as stack, world.impatient():
        for account in accounts[:15]:
            stack.enter_context(Events(account))
        refused = Events(accounts[15]).refused()
        assert refused["Retry-After"] == "10"
        problem = refused.problem(503)
        assert (problem["code"], problem["detail"]) == (
            "streams_too_many", "the server watches too many devices for all accounts, try again")
        stack.enter_context(Events(few))


@pytest.mark.parametrize("options", [{"last_id": ""}, {"query": "lastEventId="}])
def test_an_empty_last_id(account, options):
    """It means that there is none, so nothing was missed."""
    device = account.device()
    with Events(account, **options) as events:
        push(device)
        events.kept("pushed", device)
        assert "reset" not in dict(events.seen)
