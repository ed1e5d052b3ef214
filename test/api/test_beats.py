"""What workers know is as new as the answered writes of every instance, within a second, whatever becomes of a
writer's hints: readers judge writers by their beats."""

import contextlib
import itertools
import os
import signal
import threading
import time

import psycopg2
import pytest
from world import World, request_bytes, wait_until

from database_clock import DatabaseClock
from postgres import Postgres

LIMIT_S = 1.0
WRITES = 6
ROLES = ("hint", "read")


@pytest.fixture
def database():
    """A PostgreSQL of its own, which a test stops in parts."""
    with Postgres({"max_connections": "200"}) as postgres:
        yield postgres.create_database()


class Pair:
    """Two instances with two workers each: one writes, and another worker of it and the other instance read."""

    def __init__(self, database):
        self.stack = contextlib.ExitStack()
        self.writer = self.stack.enter_context(World(database, "--rate-limit", "0"))
        self.of_writer = self.backends()
        self.reader = self.stack.enter_context(World(database, "--rate-limit", "0"))
        self.of_reader = {role: pids - self.of_writer[role] for role, pids in self.backends().items()}
        self.account = self.writer.account()
        self.device = self.account.device()
        self.writers = self.writer.clients()
        self.others = self.reader.clients()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for client in [*self.writers, *self.others]:
            client.close()
        return self.stack.__exit__(*error)

    def backends(self):
        """PostgreSQL's processes by role: of connections that have one."""
        kinds = {"hint": set(self.writer.hint_backends())}
        rows = self.writer.sql("SELECT pid, query FROM pg_stat_activity WHERE datname = current_database() AND "
                               "application_name = 'displayd'")
        kinds["read"] = {pid for pid, query in rows if "'lock_timeout'" not in query} - kinds["hint"]
        return kinds

    def brightness(self, client):
        client.send(request_bytes("GET", self.device.path, key=self.account.key))
        answer = client.answer()
        return answer.ok()["brightness"] if answer.status == 200 else None

    def write(self, client, value):
        """Returns when it was answered."""
        answer = client.request("PATCH", self.device.path, key=self.account.key, body={"brightness": value})
        assert answer.status == 200
        return time.monotonic()

    def longest_stale_s(self, first=1):
        """Writes at one worker after the other, and reads everywhere until all show it. Returns the longest time
        from the answer to a write until a read was sent that did not show it."""
        longest = 0
        for number, writer in zip(range(first, first + WRITES), itertools.cycle(self.writers)):
            readers = [client for client in [*self.writers, *self.others] if client is not writer]
            for reader in readers * 2:
                self.brightness(reader)
            answered = self.write(writer, number)
            while readers:
                for reader in list(readers):
                    sent = time.monotonic()
                    value = self.brightness(reader)
                    if value == number:
                        readers.remove(reader)
                    elif value is not None:
                        longest = max(longest, sent - answered)
        return longest

    @contextlib.contextmanager
    def refused(self):
        """Refuses new connections to the database, also of the superuser."""
        with contextlib.closing(psycopg2.connect(self.writer.database.replace(self.name, "postgres"))) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(f'ALTER DATABASE "{self.name}" ALLOW_CONNECTIONS false')
                try:
                    yield cursor
                finally:
                    cursor.execute(f'ALTER DATABASE "{self.name}" ALLOW_CONNECTIONS true')

    @property
    def name(self):
        return self.writer.sql("SELECT current_database()")[0][0]


@pytest.fixture
def pair(database):
    with Pair(database) as one:
        yield one


@contextlib.contextmanager
def stopped(pids):
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def test_nothing_fails(pair):
    assert pair.longest_stale_s() < LIMIT_S


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("side", ("writer", "reader"))
def test_hung_backends(pair, side, role):
    """They stay connected, and say nothing."""
    pids = (pair.of_writer if side == "writer" else pair.of_reader)[role]
    assert pids
    pair.longest_stale_s()
    with stopped(pids):
        assert pair.longest_stale_s(50) < LIMIT_S
    assert pair.longest_stale_s(80) < LIMIT_S


def test_a_hint_connection_that_cannot_come_back(pair):
    pair.longest_stale_s()
    with pair.refused() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) AS pid", (list(pair.of_writer["hint"]),))
        assert pair.longest_stale_s(50) < LIMIT_S
    wait_until(lambda: pair.writer.get("/readyz").status == 200, "the hint connections")
    assert pair.longest_stale_s(80) < LIMIT_S


