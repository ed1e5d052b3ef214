"""Panels that rest cost no write, and what people see when a process or an instance that has them ends or is paused."""

import contextlib
import datetime
import os
import signal

import pytest
from panel import Panel
from world import World, state_of, wait_until

AGO = "2 minutes"


@pytest.fixture
def pair(postgres):
    """Two instances with one worker each. The second one has a panel of its own."""
    database = postgres.create_database()
    with World(database, "--rate-limit", "0", workers=1) as one, World(database, "--rate-limit", "0", workers=1) as other:
        own = other.account().device()
        with Panel(other.server, own):
            wait_until(lambda: holder_of(other, own), "the panel of the other instance")
            yield one, other


def holder_of(world, device):
    return world.sql("SELECT online_by FROM device WHERE id = %s", device.id)[0][0]


def polls(world, device):
    device.poll(world)
    return holder_of(world, device)


def holds(world, device):
    wait_until(lambda: holder_of(world, device), "that a process has the panel")
    return holder_of(world, device)


def last_online(device, world):
    answer = world.get(device.path, key=device.account.key).ok()
    return datetime.datetime.fromisoformat(answer["lastOnline"].replace("Z", "+00:00"))


def is_online(device, world):
    [(now,)] = world.sql("SELECT now()")
    return abs(now - last_online(device, world)) < datetime.timedelta(seconds=60)


def seen_of(world, holder):
    return world.sql("SELECT seen_at FROM presence WHERE id = %s", holder)[0][0]


def make_old(world, device, holder):
    """The process has not been seen for some minutes, nor has the device been written."""
    world.sql("UPDATE device SET last_online_at = last_online_at - interval '1 hour' WHERE id = %s", device.id)
    # From now on others take its devices.
    return world.sql(f"UPDATE presence SET seen_at = seen_at - interval '{AGO}' WHERE id = %s "
                     "RETURNING date_trunc('milliseconds', seen_at)", holder)[0][0]


@contextlib.contextmanager
def paused(world):
    processes = [world.server.process.pid, *world.workers()]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
        wait_until(lambda process=process: state_of(process) == "T", "a paused process")
    try:
        yield
    finally:
        for process in reversed(processes):
            os.kill(process, signal.SIGCONT)


def test_a_panel_that_rests_is_online_everywhere(pair):
    one, other = pair
    linked, polling = one.account().device(), one.account().device()
    with Panel(one.server, linked):
        wait_until(lambda: polls(one, polling), "that a process has the panel that polls")
        holder = holds(one, linked)
        assert holder_of(one, polling) == holder
        one.sql("UPDATE device SET last_online_at = now() - interval '1 hour' WHERE id = ANY (%s::uuid[])",
                [linked.id, polling.id])
        rows = one.sql("SELECT xmin::text, ctid FROM device ORDER BY id")
        seen = seen_of(one, holder)
        wait_until(lambda: seen_of(one, holder) > seen, "a beat of the process")
        for device in (linked, polling):
            assert is_online(device, other) and is_online(device, one)
        assert one.sql("SELECT xmin::text, ctid FROM device ORDER BY id") == rows


def test_a_panel_that_polls_no_more(pair):
    one, other = pair
    device = one.account().device()
    wait_until(lambda: polls(one, device), "that a process has the panel")
    [(polled,)] = one.sql("SELECT now()")
    wait_until(lambda: not holder_of(one, device), "that the panel has left")
    assert abs(last_online(device, other) - polled) < datetime.timedelta(seconds=10)


def test_a_panel_that_moves_is_with_the_one_that_has_it(pair):
    one, other = pair
    device = one.account().device()
    with Panel(one.server, device):
        first = holds(one, device)
        with Panel(other.server, device):
            wait_until(lambda: holder_of(one, device) != first, "the other process has the panel")
            assert is_online(device, one)


def end_worker(world):
    world.kill_worker(*world.workers())


def end_instance(world):
    """No worker notices that the supervisor is gone, which would let its panels go."""
    workers = world.workers()
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
        wait_until(lambda worker=worker: state_of(worker) == "T", "a stopped worker")
    world.server.kill()
    for worker in workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


@pytest.mark.parametrize("end", [end_worker, end_instance])
def test_a_process_that_is_killed(pair, end):
    """Its panel was online until the process was seen last. Another instance takes the device from it."""
    one, other = pair
    device = one.account().device()
    with Panel(one.server, device):
        holder = holds(one, device)
        wait_until(lambda: one.sql("SELECT 1 FROM presence WHERE id = %s", holder), "its first beat")
        end(one)
    seen = make_old(other, device, holder)
    assert last_online(device, other) == seen
    wait_until(lambda: not holder_of(other, device), "the device is taken from the process")
    wait_until(lambda: not other.sql("SELECT 1 FROM presence WHERE id = %s", holder), "the process is forgotten")
    assert last_online(device, other) == seen
    with Panel(other.server, device):
        wait_until(lambda: is_online(device, other), "the panel comes back")


def test_an_instance_that_was_paused(pair):
    """Others take its devices; it notices when it goes on."""
    one, other = pair
    device = one.account().device()
    with Panel(one.server, device):
        holder = holds(one, device)
        wait_until(lambda: one.sql("SELECT 1 FROM presence WHERE id = %s", holder), "its first beat")
        with paused(one):
            seen = make_old(other, device, holder)
            assert last_online(device, other) == seen
            wait_until(lambda: not holder_of(other, device), "the device is taken from the process")
            assert last_online(device, other) == seen
        wait_until(lambda: holder_of(other, device) == holder, "the process has its panel again")
        assert is_online(device, other)


def test_a_change_that_a_crash_of_the_database_took(pair):
    one, other = pair
    device = one.account().device()
    with Panel(one.server, device):
        holder = holds(one, device)
        one.sql("UPDATE device SET online_by = NULL, last_online_at = now() - interval '1 hour' WHERE id = %s", device.id)
        wait_until(lambda: holder_of(other, device) == holder, "it is written again")
        assert is_online(device, other)
