"""The lines that README, docs/apps.md, docs/develop.md and tools/run print, as a reader types them. (The example
clients' own lines are in test/contract/test_clients.py, those of backups in test/main/test_operate.py.)"""

import http.client
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

import pytest
from images import frames_of
from postgres import Postgres
from server import DISPLAYCTL, DISPLAYD, PATIENCE_S, ROOT, prepare_state, wait_until


class Checkout:
    """A clone that is set up and built, in which tools/run is running."""

    def __init__(self, folder):
        self.root = os.path.join(folder, "a 'small' clone")
        os.makedirs(os.path.join(self.root, "build/release"))
        os.makedirs(os.path.join(self.root, "tools"))
        for name, program in (("displayd", DISPLAYD), ("displayctl", DISPLAYCTL)):
            os.symlink(os.path.abspath(program), os.path.join(self.root, "build/release", name))
        shutil.copy(os.path.join(ROOT, "tools/run"), os.path.join(self.root, "tools"))
        shutil.copytree(os.path.join(ROOT, "tools/demo"), os.path.join(self.root, "tools/demo"))
        for name in ("docs", "src"):
            os.symlink(os.path.abspath(os.path.join(ROOT, name)), os.path.join(self.root, name))
        shutil.copytree(os.path.join(ROOT, "share/apps"), os.path.join(self.root, "share/apps"))
        for name in ("setup", "build"):  # already built
            path = os.path.join(self.root, "tools", name)
            with open(path, "w", encoding="ascii") as file:
                file.write("#!/bin/sh\n")
            os.chmod(path, 0o755)
        self.log_path = os.path.join(folder, "log")
        self.process = None

    def have_database(self):
        """Makes a state directory as tools/run leaves it if it is interrupted before it makes the demo account:
        the next one makes no database, which takes long."""
        state = os.path.join(self.root, "state")
        prepare_state(state)
        with open(os.path.join(state, "demo.pending"), "wb"):
            pass

    def start(self, options=("--listen", "127.0.0.1:0")):
        """Starts tools/run. Returns its output, perhaps followed by a warning of displayd."""
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(["tools/run", *options], cwd=self.root, stdout=log,
                                            stderr=log, stdin=subprocess.DEVNULL)

        def is_printed():
            assert self.process.poll() is None, self.text()
            return "Ctrl-C ends displayd.\n" in self.text()
        try:
            wait_until(is_printed, "what tools/run prints")
        except TimeoutError as error:
            with open(os.path.join(self.root, "state/displayd.log"), encoding="utf-8") as log:
                raise TimeoutError(f"{error}\n{self.text()}\n{log.read()}") from error
        return self.text()

    def text(self):
        with open(self.log_path, encoding="utf-8") as file:
            return file.read()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE_S) == 0

    def sh(self, script, **variables):
        """Runs the lines, which must all succeed. Returns their output."""
        done = subprocess.run(["bash", "-e", "-c", script], cwd=self.root, text=True, check=False,
                              timeout=PATIENCE_S, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=os.environ | variables)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def checkout(folder):
    checkout = Checkout(folder)
    yield checkout
    if checkout.process and checkout.process.poll() is None:
        checkout.process.kill()
        checkout.process.wait()


def typed(text, word):
    """The line with this word, as typed in another terminal."""
    folder, = re.findall(r"^  (cd .*)$", text, re.M)
    line, = [line.strip() for line in text.splitlines() if line.startswith("  ") and word in line]
    return f"{folder} && {line}"


def page_of(text):
    """Address of the page: the first one on the screen."""
    return re.search(r"^  (http://\S+)$", text, re.M)[1]


def ctl_of(text):
    """Beginning of displayctl lines that need the server."""
    return typed(text, " push ").partition(" push ")[0] + " "


def play(line, folder, wanted):
    """Types the line in a terminal, waits for the expected output, and presses Ctrl-C."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvp("bash", ["bash", "-c", "stty rows 45 cols 140; " + line])
    shown = b""
    end = time.monotonic() + PATIENCE_S
    while wanted not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            shown += os.read(terminal, 65536)
    os.write(terminal, b"\x03")
    with pytest.raises(OSError):
        while True:
            os.read(terminal, 65536)
    os.close(terminal)
    os.waitpid(pid, 0)
    assert wanted in shown, shown[-2000:]


def text_of(document):
    with open(os.path.join(ROOT, document), encoding="utf-8") as file:
        return file.read()


def blocks_of(document, program="build/release/displayctl"):
    """The blocks of a document that call displayctl."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text_of(document), re.M | re.S)
    return [block for block in blocks if re.search(f"^{program} ", block, re.M)]


def readme_blocks():
    return blocks_of("README.md")


