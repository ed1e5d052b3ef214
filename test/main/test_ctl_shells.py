"""Completion of displayctl in the real shells, and its manual pages."""

import os
import pty
import re
import select
import shutil
import socket
import subprocess
import time

import pytest
from server import DISPLAYCTL, PATIENCE_S, run_ctl

BUILT = os.path.dirname(DISPLAYCTL)

# Text before the cursor, words that are offered, and words that are not.
CASES = [
    ("displayctl ", ["account", "device", "push", "version", "help"], ["create", "--json"]),
    ("displayctl dev", ["device"], ["account", "push"]),
    ("displayctl device ", ["create", "list", "rekey", "show", "update"], ["device", "revoke"]),
    ("displayctl --json device re", ["rekey", "remove"], ["create"]),
    ("displayctl --state-dir /x device re", ["rekey", "remove"], ["create"]),
    ("displayctl device update x --a", ["--auto-dim"], ["--brightness", "--account"]),
    ("displayctl device update x --auto-dim ", ["on", "off"], ["device"]),
    ("displayctl app review a 1.0 ", ["approve", "request-changes", "reject"], ["app"]),
    ("displayctl app create --visibility p", ["private", "public"], ["legacy"]),
    ("displayctl app render x --sett", ["--settings"], ["--seed"]),
    ("displayctl app render x --settings pict", ["picture.png"], ["app"]),
    ("displayctl help k", ["key"], ["device"]),
    ("displayctl --js", ["--json"], ["--state-dir"]),
    ("displayctl push Kitchen pict", ["picture.png"], ["push"]),
    ("displayctl device create --from dev", ["devices.csv"], ["device"]),
]


def shell(name):
    path = shutil.which(name)
    if not path:
        pytest.skip(f"there is no {name}")
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shell")
    (folder / "picture.png").touch()
    (folder / "devices.csv").touch()
    (folder / "_displayctl").symlink_to(os.path.join(BUILT, "_displayctl"))
    (folder / "displayctl").symlink_to(DISPLAYCTL)
    return folder


def variables(place):
    return os.environ | {"HOME": str(place), "PATH": f"{place}:/usr/bin:/bin"}


def check(line, offered, wanted, unwanted):
    assert set(wanted) <= set(offered), (line, offered)
    assert not set(unwanted) & set(offered), (line, offered)


@pytest.mark.parametrize("line, wanted, unwanted", CASES)
def test_bash(place, line, wanted, unwanted):
    words = re.split(" +", line)
    script = (f"source {BUILT}/displayctl.bash\n"
              f"COMP_WORDS=({' '.join(words[:-1])} '{words[-1]}')\n"
              f"COMP_CWORD={len(words) - 1}\n"
              "_displayctl\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n")
    done = subprocess.run([shell("bash"), "--norc", "-c", script], cwd=place, text=True, check=True,
                          capture_output=True, env=variables(place))
    assert done.stderr == ""
    check(line, done.stdout.split(), wanted, unwanted)


def test_bash_with_an_equals_sign(place):
    script = (f"source {BUILT}/displayctl.bash\n"
              "COMP_WORDS=(displayctl device update x --auto-dim = o)\nCOMP_CWORD=6\n"
              "_displayctl\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n")
    done = subprocess.run([shell("bash"), "-c", script], cwd=place, text=True, check=True,
                          capture_output=True, env=variables(place))
    assert done.stdout.split() == ["on", "off"]


@pytest.mark.parametrize("line, wanted, unwanted", CASES)
def test_fish(place, line, wanted, unwanted):
    script = f"source {BUILT}/displayctl.fish; complete -C '{line}'"
    done = subprocess.run([shell("fish"), "--no-config", "-c", script], cwd=place, text=True,
                          check=True, capture_output=True, env=variables(place))
    assert done.stderr == ""
    check(line, [row.split("\t")[0] for row in done.stdout.splitlines()], wanted, unwanted)


