"""Devices as the pages make them, and panels with a person in front of them."""

import contextlib
import importlib.util
import os
from concurrent.futures import ThreadPoolExecutor

from people import TESTS, SECRETS

# test/api has a module of this name, too.
SPEC = importlib.util.spec_from_file_location("link_panel", os.path.join(TESTS, "link/panel.py"))
LINK_PANEL = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(LINK_PANEL)


def add(browser, **members):
    """{"device": ..., "link": ...}"""
    answer = browser.post("/web/devices", {"name": "Desk", "timezone": "UTC", **members})
    assert answer.status == 201, answer
    SECRETS.add(answer.json()["link"]["key"])
    return answer.json()


def path_of(device):
    return f"/web/devices/{device['id']}"


def poll(world, link):
    """Status that a polling panel gets, over a connection of its own."""
    return poll_answer(world, link).status


def poll_answer(world, link):
    return world.get(link["pollingUrl"][link["pollingUrl"].index("/d/"):])


class Seat:
    """A panel with a WebSocket, and the messages that it received."""

    def __init__(self, world, link):
        self.panel = LINK_PANEL.Panel(world.server.address,
                                      link["webSocketUrl"][link["webSocketUrl"].index("/d/"):])
        self.brightness = None
        self.dwell_s = None
        self.displays = True
        self.pictures = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.panel.close()

    def read(self):
        message = self.panel.read()
        if isinstance(message, bytes):
            self.pictures.append(message)
            if self.displays:
                self.panel.show()
        elif message:
            self.brightness = message.get("brightness", self.brightness)
            self.dwell_s = message.get("dwell_secs", self.dwell_s)
        return message

    def wait_for(self, is_so):
        while not is_so():
            assert self.read() is not None, "the link has ended"

    def wait_for_end(self):
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while self.read() is not None:
                pass


def panel_of(world, made):
    return Seat(world, made["link"])


class Journal:
    """Audit log actions of an account."""

    def __init__(self, person):
        self.person = person

    def entries(self):
        rows = self.person.world.sql(
            "SELECT action, target, actor, address FROM audit_entry WHERE account_id = %s "
            "ORDER BY id", self.person.id)
        devices = [row for row in rows if row[0].startswith("device.")]
        assert all(row[2:] == (self.person.email, "127.0.0.1") for row in devices), devices
        return [row[:2] for row in devices]


def at_once(count, act):
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda _: act(), range(count)))