def test_a_worker_is_killed(pair):
    """Under load, again and again: what it answered is everywhere within a second."""
    devices = [pair.account.device() for _ in range(8)]
    for _ in range(3):
        last = [None] * len(devices)
        victim = pair.writer.workers()[0]
        clients = [pair.writer.client_of(victim) for _ in devices]
        readers = [pair.writer.client_of(pair.writer.workers()[1]), *pair.others]

        def run(number, clients=clients, last=last):
            with contextlib.suppress(OSError):
                for value in itertools.count(1):
                    clients[number].send(request_bytes("PATCH", devices[number].path, key=pair.account.key,
                                                       body={"brightness": value % 101, "name": str(value)}))
                    assert clients[number].answer().status == 200
                    last[number] = value, time.monotonic()

        threads = [threading.Thread(target=run, args=(number,)) for number in range(len(devices))]
        for thread in threads:
            thread.start()
        wait_until(lambda last=last: all(one and one[0] > 20 for one in last), "some answers")
        for reader, device in itertools.product(readers, devices):
            reader.request("GET", device.path, key=pair.account.key)
        pair.writer.kill_worker(victim)
        for thread in threads:
            thread.join()
        stale = []
        missing = set(itertools.product(range(len(readers)), range(len(devices))))
        while missing:
            for reader, number in sorted(missing):
                sent = time.monotonic()
                shown = readers[reader].request("GET", devices[number].path, key=pair.account.key).ok()["name"]
                if shown != "Desk" and int(shown) >= last[number][0]:
                    missing.remove((reader, number))
                elif sent - last[number][1] > LIMIT_S:
                    stale.append((reader, number, sent - last[number][1]))
        assert not stale, stale
        for client in [*clients, readers[0]]:
            client.close()
        wait_until(lambda victim=victim: len(pair.writer.workers()) == 2 and victim not in pair.writer.workers(),
                   "another worker")
    pair.writers = [pair.writer.client_of(pid) for pid in pair.writer.workers()]


def count_reads(world):
    """Answers from memory need none of these statements."""
    return sum(int(line.split()[-1].split(".")[0]) for line in world.metrics().splitlines()
               if line.startswith('displayd_database_statement_seconds_count{statement="device_by_id"'))


def is_answered_from_memory(world, device):
    """A change that nobody was told of is not seen."""
    account = device.account
    with world.client() as client:
        def ask():
            client.send(request_bytes("GET", device.path, key=account.key))
            return client.answer().ok()["name"]

        old = ask()
        new = old + "x"
        with contextlib.closing(psycopg2.connect(world.database)) as connection, connection.cursor() as cursor:
            cursor.execute("UPDATE device SET name = %s WHERE id = %s", (new, device.id))
            connection.commit()
        return ask() == old


def test_memory_is_used_beside_others(pair):
    wait_until(lambda: is_answered_from_memory(pair.reader, pair.device), "an answer from memory")
    wait_until(lambda: is_answered_from_memory(pair.writer, pair.device), "an answer from memory")


def test_an_instance_that_leaves_is_not_missed(pair):
    pair.longest_stale_s()
    pair.writer.stop()
    rows = pair.reader.sql("SELECT count(*) FROM hint_beat WHERE has_left")
    assert rows == [(2,)]
    wait_until(lambda: is_answered_from_memory(pair.reader, pair.device), "an answer from memory")


def test_the_time_of_the_database_does_not_matter(pair):
    """Tests and operators may set it: beats are compared with the real one, and writes never wait for it."""
    for step in (7200, -7200):
        with DatabaseClock(pair.writer.database) as clock:
            clock.advance(step)
            assert pair.longest_stale_s() < LIMIT_S
            wait_until(lambda: is_answered_from_memory(pair.reader, pair.device), "an answer from memory")


def test_a_crash_of_postgresql_loses_the_beats(pair):
    """The table is empty then: nobody is trusted before it has sent what it missed."""
    pair.longest_stale_s()
    pair.writer.sql("TRUNCATE hint_beat")
    assert pair.longest_stale_s(50) < LIMIT_S
    wait_until(lambda: pair.reader.sql("SELECT count(*) FROM hint_beat") == [(4,)], "their beats")


def test_an_instance_alone_writes_no_beats(start):
    """It becomes known by a row that it renews rarely."""
    one = start(workers=1)
    account = one.account()
    device = account.device()

    def rows():
        return one.sql("SELECT instance, worker, seen_at FROM hint_beat")

    wait_until(lambda: len(rows()) == 1, "the row")
    before = rows()
    for _ in range(200):
        assert device.get().status == 200
    assert rows() == before
