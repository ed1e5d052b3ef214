"""Limits of time and memory, with short times and little memory."""

import contextlib
import select
import socket

import psycopg2
import pytest
from conftest import Database, colour_of, noise, png, wait_until
from panel import PING, TEXT, frame
from postgres import Postgres

HOUR_MS = 3600 * 1000


def test_server_pings_and_drops_the_silent(limited):
    server = limited(ping_ms=100, silence_ms=1000)
    device = server.device()
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        # Silent from here on: pings arrive, then the end without a CLOSE frame.
        opcodes = []
        while (got := panel.read_frame()) is not None:
            opcodes.append(got[0])
        assert set(opcodes) <= {PING}


def test_panel_that_answers_pings_stays(limited):
    server = limited(ping_ms=50, silence_ms=20_000)
    device = server.device()
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        pings = 0
        while pings < 60:
            opcode, payload = panel.read_frame()
            assert opcode == PING
            panel.send(frame(10, payload))
            pings += 1
        device.push(png("red"))
        panel.read_picture(hurried=True)


def test_last_online_of_a_panel_that_only_pings(limited):
    server = limited(seen_ms=100, reconciliation_ms=200)
    device = server.device()
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        wait_until(lambda: server.sql.run("SELECT last_online_at > created_at FROM device "
                                          "WHERE id = %s", device.id)[0][0], "its connection")
        # From now on its process says that it is online.
        wait_until(lambda: server.sql.run("SELECT 1 FROM presence JOIN device ON online_by = presence.id "
                                          "WHERE device.id = %s", device.id), "its process")
        for _ in range(3):
            server.sql.run("UPDATE device SET online_by = NULL, last_online_at = '2020-01-01' WHERE id = %s", device.id)
            panel.send(frame(PING, b""))
            wait_until(lambda: server.sql.run("SELECT last_online_at > '2020-01-02' FROM device "
                                              "WHERE id = %s", device.id)[0][0], "that it is written again")


def test_last_online_is_written_in_batches(limited):
    server = limited(seen_ms=300)
    device = server.device()
    before = server.sql.run("SELECT pg_current_xact_id()::text::bigint")[0][0]
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        for _ in range(1000):
            panel.send(frame(TEXT, b"{}") + frame(PING, b""))
        # This is answered only after all of them were read.
        panel.send(frame(PING, b"end"))
        while panel.read_frame() != (10, b"end"):
            pass
        wait_until(lambda: server.sql.run("SELECT last_online_at > created_at FROM device "
                                          "WHERE id = %s", device.id)[0][0], "lastOnline")
    after = server.sql.run("SELECT pg_current_xact_id()::text::bigint")[0][0]
    assert after - before < 200  # one each 300 ms, whatever the panel sends, and reads of this test


UNTIDY = """
    SELECT count(*)
    FROM generate_series(0, pg_relation_size('device') / 8192 - 1) AS number
    CROSS JOIN page_header(get_raw_page('device', number::int)) AS page
    WHERE page.prune_xid::text <> '0' AND page.upper - page.lower < 8192 * 3 / 10"""
"""Pages of devices that their next reader tidies: old versions can go, and less is free than the 30 %
that the table's fillfactor asks for."""


@pytest.fixture
def unswept():
    """A database without autovacuum."""
    with Postgres({"autovacuum": "off"}) as postgres:
        yield Database(postgres)


def test_what_last_online_changed_is_tidied_with_it(limited, unswept):
    """Versions of updated rows are pruned by the same batch, so that the database's log has both in one
    write to the disk."""
    server = limited(database=unswept, seen_ms=500, reconciliation_ms=HOUR_MS)
    unswept.run("CREATE EXTENSION pageinspect")
    devices = [server.device() for _ in range(20)]
    with contextlib.closing(psycopg2.connect(unswept.postgres.url)) as elsewhere:
        elsewhere.autocommit = True

        def count_updates():
            """Queries from another database, since an open transaction in this one prevents the pruning."""
            with elsewhere.cursor() as cursor:
                cursor.execute("SELECT sum(tup_updated) FROM pg_stat_database")
                return cursor.fetchone()[0]

        for _ in range(3):
            before = count_updates()
            for device in devices:
                assert device.poll().status == 200
            wait_until(lambda count=before + len(devices): count_updates() >= count, "all times")
            wait_until(lambda: unswept.run(UNTIDY) == [(0,)], "tidy pages")


def test_sweep_repairs_lost_hints(limited):
    server = limited(reconciliation_ms=100)
    device = server.device()
    device.push(png("red"), installationId="a", background=True)
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        panel.show()
        for percent in (10, 20, 30):
            server.sql.run("UPDATE device SET brightness = %s, generation = generation + 1 "
                           "WHERE id = %s", percent, device.id)
            assert panel.read() == {"brightness": percent}
        server.sql.run("DELETE FROM device WHERE id = %s", device.id)
        panel.read_end()