def is_for_apps(block):
    """Whether the block needs an engine."""
    return "displayctl app " in block


def account_block():
    [block] = [block for block in readme_blocks() if "account create" in block]
    return block


def test_lines_of_the_readme(checkout):
    checkout.have_database()
    blocks = [block for block in readme_blocks() if not is_for_apps(block)]
    assert sum(block.count("build/release/displayctl") for block in blocks) >= 4
    url = page_of(checkout.start()).partition("/link#")[0]
    printed = "".join(checkout.sh(block) for block in blocks)
    key = re.search(r"^key +(ddk_\S+)$", printed, re.M)[1]
    shutil.copy(os.path.join(ROOT, "tools/demo/demo.png"), os.path.join(checkout.root, "picture.png"))
    assert "shows picture.png" in checkout.sh("sh docs/examples/push.sh picture.png",
                                              DISPLAYD_URL=url, DISPLAYD_KEY=key)
    checkout.stop()


MINE = """load("render.star", "render")
def main(config):
    return render.Root(child = render.Text(config.get("name", "nobody")))
"""


def write(text, *path):
    path = os.path.join(*path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no app can be rendered")
def test_line_of_the_readme_that_renders(checkout):
    [block] = [block for block in readme_blocks() if "app render" in block]
    [line] = block.splitlines()
    play(line, checkout.root, b"2 frames")


BUILT = 'export PATH="$PWD/build/release:$PATH"\n'


@pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no app can be rendered")
def test_lines_of_the_guide_that_render(checkout):
    """Lines of docs/apps.md that render: some end by themselves, others play the first app in the terminal
    until Ctrl-C."""
    [script] = re.findall(r"^```starlark\n(.*?)^```", text_of("docs/apps.md"), re.M | re.S)
    write(script, checkout.root, "hello.star")
    write('{"who": "Ada"}', checkout.root, "FILE")
    [block] = [block for block in blocks_of("docs/apps.md", "displayctl") if "app render" in block]
    lines = [line for line in block.splitlines() if "app render" in line]
    playing = [line for line in lines if not re.search(" (-o|--check) ", line)]
    assert (len(lines), len(playing)) == (6, 3)
    for line in playing:
        play(BUILT.replace("\n", "; ") + line, checkout.root, b"a still picture")
    made = re.findall(r"`(displayctl app (?:new \w+|types > [^`]*))`", text_of("docs/apps.md"))
    assert len(made) == 2
    printed = checkout.sh(BUILT + "".join(line + "\n" for line in [*made, *lines] if line not in playing))
    assert "a still picture" in printed
    with open(os.path.join(checkout.root, "hello.webp"), "rb") as file:
        assert len(frames_of(file.read())) == 1
    with open(os.path.join(ROOT, "share/panel.d.ts"), "rb") as types:
        for path in ("panel.d.ts", "hello/panel.d.ts"):
            with open(os.path.join(checkout.root, path), "rb") as file:
                assert file.read() == types.read()
            types.seek(0)


@pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no app can be loaded")
def test_lines_of_the_guide_that_import(checkout):
    """Lines of docs/apps.md that import, typed in the shell of the lines that made the account."""
    checkout.have_database()
    home = os.path.join(checkout.root, "home")
    for name in ("here", "there"):
        write(f"id: {name}\nname: {name.title()}\nsummary: A summary\nauthor: Ada\n", home,
              f"apps/apps/{name}/manifest.yaml")
        write(MINE, home, f"apps/apps/{name}/{name}.star")
    [block] = [block for block in blocks_of("docs/apps.md", "displayctl") if "app import" in block]
    checkout.start()
    checkout.sh(account_block() + BUILT + block, HOME=home)
    apps = checkout.sh("build/release/displayctl --state-dir state app list --account ada@example.org")
    assert "here" in apps and "there" in apps
    checkout.stop()


def test_line_for_a_panel(checkout):
    """Panels get addresses that match the line printed for them."""
    checkout.have_database()
    line = re.search(r"^ *tools/run (--listen 0\.0\.0\.0.*)$", text_of("README.md"), re.M)[1]
    text = checkout.start(options=line.replace("0.0.0.0:8080", "127.0.0.1:0").split())
    with open(os.path.join(checkout.root, "state/demo-panel-url"), encoding="ascii") as file:
        websocket = file.read().strip()
    assert websocket.startswith("ws://192.168.1.20:8080/d/") and len(websocket) <= 128
    assert page_of(text).startswith("http://192.168.1.20:8080/link#")
    checkout.stop()


def test_screen_of_tools_run(checkout):
    """The screen has few lines, with the page's address first. The log is in its file, and also on the
    screen with --verbose. The one link on the screen is valid."""
    lines = checkout.start().splitlines()
    assert len(lines) <= 12 and max(len(line.replace(checkout.root, "/srv/displayd")) for line in lines) <= 80
    assert lines[3] == "  " + page_of(checkout.text())
    assert checkout.text().count("://") == 1
    with open(os.path.join(checkout.root, "state/displayd.log"), encoding="utf-8") as file:
        assert "msg=ready" in file.read()
    use_link(checkout.text())
    checkout.stop()
    assert checkout.text().splitlines() == lines
    lines = checkout.start(("--listen", "127.0.0.1:0", "--verbose")).splitlines()
    assert any(line.startswith("ts=") and "msg=ready" in line for line in lines)
    checkout.stop()


def test_errors_of_tools_run(checkout):
    """A bad option is reported at once. If displayd exits otherwise, the reason is shown from its log.
    Later warnings and errors appear on the screen, too."""
    def ended(*options):
        done = subprocess.run(["tools/run", *options], cwd=checkout.root, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE_S, check=False)
        return done.returncode, done.stdout.splitlines()

    code, [line] = ended("--listen", "nowhere")
    assert code == 2 and line.startswith("displayd: --listen must be ")
    assert not os.path.exists(os.path.join(checkout.root, "state"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, lines = ended("--listen", "127.0.0.1:%d" % taken.getsockname()[1])
    assert code == 3 and lines[0].startswith("tools/run: displayd has ended before it was ready; ")
    assert "another program listens there" in lines[-1]
    write("log-format = json\n", checkout.root, "my.conf")
    text = checkout.start(("--listen", "127.0.0.1:0", "--config", "my.conf"))
    write("log-format = none\n", checkout.root, "my.conf")
    checkout.process.send_signal(signal.SIGHUP)
    wait_until(lambda: '"level":"error"' in checkout.text().removeprefix(text), "the refusal on the screen")
    checkout.stop()


def test_lines_of_tools_run(checkout):
    checkout.have_database()
    text = checkout.start()
    push, panel = typed(text, " push "), typed(text, " panel ")
    assert re.search(r"^device +Panel$", checkout.sh("cd / && " + push), re.M)
    play(panel, checkout.root, b"brightness 60 %")
    checkout.stop()
    # The panel's URL is in a file; the server has another port now.
    text = checkout.start()
    assert (typed(text, " push "), typed(text, " panel ")) == (push, panel)
    play(panel, checkout.root, b"brightness 60 %")
    checkout.stop()


PASSWORD = "correct-horse"


@pytest.fixture
def database():
    """URL of a database that asks for a password, without that password."""
    postgres = Postgres()
    with open(postgres.data + "/pg_hba.conf", "w", encoding="ascii") as file:
        file.write("local all postgres trust\nlocal all all scram-sha-256\n")
    with postgres:
        postgres.execute(f"CREATE ROLE panels LOGIN SUPERUSER PASSWORD '{PASSWORD}'")
        yield postgres.create_empty().replace("user=postgres", "user=panels")


def by_variable(checkout, url, monkeypatch):
    monkeypatch.setenv("DISPLAYD_DATABASE", f"{url}&password={PASSWORD}")
    return ()


def by_file_of_passwords(checkout, url, monkeypatch):
    path = os.path.join(checkout.root, "my passwords")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"*:*:*:panels:{PASSWORD}\n")
    os.chmod(path, 0o600)
    if os.getuid() == 0:  # workers read it, too
        for folder in (checkout.root, os.path.dirname(checkout.root)):
            os.chmod(folder, 0o755)
        shutil.chown(path, "displayd")
    monkeypatch.setenv("PGPASSFILE", "my passwords")
    return ("--database", url)


def by_configuration(checkout, url, monkeypatch):
    with open(os.path.join(checkout.root, "my displayd.conf"), "w", encoding="ascii") as file:
        file.write(f"database = {url}&password={PASSWORD}\n")
    return ("--config", "my displayd.conf")


@pytest.mark.parametrize("give", [by_variable, by_file_of_passwords, by_configuration])
def test_lines_of_tools_run_with_another_database(checkout, database, monkeypatch, give):
    """The lines find the database from a terminal without settings, and print no password."""
    options = ("--listen", "127.0.0.1:0", *give(checkout, database, monkeypatch))
    checkout.start(options=options)
    checkout.stop()
    text = checkout.start(options=options)
    for name in ("DISPLAYD_DATABASE", "PGPASSFILE"):
        monkeypatch.delenv(name, raising=False)
    assert re.search(r"^device +Panel$", checkout.sh("cd / && " + typed(text, " push ")), re.M)
    assert re.search(r"^key +ddk_", checkout.sh(ctl_of(text) + "key create --account demo@example.org"), re.M)
    assert PASSWORD not in text
    checkout.stop()


def test_lines_of_the_readme_with_another_database(checkout, database, monkeypatch):
    [first] = re.findall(r"`(export DISPLAYD_DATABASE=[^`]*)`", text_of("docs/develop.md"))
    given = os.path.join(checkout.root, "state/demo-database")
    options = ("--listen", "127.0.0.1:0", *by_variable(checkout, database, monkeypatch))
    checkout.start(options=options)
    monkeypatch.delenv("DISPLAYD_DATABASE")
    assert os.stat(given).st_mode & 0o777 == 0o600
    checkout.sh(first + "\n" + account_block())
    checkout.stop()
    checkout.start(options=("--listen", "127.0.0.1:0"))
    assert not os.path.exists(given)  # not the password either
    checkout.stop()


def device_of(checkout):
    with open(os.path.join(checkout.root, "state/demo"), encoding="ascii") as file:
        return file.read().split()[1]


def zone_of(checkout):
    ctl = "build/release/displayctl --state-dir state --json "
    return json.loads(checkout.sh(ctl + "device show " + device_of(checkout)))["timezone"]


@pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no app can be loaded")
def test_apps_of_tools_run(checkout):
    """The apps are in the catalogue, the device shows the clock in the machine's time zone, and a later run
    updates them."""
    checkout.have_database()
    checkout.start()
    ctl = "build/release/displayctl --state-dir state --json "
    device = device_of(checkout)
    apps = json.loads(checkout.sh(ctl + "app list"))
    listed = {app["slug"] for app in apps if app["status"] == "active"}
    assert {"clock", "date", "marquee", "countdown", "weather"} <= listed
    assert ("clock-ts" in listed) == bool(os.environ.get("HAS_TYPESCRIPT"))
    [entry] = json.loads(checkout.sh(ctl + f"installation list --device {device}"))["entries"]
    assert entry["appName"] == "Clock"
    zone = zone_of(checkout)
    assert os.path.realpath("/etc/localtime").endswith("/" + zone) or zone == "UTC"
    checkout.stop()

    path = os.path.join(checkout.root, "share/apps/date/manifest.yaml")
    with open(path, "a", encoding="utf-8") as file:
        file.write("# newer\n")
    checkout.start()
    again = {app["slug"]: app["version"] for app in json.loads(checkout.sh(ctl + "app list"))}
    assert {app["slug"] for app in apps if app["version"] != again[app["slug"]]} == {"date"}
    checkout.stop()


def clocks(checkout, zone):
    """Pictures of the clock now, a minute ago and in a minute."""
    for minutes in (0, -1, 1):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60 * minutes))
        checkout.sh("build/release/displayctl app render share/apps/clock -o clock.webp"
                    f" --now {now} --timezone {zone}")
        with open(os.path.join(checkout.root, "clock.webp"), "rb") as file:
            yield frames_of(file.read())