class Zsh:
    """An interactive zsh on a terminal."""

    def __init__(self, place):
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(place)
            os.environ.update(variables(place), TERM="dumb", COLUMNS="200", PS1="% ")
            os.execv(shell("zsh"), ["zsh", "-f", "-i"])
        self.pid = pid
        self.ask(f"fpath=({place} $fpath); autoload -U compinit; compinit -u -D; unsetopt beep; "
                 "zstyle ':completion:*' list-prompt ''; LISTMAX=1000; stty columns 200 rows 200; LINES=200; "
                 "echo ready-$((6*7))\n", "ready-42")

    def ask(self, keys, until):
        os.write(self.terminal, keys.encode())
        text, end = "", time.monotonic() + PATIENCE_S
        # The shell accepts keys again after its prompt.
        while "\x1b[?2004h" not in text.partition(until)[2] and time.monotonic() < end:
            if select.select([self.terminal], [], [], 1)[0]:
                text += os.read(self.terminal, 65536).decode(errors="replace")
        assert until in text, text
        return text

    def end(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


@pytest.fixture(scope="module")
def zsh(place):
    shell("zsh")
    one = Zsh(place)
    yield one
    one.end()


@pytest.mark.parametrize("line, wanted, unwanted", CASES)
def test_zsh(zsh, line, wanted, unwanted):
    """^D lists the completions at the cursor, and ^U clears the line."""
    text = zsh.ask(f"{line}\x04\x15\recho done-$((6*7))\r", "done-42")
    rows = text[text.index(line) + len(line):].split("\n" + line)[0].splitlines()
    check(line, " ".join(row.split(" -- ")[0] for row in rows).split(), wanted, unwanted)


@pytest.mark.parametrize("page", ["displayctl.1", "displayd.8", "displayd.conf.5"])
def test_a_page_of_the_manual(page):
    path = os.path.join(BUILT, page)
    done = subprocess.run([shell("mandoc"), "-Tlint", path], capture_output=True, text=True,
                          check=False)
    # The other pages are not installed.
    faults = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
    assert faults == []
    man = subprocess.run([shell("man"), "--warnings", "-l", path], capture_output=True, text=True,
                         check=True, env=os.environ | {"MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
    assert man.stderr == ""
    assert "SEE ALSO" in man.stdout


def test_the_manual_has_every_command():
    with open(os.path.join(BUILT, "displayctl.1"), encoding="utf-8") as file:
        text = file.read()
    commands = re.findall(r"^  ([a-z]+(?: [a-z-]+)?)(?= |$)", run_ctl("help", json_output=False), re.M)
    assert len(commands) > 30
    for command in commands:
        assert f"\n.Cm {command}\n" in text


def test_the_manual_has_every_setting():
    with open(os.path.join(BUILT, "displayd.conf.5"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(BUILT, "displayd.8"), encoding="utf-8") as file:
        flags = file.read()
    for setting in ("listen", "state-dir", "rate-limit", "sandbox"):
        assert f".It Cm {setting} " in text and f".It Fl \\-{setting} " in flags
    assert ".It Cm check-config" not in text and "check-config" in flags


# ---- names that a server has ----

def completed(place, *words, **more):
    done = subprocess.run([DISPLAYCTL, "__complete", *words], capture_output=True, text=True, check=True,
                          env=variables(place) | more, timeout=PATIENCE_S)
    assert done.stderr == ""
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def named(running):
    """A server with two accounts that each have a device of the same name."""
    for address in ("ada@example.org", "bob@example.org"):
        running.ctl("account", "create", address)
        running.ctl("device", "create", "--account", address, "--name", "Hall")
    kitchen = running.ctl("device", "create", "--account", "ada@example.org", "--name", "Kitchen sink",
                          "--serial", "K-1")
    running.ctl("app", "create", "--account", "ada@example.org", "--name", "Clock", "--slug", "clock")
    return running, kitchen


class TestNames:
    def test_devices(self, place, named):
        server, kitchen = named
        where = ("--state-dir", server.state_dir)
        assert completed(place, *where, "push", "Ki") == ["Kitchen sink"]
        assert completed(place, *where, "installation", "list", "--device", "K-") == ["K-1"]
        assert completed(place, *where, "device", "show", kitchen["id"][:35]) == [kitchen["id"]]
        assert completed(place, *where, "device", "show", "Hall") == []  # ambiguous
        found = completed(place, *where, "device", "show", "")
        assert "Kitchen sink" in found and "Hall" not in found
        assert len([one for one in found if re.fullmatch("[0-9a-f-]{36}", one)]) == 2
        assert completed(place, *where, "device", "show", "Kitchen sink", "x") == []

    def test_apps_and_accounts(self, place, named):
        where = (f"--state-dir={named[0].state_dir}",)
        assert completed(place, *where, "app", "show", "cl") == ["clock"]
        assert completed(place, *where, "installation", "create", "--app=c") == ["--app=clock"]
        assert completed(place, *where, "account", "show", "a") == ["ada@example.org"]
        assert completed(place, *where, "account", "link", "b") == ["bob@example.org"]

    def test_over_a_url(self, place, named):
        server, kitchen = named
        key = server.ctl("key", "create", "--account", "ada@example.org")["key"]
        assert completed(place, "--server", server.url, "push", "Kit",
                         DISPLAYD_API_KEY=key) == ["Kitchen sink"]
        assert completed(place, "account", "show", "", DISPLAYD_SERVER=server.url,
                         DISPLAYD_API_KEY=key) == []
        assert kitchen

    def test_in_bash(self, place, named):
        script = (f"source {BUILT}/displayctl.bash\n"
                  f"COMP_WORDS=(displayctl --state-dir {named[0].state_dir} push Kit)\nCOMP_CWORD=4\n"
                  "_displayctl\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n")
        done = subprocess.run([shell("bash"), "-c", script], text=True, check=True,
                              capture_output=True, env=variables(place))
        assert (done.stdout, done.stderr) == ("Kitchen\\ sink\n", "")

    def test_in_fish(self, place, named):
        line = f"displayctl --state-dir {named[0].state_dir} device show Kit"
        script = f"source {BUILT}/displayctl.fish; complete -C '{line}'"
        done = subprocess.run([shell("fish"), "--no-config", "-c", script], text=True, check=True,
                              capture_output=True, env=variables(place))
        assert done.stdout.split("\t")[0].replace("\\ ", " ") == "Kitchen sink"

    def test_in_zsh(self, zsh, named):
        line = f"displayctl --state-dir {named[0].state_dir} device show Kit"
        text = zsh.ask(f"{line}\x04\x15\recho done-$((6*7))\r", "done-42")
        assert "Kitchen sink" in text or "chen\\ sink" in text


@pytest.mark.parametrize("where", [(), ("--state-dir", "/nowhere"), ("--server", "http://127.0.0.1:1"),
                                   ("--server", "nonsense"), ("--state-dir",)])
def test_without_a_server_nothing_is_said(place, where):
    assert completed(place, *where, "device", "show", "") == []


def test_a_server_that_does_not_answer(place):
    """Completion gives up by itself if the server does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert completed(place, "--server", url, "device", "show", "", DISPLAYD_API_KEY="x") == []


@pytest.mark.parametrize("words, wanted", [
    (["device", "update", "x", "--auto-dim=o"], ["--auto-dim=on", "--auto-dim=off"]),
    (["device", "update", "x", "--auto-dim", "=", "of"], ["off"]),
    (["app", "review", "'a b'", "1\\ 0", "rej"], ["reject"]),
    (["--state-dir=/x", "dev"], ["device"]), ([], None), (["help", "key", "cr"], ["create"]),
    (["sign-"], ["sign-in", "sign-out"]), (["__c"], []), (["nothing", "x"], []),
])
def test_words(place, words, wanted):
    found = completed(place, *words)
    assert found == wanted or (wanted is None and "device" in found)
