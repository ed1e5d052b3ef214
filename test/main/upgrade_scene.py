"""A server whose program is a link that tests redirect, for tests of upgrades. "New programs" are scripts
that prepend something and then execute the program under test."""

import os
import shutil
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from ports import free_port  # noqa: E402
from server import DISPLAYD, CtlError, Server, wait_until  # noqa: E402

CHECK = 'case "$*" in *--check-upgrade*)'


class Scene:
    """A server whose program is a link that a test can redirect."""

    def __init__(self, *arguments):
        # A restart would get another port from the kernel.
        self.server = Server("--config", "", *arguments, workers=2,
                             listen=f"127.0.0.1:{free_port()}")
        self.folder = self.server.state_dir + ".programs"
        os.makedirs(self.folder, exist_ok=True)
        self.program = os.path.join(self.folder, "displayd")
        self.config = os.path.join(self.folder, "displayd.conf")
        self.server.command[0] = self.program
        self.server.command[self.server.command.index("--config") + 1] = self.config
        with open(self.config, "w", encoding="utf-8"):
            pass
        self.install()
        self.server.start()
        account = ("--account", "ada@example.org")
        self.server.ctl("account", "create", "ada@example.org", "--name", "Ada")
        self.devices = [self.server.ctl("device", "create", *account, "--name", f"D{i}")
                        for i in range(3)]
        self.key = self.server.ctl("key", "create", *account)["key"]

    def install(self, script=None, program=DISPLAYD):
        """Installs the program under test, or another one, or a script in which DISPLAYD is that program."""
        fresh = self.program + ".new"
        if os.path.lexists(fresh):
            os.unlink(fresh)
        if script is None:
            os.symlink(program, fresh)
        else:
            with open(fresh, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nDISPLAYD='{program}'\n{script}\n")
            os.chmod(fresh, 0o755)
        os.rename(fresh, self.program)

    def configure(self, *lines):
        with open(self.config, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))

    def upgrade(self):
        return self.server.ctl("upgrade")

    def refused(self):
        """Error of displayctl if the server is not upgraded."""
        with pytest.raises(CtlError) as error:
            self.upgrade()
        return error.value

    def retire(self):
        """Waits until only one generation of workers remains."""
        wait_until(lambda: len(self.server.children()[0]) == 2, "two workers")

    def remove(self):
        self.server.remove()
        shutil.rmtree(self.folder, ignore_errors=True)
