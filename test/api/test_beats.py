"""What workers know is as new as the answered writes of every instance, within a second, whatever becomes of a
writer's hints: readers judge writers by their beats."""

import contextlib
import functools
import itertools
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg2
import pytest
from world import World, request_bytes, wait_until

from database_clock import DatabaseClock
from postgres import Postgres
from private_socket import ask_operator

LIMIT_S = 1.0
WRITES = 6
ROLES = ("hint", "read", "list", "apart")
OWN_STATEMENT = {"list": "FROM device", "apart": "json_timestamp"}  # what a connection of the role did last
LONG = 101  # devices of a list that is read by a connection for lists


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
        self.crowd = None  # an account with a long list
        self.choosing = threading.Lock()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for client in [*self.writers, *self.others]:
            client.close()
        return self.stack.__exit__(*error)

    def backends(self):
        """PostgreSQL's processes by role: of connections that have one."""
        kinds = {"hint": set(self.writer.hint_backends())}
        kinds["all"] = {pid for pid, _ in self.activity()}
        kinds["read"] = {pid for pid, query in self.activity() if "'lock_timeout'" not in query} - kinds["hint"]
        return kinds

    def of_role(self, side, role):
        """PostgreSQL's processes of a role on one side."""
        known = self.of_writer if side == "writer" else self.of_reader
        return known[role] if role in known else self.open_own(side, role)

    def open_own(self, side, role):
        """Lists, and exports, which are kept apart, have connections of their own, opened when they are wanted."""
        before = {pid for pid, _ in self.activity()}

        def opened():
            for ask in self.own_requests(side, role):
                ask()
            pids = {pid for pid, query in self.activity() if OWN_STATEMENT[role] in query} - before
            return len(pids) >= 2 and pids

        return wait_until(opened, "a connection of each worker")

    def own_requests(self, side, role):
        """Calls that send a request which needs a connection of the role, each to a worker or to any, and return the
        status."""
        world = self.writer if side == "writer" else self.reader
        if not self.crowd:
            self.crowd = self.writer.account()
            self.crowd.devices(LONG)

        def list_at(pid):
            with self.choosing:
                connected = world.client_of(pid)  # stops the other workers for a moment
            with connected as client:
                client.send(request_bytes("GET", "/v1/devices", key=self.crowd.key))
                return client.answer().status

        def export():
            return ask_operator(world.server, "POST", f"/web/admin/accounts/{self.crowd.id}/export", {}).status

        return [functools.partial(list_at, pid) for pid in world.workers()] if role == "list" else [export]

    @contextlib.contextmanager
    def under_way(self, side, role):
        """Requests that wait for connections of the role meanwhile."""
        asks = self.own_requests(side, role) if role in OWN_STATEMENT else []
        with ThreadPoolExecutor(max(len(asks), 1)) as pool:
            answers = [pool.submit(ask) for ask in asks]
            yield
            assert {answer.result() for answer in answers} <= {200, 503}

    def activity(self):
        """(PostgreSQL's process, its last statement) of the connections of both."""
        return self.writer.sql("SELECT pid, query FROM pg_stat_activity WHERE datname = current_database() AND "
                               "application_name = 'displayd'")

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
            longest = max(longest, self.longest_until_s(readers, number, answered))
        return longest

    def longest_until_s(self, readers, value, since):
        """Reads until all show the value. Returns the longest time until a read was sent that did not show it."""
        longest = 0
        readers = list(readers)
        while readers:
            for reader in list(readers):
                sent = time.monotonic()
                shown = self.brightness(reader)
                if shown == value:
                    readers.remove(reader)
                elif shown is not None:
                    longest = max(longest, sent - since)
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
    pids = pair.of_role(side, role)
    assert pids
    pair.longest_stale_s()
    with pair.under_way(side, role), stopped(pids):
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

        def is_written(readers=readers, last=last):
            for reader, device in itertools.product(readers, devices):
                reader.request("GET", device.path, key=pair.account.key)
            return all(one and one[0] > 50 for one in last)

        wait_until(is_written, "some answers")
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


def test_a_worker_is_killed_before_its_hints(pair):
    pair.longest_stale_s()
    victim = pair.writer.workers()[0]
    survivor = pair.writer.client_of(pair.writer.workers()[1])
    client = pair.writer.client_of(victim)
    for reader in [survivor, *pair.others] * 2:
        pair.brightness(reader)
    with stopped(pair.of_writer["hint"]):
        answered = pair.write(client, 90)
        pair.writer.kill_worker(victim)
        assert pair.longest_until_s([survivor, *pair.others], 90, answered) < LIMIT_S
        wait_until(lambda: victim not in pair.writer.workers() and len(pair.writer.workers()) == 2, "another worker")
    wait_until(lambda: is_answered_from_memory(pair.reader, pair.device), "an answer from memory")
    for one in (client, survivor):
        one.close()