def test_hints_that_come_back_repair(limited):
    """The listening connection is cut: once it is back, missed hints are recovered."""
    server = limited(reconciliation_ms=HOUR_MS)
    device = server.device()
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        server.sql.run("UPDATE device SET brightness = 10, generation = generation + 1 "
                       "WHERE id = %s", device.id)
        server.sql.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                       "WHERE datname = current_database() AND pid <> pg_backend_pid()")
        assert panel.read() == {"brightness": 10}


@pytest.mark.parametrize("hint", ["device:", "device:x", "device:{id}", "device:{id}:",
                                  "device:{id}:-1", "device:{id}:99999999999999999999",
                                  "device:{id}:1x", "device:{id}:9223372036854775807", "push:",
                                  "push:{id}:x", "what:ever", ""])
def test_hints_without_sense(limited, hint):
    server = limited()
    device = server.device()
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        text = hint.format(id=device.id)
        server.sql.run("SELECT pg_notify('displayd_hint', %s)", f"{text} {text}\n{text}")
        server.sql.run("SELECT pg_notify('displayd_hint', %s)", text)
        device.push(png("red"))
        panel.read_picture(hurried=True)


def test_pictures_beyond_the_memory_are_fetched(limited):
    """Two pictures of about 6 KB each fit into the memory."""
    server = limited(picture_bytes=20_000)
    device = server.device()
    for i in range(6):
        device.push(noise(i), installationId=f"e{i}", background=True)
    first_round = [device.poll().body for _ in range(6)]
    assert len(set(first_round)) == 6
    for _ in range(5):
        assert [device.poll().body for _ in range(6)] == first_round
    got = []
    with device.connect() as panel:
        assert panel.read() == {"brightness": 60}  # does not wait for the picture
        got.append(panel.read_picture()[1])
        panel.show()
        for _ in range(11):
            got.append(panel.read_picture()[1])
            panel.show()
        panel.read_picture()
        start = first_round.index(got[0])
        assert got == [first_round[(start + i) % 6] for i in range(12)]
        # A push to an entry whose picture is not in memory.
        device.push(noise(77), installationId="e3")
        _, picture = panel.read_picture(hurried=True)
        assert picture not in first_round


def test_deleted_while_its_picture_is_fetched(limited):
    server = limited(picture_bytes=1)
    for _ in range(10):
        device = server.device()
        for i in range(3):
            device.push(noise(i), installationId=f"e{i}", background=True)
        with device.connect() as panel:
            panel.read_picture(brightness=60)
            server.sql.run("DELETE FROM device WHERE id = %s", device.id)
            server.sql.run("SELECT pg_notify('displayd_hint', %s)", f"device:{device.id}:99")
            panel.show()
            panel.read_end()


def test_more_devices_than_there_is_room_for(limited):
    server = limited(panels=3)
    devices = [server.device() for _ in range(10)]
    for i, device in enumerate(devices):
        device.push(png((i, 0, 0)), installationId="a", background=True)
    for _ in range(3):
        for i, device in enumerate(devices):
            assert colour_of(device.poll().body) == (i, 0, 0)
    panels = [device.connect() for device in devices]
    for i, panel in enumerate(panels):
        assert colour_of(panel.read_picture(brightness=60)[1]) == (i, 0, 0)
    for i, device in enumerate(devices):
        device.push(png((i, 9, 0)))
        assert colour_of(panels[i].read_picture(hurried=True)[1]) == (i, 9, 0)
    for panel in panels:
        panel.close()


def test_unused_devices_are_forgotten(limited):
    server = limited(unused_ms=1, reconciliation_ms=20, seen_ms=20)
    device = server.device()
    device.push(png("red"), installationId="a", background=True)
    for _ in range(50):
        assert colour_of(device.poll().body) == (255, 0, 0)
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        panel.show()
        for i in range(20):
            device.push(png((i, 1, 1)))
            assert colour_of(panel.read_picture(hurried=True)[1]) == (i, 1, 1)


def test_two_servers_one_of_them_without_hints(limited, postgres):
    """The sweep finds rows stored by the other server."""
    database = Database(postgres)
    one = limited(database=database)
    other = limited(database=database, reconciliation_ms=50)
    device = one.device()
    with device.connect(server=other) as panel:
        panel.read_picture(brightness=60)
        for i in range(5):
            device.push(png((i, 1, 1)), server=one)
            assert colour_of(panel.read_picture(hurried=True)[1]) == (i, 1, 1)


def test_half_open_connection(limited):
    """The peer disappears without closing; nothing comes back."""
    server = limited(ping_ms=100, silence_ms=600)
    device = server.device()
    panel = device.connect()
    panel.read_picture(brightness=60)
    # The kernel acknowledges, the panel does not: it counts as gone.
    ready = wait_until(lambda: select.select([panel.socket], [], [], 0)[0] and
                       panel.socket.recv(65536) == b"", "the end of the connection")
    assert ready
    panel.socket.shutdown(socket.SHUT_RDWR)
    panel.close()
    with device.connect() as again:
        again.read_picture(brightness=60)
