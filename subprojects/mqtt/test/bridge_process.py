"""A bridge to MQTT in its sandbox, and a worker's end of its link, for tests."""

import json
import os
import socket
import subprocess

from waiting import PATIENCE_S

ACCOUNT = "0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa"


class Bridge:
    """options: of the program. readable: files that it may read beside the usual ones."""

    def __init__(self, *options, readable=()):
        own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        read = [word for path in readable for word in ("--read", path)]
        command = [os.environ["SANDBOX_LAUNCH"], "--best-effort", "--data", "256M", "--network", *read,
                   os.environ["MQTT"], *options]

        def place_control():
            os.dup2(other.fileno(), 3)

        self.process = subprocess.Popen(command, preexec_fn=place_control, pass_fds=[3])
        other.close()
        self.control = own
        self.link, worker = socket.socketpair()
        socket.send_fds(own, [b"L"], [worker.fileno()])
        worker.close()
        self.link.settimeout(PATIENCE_S)
        self.lines = self.link.makefile("rb")
        self.hello = self.word()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.control.close()
        self.link.close()
        assert self.process.wait(PATIENCE_S) == 0

    def word(self):
        return json.loads(self.lines.readline())

    def say(self, word, descriptor=None):
        data = (json.dumps(word) + "\n").encode()
        if descriptor is None:
            self.link.sendall(data)
        else:
            socket.send_fds(self.link, [data], [descriptor])

    def open(self, port, host="127.0.0.1", tls=False, account=ACCOUNT, **members):
        self.say({"open": {"account": account, "host": host, "port": port, "tls": tls, "prefix": "displayd",
                           "discovery": "homeassistant", "all": False, "public": False, **members}})

    def state(self):
        """The next state that it reports."""
        while True:
            word = self.word()
            if "state" in word:
                return word["state"]
