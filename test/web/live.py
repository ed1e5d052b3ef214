"""Panels that run while a test checks pages: each reads on a thread of its own."""

import contextlib
import hashlib
import json
import socket
import threading

import panel
from world import Account

PICTURE, TEXT = 2, 1


def hash_of(webp):
    return hashlib.sha256(webp).hexdigest()[:32]


def own_device(world, person, **columns):
    """A device of this person, to which the public API pushes."""
    account = Account.__new__(Account)
    account.world, account.id = world, person.id
    account.key = account.new_key()
    return account.device(**columns)


class Live(panel.Panel):
    """acknowledges: the panel sends "queued" for each picture, and "displaying" for the first one, for a
    hurried one, and after show_next()."""

    def __init__(self, device, client=None, acknowledges=True):
        self.acknowledges = acknowledges
        self.count = 0
        self.shown = None  # number of the displayed picture
        self.pictures = []
        server = device.account.world.server
        super().__init__(client and Connected(client) or server, device)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def __exit__(self, *_):
        self.close()

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()

    def say(self, **members):
        if self.acknowledges:
            self._send(TEXT, json.dumps(members).encode())

    def show_next(self):
        self.shown = self.count
        self.say(displaying=self.count)

    def take(self, opcode, payload):
        if opcode == panel.PING:
            self._send(panel.PONG, payload)
        elif opcode == PICTURE:
            self.count += 1
            self.pictures.append(hash_of(payload))
            self.say(queued=self.count)
            if self.shown is None:
                self.show_next()
        elif json.loads(payload) == {"immediate": True}:
            self.show_next()

    def run(self):
        with contextlib.suppress(OSError):  # either side has ended
            while True:
                self.take(*self._frame())


class Connected:
    """Takes the place of a server: a connection that exists already."""

    def __init__(self, client):
        self.client = client

    def connect(self):
        return self.client.socket
