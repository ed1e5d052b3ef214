"""When webhooks are tried again, and that those which wait hide no others. The database's time stands still, so
stored times are exact."""

import contextlib
import os

import psycopg2
import pytest
from hook_receiver import Receiver
from webhook_stage import local, make, marked_account, names, one_receiver, push, state, world_that_reaches
from world import wait_until

from database_clock import DatabaseClock

__all__ = ["marked_account", "one_receiver", "world_that_reaches"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS"), reason="built without the egress")
FIRST_S, GROWTH, LONGEST_S = 5, 3, 3600
SPREAD = 0.25  # by which a pause is longer or shorter, so that many failed messages are not repeated together
A_LOOK = 100   # webhooks that are looked at together
OF_ACCOUNT = 10


@pytest.fixture(name="look")
def hint_for_workers(world):
    """Makes the workers look at once."""
    with contextlib.closing(psycopg2.connect(world.database)) as hinting, hinting.cursor() as cursor:
        hinting.autocommit = True
        yield lambda: cursor.execute("NOTIFY displayd_hint, 'webhook:due'")


def tries(account, made):
    return account.world.sql("SELECT tries FROM webhook WHERE id = %s", made["id"])[0][0]


def pause_s(account, made):
    [(pause,)] = account.world.sql("SELECT extract(epoch FROM next_at - last_at)::float8 FROM webhook WHERE id = %s",
                                   made["id"])
    return pause


def is_about(pause, expected):
    return (1 - SPREAD) * expected <= pause <= (1 + SPREAD) * expected


def fail(account, made, look, number):
    def has_failed():
        look()
        return tries(account, made) == number

    wait_until(has_failed, f"failure {number}")


def test_pauses_grow_to_an_hour(account, receiver, look):
    receiver.always = 500
    made = make(account, receiver, ["pushed"])
    device = account.device()
    with DatabaseClock(account.world.database) as clock:
        push(device, "one")
        for number in range(1, 12):
            fail(account, made, look, number)
            assert is_about(pause_s(account, made), min(FIRST_S * GROWTH ** (number - 1), LONGEST_S))
            receiver.always = 204 if number == 11 else 500  # the next one
            clock.advance(pause_s(account, made))
        wait_until(lambda: (look(), state(account, made)["lastStatus"] == 204)[1], "a delivery")
        assert tries(account, made) == 0
        clock.advance(1)
        receiver.always = 500
        push(device, "two")
        fail(account, made, look, 1)
        assert is_about(pause_s(account, made), FIRST_S)
        receiver.always = 204


def test_pauses_are_spread(account, receiver, look):
    receiver.always = 500
    hooks = [make(account, receiver, ["pushed"]) for _ in range(OF_ACCOUNT)]
    with DatabaseClock(account.world.database):
        push(account.device(), "one")
        for made in hooks:
            fail(account, made, look, 1)
        assert len({pause_s(account, made) for made in hooks}) > OF_ACCOUNT / 2
    receiver.always = 204


def test_nothing_is_sent_before_the_pause_is_over(account, receiver, look):
    """A message of another webhook, which is looked at after it, is sent meanwhile."""
    receiver.always = 500
    made = make(account, receiver, ["pushed"])
    device = account.device()
    with Receiver() as second, DatabaseClock(account.world.database) as clock:
        push(device, "one")
        fail(account, made, look, 1)
        make(account, second, ["pushed"])
        clock.advance(pause_s(account, made) - 0.001)
        push(device, "two")
        second.wait_for(1)
        assert tries(account, made) == 1 and len(receiver.seen()) == 1
        clock.advance(0.001)
        fail(account, made, look, 2)
        receiver.always = 204


def wait_in_front(world, count):
    """Makes webhooks of other accounts, with IDs before all others: events wait for each, and none is due."""
    accounts = [world.account() for _ in range(count // OF_ACCOUNT)]
    for number in range(count):
        world.sql("INSERT INTO webhook (id, account_id, url, events, secret, next_at) "
                  "VALUES (%s::uuid, %s, 'https://example.org', 2, '', 'infinity')",
                  f"00000000-0000-0000-0000-{number + 1:012}", accounts[number // OF_ACCOUNT].id)
    world.sql("INSERT INTO webhook_event (webhook_id, kind, data) SELECT id, 'pushed', '{}' FROM webhook "
              "WHERE next_at = 'infinity'")


def test_those_that_wait_hide_no_others(world, account, receiver, look):
    """A worker looks at a part of them at a time; then it begins with the first ones again."""
    wait_in_front(world, 2 * A_LOOK + OF_ACCOUNT)
    other = local(world.account())
    device = account.device()
    with Receiver() as second:
        make(account, receiver, ["pushed"])
        make(other, second, ["pushed"])
        for number in range(3):
            push(device, str(number))
            push(other.device(), str(number))
            receiver.wait_for(number + 1)
            second.wait_for(number + 1)
    assert names(receiver.events()) == ["0", "1", "2"]
    first = "00000000-0000-0000-0000-000000000001"
    world.sql("UPDATE webhook SET next_at = '-infinity' WHERE id = %s", first)
    # Its secret was encrypted with no key: that is found when its message is sent.
    wait_until(lambda: (look(), world.sql("SELECT tries FROM webhook WHERE id = %s", first) != [(0,)])[1], "a try of the first")
    world.sql("DELETE FROM webhook WHERE id < '00000000-0000-0000-0000-000000001000'")
