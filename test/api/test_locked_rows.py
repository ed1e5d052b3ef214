"""A row locked by another transaction, and pushes beside it."""

import contextlib
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest
from world import images, wait_until


@contextlib.contextmanager
def locked(world, *devices):
    """Locks rows like a person who forgot a transaction in psql."""
    connection = psycopg2.connect(world.database)
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM device WHERE id = ANY (%s::uuid[]) FOR UPDATE",
                       ([device.id for device in devices],))
        try:
            yield
        finally:
            connection.close()


def lock_waiters(world):
    return world.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                     "AND datname = current_database()")[0][0]


@pytest.fixture
def pool():
    with ThreadPoolExecutor(16) as threads:
        yield threads


def push(client, device):
    return client.request("POST", device.path + "/push", key=device.account.key,
                          body={"image": images.text(images.png())})


def test_others_go_on(world, pool):
    """While a push waits for its row, the same worker answers those to other devices."""
    account, other = world.account(), world.account()
    device = account.device()
    others = [account.device(), other.device()]  # only a few: the push does not wait for ever
    pid = world.workers()[0]
    with world.client_of(pid) as blocked, world.client_of(pid) as client:
        with locked(world, device):
            waiting = pool.submit(push, blocked, device)
            wait_until(lambda: lock_waiters(world) > 0, "a push that waits")
            for one in others:
                assert push(client, one).status == 200
            assert not waiting.done()
        assert waiting.result().status == 200


def test_the_row_is_free_again(world, pool, device):
    with locked(world, device):
        waiting = pool.submit(device.push)
        wait_until(lambda: lock_waiters(world) > 0, "a push that waits")
    assert waiting.result().status == 200


def test_the_row_stays_locked(world, account, device):
    with locked(world, device), world.impatient():
        answers = [device.push(), account.request("PATCH", device.path, body={"brightness": 7}),
                   device.delete("none")]
        for answer in answers[:2]:
            assert "another change" in answer.problem(503)["detail"]
            assert int(answer["Retry-After"]) >= 1
        assert answers[2].status == 404  # the removal changes nothing
    assert device.get().ok()["brightness"] != 7
    assert device.push().status == 200


def test_panels_are_seen_beside_a_locked_row(world, device):
    """Batched writes for many devices do not wait for one of them."""
    other = world.account().device()

    def seen():
        return world.sql("SELECT last_online_at FROM device WHERE id = %s", other.id)

    before = seen()
    with locked(world, device):
        for one in (device, other):
            assert one.poll().status == 200
        wait_until(lambda: seen() > before, "a device that was seen")
