"""displayctl app render in a terminal: it plays the picture, and again at each save."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

from app_render import DISPLAYCTL, RED, RED_TYPED, needs_starlark, needs_typescript


class Terminal:
    """displayctl in a terminal of 80 x 24, in the folder of the script: its lines have room for a short path."""

    def __init__(self, script, *options):
        self.output = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(script.parent)
            os.execv(DISPLAYCTL, [DISPLAYCTL, "app", "render", script.name, *options])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def wait_for(self, text):
        end = time.monotonic() + 60
        while text not in self.output:
            assert time.monotonic() < end, self.output
            if select.select([self.fd], [], [], 1)[0]:
                self.output += os.read(self.fd, 65536)

    def interrupt(self):
        os.kill(self.pid, signal.SIGINT)
        self.wait_for(b"\x1b[?1049l")  # the screen is as it was
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return code


@needs_starlark
def test_plays_in_the_terminal(app):
    terminal = Terminal(app(RED))
    terminal.wait_for(b"38;2;255;0;0m")
    terminal.wait_for(b"a still picture")
    assert terminal.interrupt() == 0


@needs_starlark
def test_watch(app, tmp_path):
    terminal = Terminal(app("def main():\n    return nobody\n"), "--watch")
    terminal.wait_for(b"undefined: nobody")
    app(RED)
    terminal.wait_for(b"38;2;255;0;0m")
    app(RED.replace("#f00", "#00f"))
    terminal.wait_for(b"38;2;0;0;255m")
    assert terminal.interrupt() == 0


@needs_starlark
def test_watch_of_a_file_that_a_script_loads(app):
    app("#f00", "colour.txt")
    script = RED.replace('"#f00"', "file.readall()")
    terminal = Terminal(app('load("colour.txt", "file")\n' + script), "--watch")
    terminal.wait_for(b"38;2;255;0;0m")
    app("#00f", "colour.txt")
    terminal.wait_for(b"38;2;0;0;255m")
    assert terminal.interrupt() == 0


@needs_typescript
def test_watch_in_typescript(app):
    terminal = Terminal(app("export default () => nobody;\n", "mine.ts"), "--watch")
    terminal.wait_for(b"mine.ts:1:22: ")
    app(RED_TYPED, "mine.ts")
    terminal.wait_for(b"38;2;255;0;0m")
    assert terminal.interrupt() == 0
