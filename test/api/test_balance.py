"""Panels go to an instance that joins, a few at a time, and are moved no sooner than --panel-stay."""

import contextlib
import itertools
import socket
import threading
import time

from panel import Panel
from waiting import wait_until
from world import World

PANELS, STAY_S = 60, 5
MOST = 1.3  # parts of the mean


class Proxy:
    """Connects panels to instances in turn, as a proxy does, and again when their connection has ended."""

    def __init__(self, worlds, devices):
        self.worlds = worlds
        self.turn = itertools.count()
        self.panels = {}  # (the instance, its connection), by device
        self.stays_s = []  # of connections that the instance has ended
        self.is_over = False
        self.threads = [threading.Thread(target=self._live, args=[device]) for device in devices]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        wait_until(lambda: len(self.panels) == len(self.threads), "all panels")
        return self

    def __exit__(self, *_):
        self.is_over = True
        for _, panel in list(self.panels.values()):
            with contextlib.suppress(OSError):  # it has ended before
                panel.socket.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()

    def _live(self, device):
        while not self.is_over:
            world = self.worlds[next(self.turn) % len(self.worlds)]
            begun = None
            with contextlib.suppress(OSError), Panel(world.server, device) as panel:
                self.panels[device.id] = world, panel
                begun = time.monotonic()
                while True:
                    panel.next()
            if begun and not self.is_over:
                self.stays_s.append(time.monotonic() - begun)

    def counts(self):
        found = [world for world, _ in list(self.panels.values())]
        return [found.count(world) for world in self.worlds]


def test_an_instance_that_joins_gets_its_share(postgres):
    database = postgres.create_database()
    options = ("--rate-limit", "0", "--panel-stay", str(STAY_S))
    with World(database, *options) as first:
        account = first.account()
        worlds = [first]
        with Proxy(worlds, [account.device() for _ in range(PANELS)]) as proxy, World(database, *options) as second:
            worlds.append(second)
            wait_until(lambda: max(proxy.counts()) <= MOST * PANELS / 2, "even shares", patience_s=120)
            assert min(proxy.stays_s) >= STAY_S
