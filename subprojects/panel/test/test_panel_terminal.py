"""Drawing on a terminal: the panel's output through a pseudo-terminal, read by a small emulator."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios

import pytest

from harness import PROGRAM, TIMEOUT_S, still

ENTER = "\x1b[?1049h"
LEAVE = "\x1b[?1049l"
BLOCK = "\xff"  # the half block, as one character
TOKEN = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|([^\x1b])", re.S)


class Terminal:
    """Knows what the panel draws with, and nothing else."""

    def __init__(self, columns=80, rows=24):
        self.master, self.slave = os.openpty()
        self.resize(columns, rows)
        self.text = ""
        self.done = 0
        self.cells = {}
        self.row = self.column = 1
        self.pen = [None, None]

    def resize(self, columns, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        ready, _, _ = select.select([self.master], [], [], TIMEOUT_S)
        assert ready, "the panel drew nothing"
        # A character may be cut in two: latin-1 keeps the bytes until a whole token is there.
        self.text += os.read(self.master, 65536).decode("latin-1")
        self._interpret()

    def _interpret(self):
        text = self.text[self.done :].replace("\xe2\x96\x80", BLOCK)
        end = len(text)
        if text.rfind("\x1b") >= 0 and not TOKEN.match(text, text.rfind("\x1b")):
            end = text.rfind("\x1b")
        for tail in ("\xe2\x96", "\xe2"):
            if text[:end].endswith(tail):
                end -= len(tail)
        self.done += len(text[:end].replace(BLOCK, "\xe2\x96\x80"))
        for match in TOKEN.finditer(text[:end]):
            self._do(*match.groups())

    def _do(self, numbers, command, character):
        if character:
            self.cells[self.row, self.column] = (character, *self.pen)
            self.column += 1
        elif command == "H":
            self.row, self.column = map(int, numbers.split(";"))
        elif command == "J":
            self.cells.clear()
        elif command == "m" and numbers.startswith(("38;2;", "48;2;")):
            colour = tuple(map(int, numbers.split(";")[2:]))
            self.pen[numbers.startswith("48")] = colour

    def wait(self, condition):
        while not condition():
            self.read()

    def status(self):
        return "".join(self.cells.get((17, c), " ")[0] for c in range(1, 81))

    def cell(self, column, row):
        return self.cells.get((row, column))


@pytest.fixture
def terminal():
    return Terminal()


@pytest.fixture
def draw(server, terminal):
    processes = []

    def start(*arguments):
        process = subprocess.Popen(
            [PROGRAM, "--url", server.url(), *arguments],
            stdin=terminal.slave,
            stdout=terminal.slave,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()


def shown(terminal, upper, lower=None):
    lower = lower or upper
    return lambda: all(
        terminal.cell(c, r) == (BLOCK, upper, lower) for c in range(1, 65) for r in range(1, 17)
    )


def test_picture(server, terminal, draw):
    draw()
    connection = server.take().accept()
    terminal.wait(lambda: "connected" in terminal.status())
    connection.picture(still(10, 20, 30))
    terminal.wait(shown(terminal, (10, 20, 30)))
    terminal.wait(lambda: "#1, 1 frame, 10 s" in terminal.status())
    connection.send(brightness=25)
    terminal.wait(shown(terminal, (5, 10, 15)))
    terminal.wait(lambda: "brightness 25 %" in terminal.status())
    connection.send(brightness=0)
    terminal.wait(shown(terminal, (0, 0, 0)))


def test_key_is_not_shown(server, terminal, draw):
    draw()
    server.take().accept()
    terminal.wait(lambda: "connected" in terminal.status())
    assert "secret" not in terminal.text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_terminal_is_given_back(server, terminal, draw, number):
    before = termios.tcgetattr(terminal.slave)
    process = draw()
    server.take().accept()
    terminal.wait(lambda: "connected" in terminal.status())
    assert terminal.text.startswith(ENTER)
    during = termios.tcgetattr(terminal.slave)
    assert not during[3] & termios.ECHO
    process.send_signal(number)
    terminal.wait(lambda: terminal.text.endswith(LEAVE))
    assert process.wait(timeout=TIMEOUT_S) == 0
    assert "\x1b[?25h" in terminal.text
    assert termios.tcgetattr(terminal.slave) == before
    assert process.stderr.read() == b""


def test_terminal_is_given_back_after_exit_and_abort(server, terminal, draw):
    process = draw()
    server.take().accept()
    terminal.wait(lambda: "connected" in terminal.status())
    process.send_signal(signal.SIGABRT)
    terminal.wait(lambda: terminal.text.endswith(LEAVE))
    assert process.wait(timeout=TIMEOUT_S) == -signal.SIGABRT


def test_resize_draws_all_anew(server, terminal, draw):
    process = draw()
    server.take().accept().picture(still(1, 2, 3))
    terminal.wait(shown(terminal, (1, 2, 3)))
    terminal.resize(40, 10)
    os.kill(process.pid, signal.SIGWINCH)
    terminal.wait(lambda: (1, 41) not in terminal.cells and (10, 40) in terminal.cells)
    assert (11, 1) not in terminal.cells
    terminal.resize(100, 30)
    os.kill(process.pid, signal.SIGWINCH)
    terminal.wait(shown(terminal, (1, 2, 3)))


def test_stop_and_continue(server, terminal, draw):
    process = draw()
    connection = server.take().accept()
    connection.picture(still(1, 2, 3))
    terminal.wait(shown(terminal, (1, 2, 3)))
    os.kill(process.pid, signal.SIGTSTP)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    terminal.wait(lambda: terminal.text.endswith(LEAVE))
    terminal.cells.clear()
    os.kill(process.pid, signal.SIGCONT)
    terminal.wait(lambda: terminal.text.count(ENTER) == 2)
    terminal.wait(shown(terminal, (1, 2, 3)))


def test_no_terminal_gets_lines(server):
    process = subprocess.Popen(
        [PROGRAM, "--url", server.url(), "--exit-after", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    server.take().accept().picture(still(1, 2, 3))
    lines, errors = process.communicate(timeout=TIMEOUT_S)
    words = [line.split()[1] for line in lines.splitlines()]
    assert words == ["connecting", "connected", "binary", "queued", "displaying"]
    assert "\x1b" not in lines and "secret" not in lines
    assert errors == ""


def test_quiet_prints_nothing(server):
    process = subprocess.Popen(
        [PROGRAM, "--url", server.url(), "--exit-after", "1", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    server.take().accept().picture(still(1, 2, 3))
    assert process.communicate(timeout=TIMEOUT_S) == (b"", b"")
    assert process.returncode == 0


def test_output_that_nobody_reads_any_more(server):
    process = subprocess.Popen(
        [PROGRAM, "--url", server.url(), "--exit-after", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    connection = server.take().accept()
    process.stdout.close()
    connection.picture(still(1, 2, 3))
    connection.take_text()
    assert connection.take_text() == {"queued": 1}
    connection.picture(still(1, 2, 4))
    connection.send(immediate=True)
    assert process.wait(timeout=TIMEOUT_S) == 0
    process.stderr.close()
