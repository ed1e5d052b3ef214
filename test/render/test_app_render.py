"""displayctl app render: pictures of apps without a server."""

import fcntl
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

import PIL.Image
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
APPS = ROOT / "share/apps"
PICTURES = ROOT / "subprojects/render-starlark/testdata"
COMMUNITY = pathlib.Path(os.environ.get("DISPLAYD_APPS", ROOT.parent / "shared/apps"))
DISPLAYCTL = os.environ["DISPLAYCTL"]
MOMENT = ("--now", "2026-07-01T12:34:56Z", "--timezone", "Europe/Zagreb", "--seed", "1")

needs_starlark = pytest.mark.skipif(
    not os.environ.get("HAS_STARLARK"), reason="built without the renderer of apps in Starlark"
)

RED = """load("render.star", "render")
def main(config):
    print("for", config.get("who"))
    return render.Root(child = render.Box(color = "#f00"))
"""


def run(*arguments, program=DISPLAYCTL, **options):
    return subprocess.run(
        [program, "app", "render", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


def frames(path):
    """What a panel shows: pixels over black, and milliseconds, of each frame."""
    with PIL.Image.open(path) as picture:
        for index in range(getattr(picture, "n_frames", 1)):
            picture.seek(index)
            shown = PIL.Image.new("RGBA", picture.size, (0, 0, 0, 255))
            shown.alpha_composite(picture.convert("RGBA"))
            yield shown.tobytes(), picture.info.get("duration")


@pytest.fixture
def app(tmp_path):
    """Writes a script and returns its path."""

    def write(text):
        path = tmp_path / "mine.star"
        path.write_text(text)
        return path

    return write


@needs_starlark
@pytest.mark.parametrize("name", ["clock", "date", "marquee", "countdown"])
def test_own_apps(name, tmp_path):
    output = tmp_path / "out.webp"
    done = run(APPS / name, *MOMENT, "-o", output)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(frames(output)) == list(frames(PICTURES / f"{name}.webp"))
    assert os.listdir(tmp_path) == ["out.webp"]


@needs_starlark
@pytest.mark.skipif(not COMMUNITY.is_dir(), reason="no apps of the community beside the project")
def test_apps_of_the_community(tmp_path):
    output = tmp_path / "out.webp"
    differs = []
    for reference in sorted(COMMUNITY.glob("*/picture.webp")):
        done = run(reference.parent / "app", *MOMENT, "-o", output)
        assert done.returncode == 0, done.stderr
        if list(frames(output)) != list(frames(reference)):
            differs.append(reference.parent.name)
    assert differs == []


@needs_starlark
def test_settings_and_what_was_printed(app, tmp_path):
    done = run(app(RED), "who=Ada = Bob", "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "for Ada = Bob\n")
    assert next(frames(tmp_path / "out.webp"))[0][:4] == b"\xff\0\0\xff"


@needs_starlark
def test_a_picture_that_cannot_be_written_leaves_nothing_behind(app, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    done = run(app(RED), "-o", folder)
    assert done.returncode == 1 and "Is a directory" in done.stderr
    assert not (tmp_path / "out.part").exists()


@needs_starlark
def test_an_app_that_has_nothing_to_show(app, tmp_path):
    done = run(app("def main():\n    return []\n"), "-o", tmp_path / "out.webp")
    assert (done.returncode, done.stderr) == (0, "displayctl: the app has nothing to show\n")
    assert not (tmp_path / "out.webp").exists()


@needs_starlark
def test_errors_say_where(app, tmp_path):
    path = app("def main():\n    return [][1]\n")
    done = run(path, "-o", tmp_path / "out.webp")
    assert done.returncode == 1
    assert done.stderr == f"{path}:2:14: index 1 out of range: empty list\n"

    folder = tmp_path / "folder"
    (folder / "lib").mkdir(parents=True)
    (folder / "main.star").write_text('load("lib/a.star", "a")\ndef main():\n    a()\n')
    (folder / "lib/a.star").write_text("def a():\n    fail('no\x1b[2J')\n")
    done = run(folder, "--check")
    assert done.returncode == 1
    assert done.stderr == f"{folder}/lib/a.star:2:9: fail: no [2J\n"


@needs_starlark
def test_check(tmp_path):
    done = run(APPS / "clock", "--check")
    assert done.returncode == 0
    assert '"id": "twelve_hours"' in done.stdout
    assert "2 frames in 1.0 s" in done.stdout
    assert "MiB" in done.stdout
    assert "no_new_privs" in done.stdout
    assert os.listdir(tmp_path) == []


@needs_starlark
@pytest.mark.parametrize(
    "script, message",
    [
        ("while True:\n    pass\ndef main():\n    pass\n", "steps"),
        ("def main():\n    x = 3\n    for i in range(60):\n        x *= x\n", "takes more than 10s"),
        ("def main():\n    return 'a' * (1 << 29)\n", "too much memory"),
        ("def f():\n    f()\ndef main():\n    f()\n", "calls itself"),
        ('load("http.star", "http")\ndef main():\n    http.get("http://127.0.0.1")\n', "no network"),
    ],
)
def test_hostile_scripts(app, tmp_path, script, message):
    done = run(app(script), "-o", tmp_path / "out.webp")
    assert done.returncode == 1
    assert message in done.stderr
    assert not (tmp_path / "out.webp").exists()


@pytest.mark.parametrize(
    "arguments, code",
    [
        ((APPS / "clock", "setting"), 2),
        ((APPS / "clock", "=value"), 2),
        ((APPS / "clock",), 2),  # no terminal, and no -o
        ((APPS / "clock", "--now", "noon"), 2),
        ((APPS / "clock", "--seed", "-1"), 2),
        (("/nowhere", "--check"), 3),
        ((), 2),
    ],
)
def test_wrong_usage(arguments, code):
    done = run(*arguments)
    assert done.returncode == code
    assert done.stderr


def test_without_a_renderer_it_says_why(tmp_path):
    alone = tmp_path / "bin/displayctl"
    alone.parent.mkdir()
    shutil.copy(DISPLAYCTL, alone)
    done = run(APPS / "clock", "--check", program=alone)
    assert done.returncode == 1
    assert "was built without the renderer" in done.stderr


class Terminal:
    """displayctl in a terminal of 80 x 24."""

    def __init__(self, *arguments):
        self.output = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execv(DISPLAYCTL, [DISPLAYCTL, "app", "render", *map(str, arguments)])
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
