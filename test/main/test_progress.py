"""The progress line of each step of tools/setup and tools/build, and the output of a failed step."""

import contextlib
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios

import pytest
from server import PATIENCE_S, ROOT, wait_until

TIME = r"\d+ (?:s|min \d+ s)"


@pytest.fixture
def script(tmp_path):
    """Makes a program with steps of this text. Returns its command."""
    os.makedirs(tmp_path / "tools")
    shutil.copy(os.path.join(ROOT, "tools/progress.sh"), tmp_path / "tools")

    def make(text):
        (tmp_path / "script").write_text("set -euo pipefail\nprogram=script\n. tools/progress.sh\n" + text)
        return ["bash", "script"]
    make.folder = tmp_path
    return make


def run(script, text):
    done = subprocess.run(script(text), cwd=script.folder, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE_S,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def log(script):
    path = script.folder / "build/setup.log"
    return path.read_text() if path.exists() else ""


def test_a_step(script):
    """A line with count, size and time is shown; the step's output is in the log."""
    code, screen = run(script, 'work() { echo much; echo more >&2; progress 153 "720 MB"; }\nstep things work\n')
    assert code == 0
    assert re.fullmatch(rf"  things +153 +720 MB +{TIME}\n", screen)
    assert "much\nmore\n" in log(script)


def test_verbose(script):
    code, screen = run(script, "is_verbose=true\nstep things echo much\n")
    assert code == 0 and re.fullmatch(rf"much\n  things +{TIME}\n", screen)
    assert "much\n" in log(script)


def test_a_step_of_apt_and_ninja(script):
    code, screen = run(script, r"""
        work() { printf '%s\n' dlstatus:1:2.5:x pmstatus:libc6:40.2:Unpacking '[7/9] CC a.o' '[9/9] LINK a'; }
        step things work
        step "?more things" echo "ninja: no work to do."
    """)
    assert code == 0
    assert re.fullmatch(rf"  things +9 +{TIME}\n", screen)


def test_on_a_terminal(script):
    """On a terminal the line is redrawn, and ends as the line printed elsewhere."""
    reader, writer = pty.openpty()
    text = """work() { echo "[1/4] CC a"; echo "[3/4] CC b"; read -r _ <go || true; }
              mkfifo go; step things work"""
    with subprocess.Popen(script(text), cwd=script.folder, stdin=subprocess.DEVNULL, stdout=writer,
                          stderr=writer) as process:
        os.close(writer)
        shown = b""

        def is_shown():
            nonlocal shown
            shown += os.read(reader, 65536)
            return b"75 %" in shown
        wait_until(is_shown, "three quarters")
        (script.folder / "go").write_text("on\n")
        assert process.wait(PATIENCE_S) == 0
    with contextlib.suppress(OSError):  # EIO: the terminal has no writer any more
        while piece := os.read(reader, 65536):
            shown += piece
    os.close(reader)
    *drawn, last = shown.decode().replace("\r\n", "\n").split("\r\033[K")
    assert drawn and not any("\n" in one for one in drawn)
    assert re.fullmatch(rf"  things +4 +{TIME}\n", last)


def on_terminal(command, folder, columns):
    """What the command writes on a terminal of this width."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown = b""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=writer, stderr=writer) as process:
        os.close(writer)
        with contextlib.suppress(OSError):  # EIO: the terminal has no writer any more
            while piece := os.read(reader, 65536):
                shown += piece
        assert process.wait(PATIENCE_S) == 0
    os.close(reader)
    return re.split(r"[\r\n]+", shown.decode().replace("\033[K", ""))


@pytest.mark.parametrize("columns", [80, 40])
def test_width(script, columns):
    """A line that is redrawn is no wider than the terminal; messages are broken between words. 80 columns hold all
    columns of a step of apt."""
    title, long = "packages of bookworm-backports", "word " * 40
    lines = on_terminal(script(f"""
        work() {{ progress 1234 "999.9 MB"; echo dlstatus:1:100.0:x; sleep 1.5; }}
        step "{title}" work
        say {long}
    """), script.folder, columns)
    drawn = [line for line in lines if "fetching" in line]
    assert drawn or columns == 40
    assert all(line.endswith("fetching 100 %") for line in drawn)
    said = "".join(lines[[line.startswith("script:") for line in lines].index(True):])
    assert said.split() == ["script:", *long.split()]
    # The finished line stays as it is.
    assert max(len(line) for line in lines if not re.search(r"MB +\d+ s$", line)) <= columns
    assert max(map(len, lines)) <= 80


def test_a_step_that_fails(script):
    """A failed step shows the last 20 lines of its own output, and a sentence."""
    code, screen = run(script, 'step first echo quiet\nstep things bash -c "seq 30; exit 7"\nstep never true\n')
    _, line, *lines, sentence = screen.splitlines()
    assert code == 7
    assert re.fullmatch(rf"  things +{TIME}  failed", line)
    assert lines == [str(number) for number in range(11, 31)]
    assert sentence == "script: things: this step failed; all of its output is in build/setup.log"


def test_a_compiler_that_fails(script):
    """Names of our files are no message of a network."""
    work = r"""work() { printf '%s\n' '[3/9] CC resolve.c' 'a.c:1: unreachable code' 'FAILED: a.o'; return 1; }"""
    assert run(script, work + "\nstep things work\n")[1].endswith("this step failed; all of its output is in build/setup.log\n")


@pytest.mark.parametrize("said, sentence", [
    ("Temporary failure resolving 'deb.debian.org'", "connect this machine to the network, and run this again"),
    ("npm error code EAI_AGAIN", "connect this machine to the network, and run this again"),
    ("dpkg: error: write: No space left on device", "there is no room left; make some, and run this again"),
])
def test_a_reason(script, said, sentence):
    code, screen = run(script, f'work() {{ echo "{said}"; return 1; }}\nstep things work\n')
    assert code == 1 and screen.endswith(sentence + "\n")


def test_a_sentence_of_a_step(script):
    """A sentence of the step is shown alone."""
    code, screen = run(script, 'work() { echo much; fail "no room"; }\nstep things work\n')
    assert (code, screen) == (1, "script: no room\n")


def test_a_step_that_is_killed(script):
    code, screen = run(script, 'work() { kill -9 $BASHPID; }\nstep things work\n')
    assert code == 1 and screen.endswith("this step failed; all of its output is in build/setup.log\n")


def test_a_program_that_a_step_leaves_behind(script):
    """A remaining program that holds the output open is not waited for."""
    code, screen = run(script, 'work() { sleep 1000 & echo $! >left; }\nstep things work\n')
    os.kill(int((script.folder / "left").read_text()), signal.SIGKILL)
    assert code == 0 and screen.startswith("  things ")


def test_ctrl_c(script):
    command = script("step things bash -c 'echo begun; exec sleep 1000'\n")
    with subprocess.Popen(command, cwd=script.folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        wait_until(lambda: "begun" in log(script), "a step at work")
        os.killpg(process.pid, signal.SIGINT)
        screen = process.stdout.read()
        assert process.wait(PATIENCE_S) == 130
    assert screen == "script: interrupted; run it again, and it goes on from there\n"
