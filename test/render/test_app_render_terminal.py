"""displayctl app render in a terminal: it plays the picture, and again at each save."""

import fcntl
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import termios
import time

from app_render import DISPLAYCTL, RED, RED_TYPED, needs_starlark, needs_typescript


ASKS = """load("http.star", "http")
def main(config):
    http.get(config.get("url"))
    return []
"""


class Terminal:
    """displayctl in a terminal of 80 x 24, in the folder of the script, so that its lines have room for a
    short path."""

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
        self.wait_for(b"\x1b[?1049l")  # the screen is restored
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


def end_host(process):
    """Kills the render host of a displayctl. Waits for its end."""
    with open(f"/proc/{process}/task/{process}/children") as children:
        host = int(children.read().split()[0])
    handle = os.pidfd_open(host)
    os.kill(host, signal.SIGKILL)
    assert select.select([handle], [], [], 60)[0]
    os.close(handle)


@needs_starlark
def test_watch_goes_on_when_the_render_host_was_killed(app):
    terminal = Terminal(app(RED), "--watch")
    terminal.wait_for(b"38;2;255;0;0m")
    for blue in ("80", "ff"):
        end_host(terminal.pid)
        app(RED.replace("#f00", f"#0000{blue}"))
        terminal.wait_for(b"38;2;0;0;%dm" % int(blue, 16))
    assert terminal.interrupt() == 0
    assert b"displayctl: the render host has ended; another one starts" in terminal.output


@needs_starlark
def test_the_end_of_the_render_host_is_seen_at_once(app, tmp_path):
    """The end is noticed before the script's time is over, and displayctl does not spin until then."""
    with socket.create_server(("127.0.0.1", 0)) as server, subprocess.Popen(
        [DISPLAYCTL, "app", "render", app(ASKS), f"url=http://127.0.0.1:{server.getsockname()[1]}/",
         "--egress-allow", "127.0.0.0/8", "-o", tmp_path / "out.webp"],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        connection, _ = server.accept()
        with open(f"/proc/{process.pid}/stat") as stat:
            before = sum(map(int, stat.read().split()[13:15])) / os.sysconf("SC_CLK_TCK")
        end_host(process.pid)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        connection.close()
        assert process.returncode == 1 and b"available at the moment" in process.stderr.read()
        assert used.ru_utime + used.ru_stime - before < 0.3, used
