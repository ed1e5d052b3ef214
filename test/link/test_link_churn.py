"""Everything at once, with sanitizers: panels connect and leave while pictures, entries and devices change."""

import itertools
import os
import random
import signal
import socket
import threading

import psycopg2
import pytest
from conftest import Database, noise, png
from panel import Refused
from waiting import PATIENCE_S, wait_until

ACTS = int(os.environ.get("LINK_CHURN_ACTS", "1200"))
ACCEPTED = (OSError, EOFError, Refused, AssertionError, ValueError, TypeError, IndexError,
            psycopg2.Error)


class Churn:
    """Threads that repeat an action until stop() is called."""

    def __init__(self):
        self.ended = threading.Event()
        self.threads = []
        self.acts = 0

    def add(self, work):
        def run():
            while not self.ended.is_set():
                self.acts += 1  # threads that collide here count once, which is enough
                try:
                    work()
                except ACCEPTED:
                    pass
                except Exception as error:  # raised by http.client
                    if type(error).__module__ != "http.client":
                        raise

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def go_on(self, acts):
        """Waits until they have repeated it this often."""
        wanted = self.acts + acts
        wait_until(lambda: self.acts >= wanted, "a churn that goes on")

    def stop(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()


def panel_life(device, generator):
    with device.connect(acknowledges=generator.random() < 0.7) as panel:
        panel.socket.settimeout(2)
        for _ in range(generator.randrange(20)):
            message = panel.read()
            if message is None:
                return
            if generator.random() < 0.5:
                panel.show()
        if generator.random() < 0.5:
            panel.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def change(device, sql, generator, images):
    name = f"e{generator.randrange(6)}"
    kind = generator.randrange(9)
    if kind < 3:
        device.push(generator.choice(images), installationId=name,
                    background=generator.random() < 0.5)
    elif kind < 5:
        device.push(generator.choice(images), duration=5)
    elif kind == 5:
        device.delete(name)
    elif kind == 6:
        device.change(brightness=generator.randrange(101))
    elif kind == 7:
        device.poll()
    else:
        is_disabled = generator.random() < 0.3
        generation = sql.run(
            "UPDATE device SET disabled_at = CASE WHEN %s THEN now() END, "
            "generation = generation + 1 WHERE id = %s RETURNING generation",
            is_disabled, device.id)[0][0]
        sql.run("SELECT pg_notify('displayd_hint', %s)", f"device:{device.id}:{generation}")


def start_churn(server, devices, seed):
    churn = Churn()
    images = [png("red"), png("blue"), noise(1), noise(2)]
    for number, device in itertools.product(range(3), devices):
        churn.add(lambda d=device, g=random.Random(seed + number): panel_life(d, g))
    for device in devices:
        churn.add(lambda d=device, g=random.Random(seed): change(d, server.sql, g, images))
    return churn


def assert_clean(server, code):
    log = server.log()
    assert code == 0, log[-5000:]
    assert "Sanitizer" not in log and "require" not in log, log[-5000:]


@pytest.mark.parametrize("limits", [{}, {"picture_bytes": 8000, "panels": 2},
                                    {"reconciliation_ms": 5, "seen_ms": 5, "unused_ms": 1}])
def test_sigterm_in_the_middle(limited, limits):
    server = limited(**limits)
    devices = [server.device() for _ in range(4)]
    churn = start_churn(server, devices, seed=len(limits))
    churn.go_on(ACTS)
    assert server.process.poll() is None, server.log()[-5000:]
    server.process.send_signal(signal.SIGTERM)
    code = server.process.wait(PATIENCE_S)
    churn.stop()
    assert_clean(server, code)


def test_database_goes_in_the_middle(limited):
    from postgres import Postgres
    with Postgres() as own:
        server = limited(database=Database(own), picture_bytes=8000)
        devices = [server.device() for _ in range(4)]
        churn = start_churn(server, devices, seed=7)
        for _ in range(3):
            churn.go_on(ACTS // 6)
            own.kill()
            churn.go_on(ACTS // 6)
            own.start()
        own.kill()
        server.process.send_signal(signal.SIGTERM)
        code = server.process.wait(PATIENCE_S)
        churn.stop()
        assert_clean(server, code)


def test_devices_vanish_in_the_middle(limited):
    server = limited(picture_bytes=8000)
    for _ in range(3):
        devices = [server.device() for _ in range(4)]
        churn = start_churn(server, devices, seed=9)
        churn.go_on(ACTS // 6)
        for device in devices:
            server.sql.run("DELETE FROM device WHERE id = %s", device.id)
            server.sql.run("SELECT pg_notify('displayd_hint', %s)", f"device:{device.id}:99999999")
        churn.go_on(ACTS // 12)
        churn.stop()
    server.process.send_signal(signal.SIGTERM)
    assert_clean(server, server.process.wait(PATIENCE_S))
