"""Without the database, known panels continue."""

import os
import signal

import images
import pytest
from conftest import Database, Device, colour_of, png, wait_until
from panel import Refused
from postgres import Postgres
from server import Server

COLOURS = [(255, 0, 0), (0, 255, 0), (0, 0, 255)]


@pytest.fixture(scope="module")
def own_postgres():
    """A PostgreSQL that tests may stop."""
    with Postgres() as running:
        yield running


@pytest.fixture(scope="module")
def fragile(own_postgres):
    """A server whose database this module stops and starts."""
    database = Database(own_postgres)
    with Server("--rate-limit", "0", database=database.url, workers=1) as running:
        running.sql = database
        yield running
        assert running.stop() == 0
        assert "Sanitizer" not in running.log(), running.log()


def make_device(server, **settings):
    device = Device(server, server.ctl, **settings)
    for i, colour in enumerate(("red", "lime", "blue")):
        device.push(png(colour), installationId=f"e{i}", background=True)
    return device


@pytest.fixture
def away(own_postgres, fragile):
    """away() stops the database and waits until the server notices; back() starts it again."""
    class Away:
        is_away = False

        def begin(self):
            own_postgres.stop()
            self.is_away = True
            wait_until(lambda: fragile.get("/readyz").status == 503, "a server without database")

        def end(self):
            own_postgres.start()
            self.is_away = False
            wait_until(lambda: fragile.get("/readyz").status == 200, "a server with database")

    state = Away()
    yield state
    if state.is_away:
        state.end()


def refusal(server, path):
    """Pixels of the picture sent with a 404."""
    answer = server.get(path)
    assert answer.status == 404 and answer.headers["Content-Type"] == "image/webp"
    return images.frames_of(answer.body)[0][0]


def test_polling_panel_goes_on(fragile, away):
    device = make_device(fragile, serial="Known", mac="0a:0a:0a:0a:0a:0a")
    paths = [device.path("next"), device.path("next", device="Known"),
             device.path("next", device="0A-0A-0A-0A-0A-0A")]
    unknown = make_device(fragile)
    got = [colour_of(fragile.get(path).body) for path in paths]
    away.begin()
    for _ in range(3):
        got += [colour_of(fragile.get(path).body) for path in paths]
    assert got == COLOURS * 4
    # A panel that was never loaded here gets 404 and a picture with the reason, not a 5xx.
    for path in (unknown.path("next"), device.path("next", device="Unknown-Serial")):
        assert refusal(fragile, path) == images.of_share("no-database")
    assert refusal(fragile, device.path("next", key="x" * 24)) == images.of_share("unknown-device")
    away.end()
    assert unknown.poll().status == 200
    path = device.path("next", device="Unknown-Serial")
    assert refusal(fragile, path) == images.of_share("unknown-device")


def test_connected_panel_goes_on(fragile, away):
    device = make_device(fragile)
    with device.connect() as panel:
        got = [colour_of(panel.read_picture(brightness=60)[1])]
        panel.show()
        away.begin()
        for _ in range(7):
            got.append(colour_of(panel.read_picture()[1]))
            panel.show()
        # A panel that reconnects is known as well.
        with device.connect() as other:
            other.read_picture(brightness=60)
        away.end()
        device.push(png("white"))
        while panel.read() != {"immediate": True}:
            pass
    assert got == COLOURS * 2 + COLOURS[:2]


def test_unknown_panel_is_refused_while_it_is_away(fragile, away):
    device = make_device(fragile)
    fragile.restart()
    away.begin()
    with pytest.raises(Refused) as refused:
        device.connect()
    assert refused.value.status == 404
    away.end()
    with device.connect() as panel:
        panel.read_picture(brightness=60)


def test_what_was_displayed_and_seen_meanwhile_is_written_down(fragile, away):
    device = make_device(fragile)
    sql = fragile.sql
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        panel.show()
        panel.read_picture()
        device.push(png("white"), duration=45)
        panel.read_picture(hurried=True)
        away.begin()
        panel.show()
        away.end()
        wait_until(lambda: sql.run("SELECT displayed_at IS NOT NULL FROM showing "
                                   "WHERE device_id = %s", device.id)[0][0], "displayed_at")
        sql.run("UPDATE device SET online_by = NULL, last_online_at = '2020-01-01' WHERE id = %s", device.id)
        panel.say(client_info={})
        wait_until(lambda: sql.run("SELECT last_online_at > '2020-01-02' FROM device "
                                   "WHERE id = %s", device.id)[0][0], "last_online_at")


def test_changes_behind_our_back_are_seen_when_it_is_back(fragile, own_postgres):
    device = make_device(fragile)
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        panel.show()
        panel.read_picture()
        worker, = fragile.workers()
        os.kill(worker, signal.SIGSTOP)
        try:
            own_postgres.restart()
            fragile.sql.run("UPDATE device SET brightness = 33, generation = generation + 1 "
                            "WHERE id = %s", device.id)
        finally:
            os.kill(worker, signal.SIGCONT)
        assert panel.read() == {"brightness": 33}


def test_database_that_does_not_answer(fragile, own_postgres):
    device = make_device(fragile)
    assert colour_of(device.poll().body) == COLOURS[0]
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        panel.show()
        own_postgres.pause()
        try:
            got = [colour_of(device.poll().body) for _ in range(6)]
            panel.read_picture()
            panel.show()
            panel.read_picture()
        finally:
            own_postgres.resume()
    assert len(got) == 6