@pytest.mark.skipif(not os.environ.get("HAS_STARLARK"), reason="no app can be loaded")
def test_the_panel_of_tools_run_shows_the_clock(checkout):
    checkout.have_database()
    checkout.start()
    with open(os.path.join(checkout.root, "state/demo-panel-url"), encoding="ascii") as file:
        polls = file.read().strip().replace("ws://", "http://").replace("/ws?", "/next?")
    zone = zone_of(checkout)

    def shows():
        with urllib.request.urlopen(polls, timeout=PATIENCE_S) as answer:
            shown = frames_of(answer.read())
        return len(shown) == 2 and shown in list(clocks(checkout, zone))
    wait_until(shows, "the clock on the panel")
    checkout.stop()


def use_link(text):
    """Sets the password of the demo account, as the page does. Returns the account."""
    link = re.fullmatch(r"http://(\S+)/link#(\w{43})", page_of(text))
    body = json.dumps({"token": link[2], "password": "a password for the demo"})
    connection = http.client.HTTPConnection(link[1], timeout=PATIENCE_S)
    connection.request("POST", "/web/links/use", body, {"Content-Type": "application/json",
                                                        "Sec-Fetch-Site": "same-origin"})
    answer = connection.getresponse()
    assert answer.status == 200
    return json.loads(answer.read())


def test_link_of_tools_run(checkout):
    checkout.have_database()
    checkout.start()
    checkout.stop()
    # Each run prints another link as long as there is no administrator.
    account = use_link(checkout.start())
    assert account["email"] == "demo@example.org" and account["isAdministrator"]
    checkout.stop()
    text = checkout.start()
    checkout.stop()
    assert page_of(text).endswith("/") and "/link#" not in text