# ---- writes of unknown outcome ----


def writing_backends(pair):
    """PostgreSQL's processes that have written for the writers' workers."""
    for client in pair.writers:
        pair.write(client, 1)
    written = {pid for pid, query in pair.activity() if pid in pair.of_writer["all"] - pair.of_writer["hint"] and
               not query.startswith("SELECT")}
    assert written
    return written


@contextlib.contextmanager
def a_write_that_hangs(pair):
    """A write that is answered 503 after 10 s, because PostgreSQL's process has not even read it; what it would
    write; and that process."""
    written = writing_backends(pair)
    readers = [*pair.writers[1:], *pair.others]
    with stopped(written):
        client = pair.writers[0]
        client.send(request_bytes("PATCH", pair.device.path, key=pair.account.key, body={"brightness": 2}))
        assert client.answer().status == 503
        for reader in readers * 2:
            assert pair.brightness(reader) == 1
        yield written


def stored(pair):
    return pair.writer.sql("SELECT brightness FROM device WHERE id = %s", pair.device.id)[0][0]


def test_a_hung_write_is_ended(pair):
    """Before it is surely gone nobody knows; afterwards everybody does."""
    with a_write_that_hangs(pair) as pids:
        wait_until(lambda: is_answered_from_memory(pair.reader, pair.account.device()), "an answer from memory")
    # The other worker's has nothing under way, and goes on.
    wait_until(lambda: pids - {pid for pid, _ in pair.activity()}, "the end of the process")
    ended = time.monotonic()
    assert pair.longest_until_s([*pair.writers, *pair.others], stored(pair), ended) < LIMIT_S


def test_a_hung_write_of_a_killed_worker_is_ended(pair):
    pids = writing_backends(pair)
    victim = pair.writer.workers()[0]
    survivor = pair.writer.client_of(pair.writer.workers()[1])
    client, beside = pair.writer.client_of(victim), pair.writer.client_of(victim)
    with stopped(pids):
        client.send(request_bytes("PATCH", pair.device.path, key=pair.account.key, body={"brightness": 2}))
        assert beside.request("GET", pair.device.path, key=pair.account.key).status == 200
        pair.writer.kill_worker(victim)
        wait_until(lambda: victim not in pair.writer.workers() and len(pair.writer.workers()) == 2, "another worker")
        for reader in [survivor, *pair.others] * 2:
            assert pair.brightness(reader) == 1
    wait_until(lambda: pids - {pid for pid, _ in pair.activity()}, "the end of the process")
    ended = time.monotonic()
    assert pair.longest_until_s([survivor, *pair.others], stored(pair), ended) < LIMIT_S
    wait_until(lambda: is_answered_from_memory(pair.reader, pair.device), "an answer from memory")
    for one in (client, beside, survivor):
        one.close()


@pytest.fixture
def endless(database):
    """A pair whose database ends no process."""
    with contextlib.closing(psycopg2.connect(database)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("CREATE SCHEMA endless")
            cursor.execute("CREATE FUNCTION endless.pg_terminate_backend(pid int) RETURNS bool LANGUAGE sql AS "
                           "'SELECT true'")
            cursor.execute("SELECT current_database()")
            name = cursor.fetchone()[0]
            cursor.execute(f'ALTER DATABASE "{name}" SET search_path = endless, pg_catalog, public')
    with Pair(database) as one:
        yield one


def test_a_hung_write_is_committed_later(endless):
    """Its row is in no memory of its instance until then, and in that of others for less than a second."""
    with a_write_that_hangs(endless):
        assert not is_answered_from_memory(endless.writer, endless.device)
    wait_until(lambda: stored(endless) == 2, "the commit")
    committed = time.monotonic()
    assert [endless.brightness(client) for client in endless.writers * 10] == [2] * 20
    assert endless.longest_until_s([*endless.writers, *endless.others], 2, committed) < LIMIT_S
    wait_until(lambda: is_answered_from_memory(endless.writer, endless.device), "an answer from memory")


# ---- memory is used ----


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
    assert rows == [(1,)]  # all workers of an instance share a row
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
    wait_until(lambda: pair.reader.sql("SELECT count(*) FROM hint_beat") == [(2,)], "their beats")


def test_an_instance_alone_writes_no_beats(start):
    """It becomes known by a row that it renews rarely."""
    one = start(workers=1)
    account = one.account()
    device = account.device()

    def rows():
        return one.sql("SELECT instance, worker, seen_at FROM hint_beat")

    wait_until(lambda: len(rows()) == 1, "the row")
    [(instance, worker, before)] = rows()
    for _ in range(200):
        assert device.get().status == 200
    [(same_instance, same_worker, after)] = rows()
    assert (same_instance, same_worker) == (instance, worker)
    assert after == before or (after - before).total_seconds() > 19
