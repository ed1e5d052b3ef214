"""docs/trouble.md: each symptom is provoked, found in its row, and ended by the advice of this row."""

import http.client
import os
import re
import shlex
import subprocess
import sys

import pytest
from broker import PASSWORD, USER, Broker
from ports import free_port
from server import DISPLAYCTL, PATIENCE_S, ROOT, wait_until

sys.path.append(os.path.join(ROOT, "test/link"))

from panel import Panel, Refused  # noqa: E402  pylint: disable=wrong-import-position

EMAIL, SECRET = "ada@example.org", "correct horse battery"
PICTURE = os.path.join(ROOT, "tools/demo/demo.png")
SITE = {"Sec-Fetch-Site": "same-origin"}

with open(os.path.join(ROOT, "docs/trouble.md"), encoding="utf-8") as file:
    PAGE = file.read()


def advice(section, seen):
    """The second column of the row that has this text in its first one."""
    text = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    [row] = [row for row in re.findall(r"^\|(.*)\|$", text, re.M) if seen in row.split("|")[0]]
    return row.split("|", 1)[1]


class Trouble:
    """A server with an account that has a device, and displayctl as the page has it."""

    def __init__(self, server):
        self.server = server
        server.ctl("account", "create", EMAIL, "--name", "Ada")
        self.device = server.ctl("device", "create", "--account", EMAIL, "--name", "Desk")
        self.key = server.ctl("key", "create", "--account", EMAIL)["key"]

    def ctl(self, line, code=0, **names):
        """Types a line of the page. Returns what it printed."""
        for name, value in names.items():
            assert name in line, line
            line = line.replace(name, value)
        command = [DISPLAYCTL, "--state-dir", self.server.state_dir, *shlex.split(line)[1:]]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S,
                              stdin=subprocess.DEVNULL)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    def follow(self, section, seen, **names):
        """Types the first command of the advice."""
        return self.ctl(re.search(r"`(displayctl [^`]+)`", advice(section, seen))[1], **names)

    def shown(self):
        """The line "shown" of a push, as the first section reads it."""
        return re.search(r"^shown +(.*)$", self.ctl(f"displayctl push Desk {PICTURE}"), re.M)[1].strip()

    def panel(self, url=None):
        """The panel with the URL that was entered in it."""
        path = re.sub(r"^wss?://[^/]+", "", url or self.device["websocketUrl"])
        return Panel(self.server.address, path)

    def push(self, **members):
        """Displayd-Shown of a push by the API."""
        query = "".join(f"&{name}={value}" for name, value in members.items())
        with open(PICTURE, "rb") as picture:
            answer = self.server.request(
                "POST", f"/v1/devices/{self.device['id']}/push?{query[1:]}", body=picture.read(),
                headers={"Authorization": f"Bearer {self.key}", "Content-Type": "image/png"})
        assert answer.status == 200, answer.body
        return answer.headers["Displayd-Shown"]

    def sign_in(self, password, host=None):
        headers = SITE | ({"Host": host} if host else {})
        return self.server.request("POST", "/web/session", body={"email": EMAIL, "password": password}, headers=headers)


@pytest.fixture
def trouble(launch):
    def make(*arguments, **options):
        server = launch(*arguments, **options)
        server.start()
        return Trouble(server)
    return make


DARK = "The panel is dark"


def test_the_panel_is_dark(trouble):
    one = trouble()
    assert one.shown() in (seen := "once a panel has connected for the first time")
    printed = one.follow(DARK, seen, DEVICE="Desk --yes")
    with pytest.raises(Refused):
        one.panel()
    panel = one.panel(re.search(r"^websocketUrl +(\S+)", printed, re.M)[1])
    wait_until(lambda: one.shown() == "now", "the panel is online")
    one.ctl("displayctl device sleep Desk")
    assert one.shown() == (seen := "not while the panel sleeps")
    one.follow(DARK, seen, DEVICE="Desk")
    assert one.shown() == "now"
    one.ctl("displayctl device update Desk --brightness 0")
    assert one.shown() == (seen := "not while the brightness is 0")
    one.follow(DARK, seen, DEVICE="Desk")
    assert one.shown() == "now"
    panel.close()
    wait_until(lambda: one.shown().startswith("when the panel is back, offline since"), "the panel is offline")


def test_a_panel_that_is_refused(trouble):
    one = trouble()
    one.ctl("displayctl device disable Desk")
    with pytest.raises(Refused) as refused:
        one.panel()
    line = advice(DARK, "when the panel is back, offline since")
    assert refused.value.status == 404 and "`404`" in line
    one.ctl(re.search(r"`(displayctl device enable [^`]+)`", line)[1], DEVICE="Desk")
    one.panel().close()


NOTHING = "A push is 200 and nothing shows"


def test_a_push_and_nothing_shows(trouble):
    one = trouble()
    assert one.push() == "never" and advice(NOTHING, "`never`")
    panel = one.panel()
    wait_until(lambda: one.push() == "now", "the panel is online")
    one.ctl("displayctl device sleep Desk")
    assert one.push().startswith("asleep") and '"wake": true' in advice(NOTHING, "`asleep`")
    assert one.push(wake="true") == "now"
    one.ctl("displayctl device wake Desk")
    for name in ("clock", "door"):
        one.push(installationId=name)
    one.ctl("displayctl installation update clock --device Desk --pinned on")
    assert one.push(installationId="door", background="true") == "pinned; id=clock"
    one.follow(NOTHING, "`pinned; id=ENTRY`", ENTRY="clock", DEVICE="Desk")
    assert one.push(installationId="door", background="true") == "later"
    assert '"background": true' in advice(NOTHING, "`later`") and one.push(installationId="door") == "now"
    one.ctl("displayctl device update Desk --brightness 0")
    assert one.push() == "dark"
    method, path, body = re.search(r"`([A-Z]+) (\S+)` `([^`]+)`", advice(NOTHING, "`dark`")).groups()
    answer = one.server.request(method, path.replace("DEVICE", one.device["id"]), body=body.encode(), headers={
        "Authorization": f"Bearer {one.key}", "Content-Type": "application/json"})
    assert answer.status == 200 and one.push() == "now"
    panel.close()


SIGN_IN = "I cannot sign in"


def use_link(one, printed):
    token = re.search(r"/link#([0-9A-Za-z]{43})", printed)[1]
    answer = one.server.request("POST", "/web/links/use", headers=SITE, body={
        "token": token, "email": EMAIL, "name": "Ada", "password": SECRET})
    assert answer.status == 200, answer.body


def test_a_password_that_was_forgotten(trouble):
    one = trouble()
    assert one.sign_in(SECRET).status == 401
    use_link(one, one.follow(SIGN_IN, "401, and the password is forgotten", EMAIL=EMAIL))
    assert one.sign_in(SECRET).status in (200, 201)


def test_too_many_wrong_passwords(trouble):
    one = trouble()
    use_link(one, one.follow(SIGN_IN, "401, and the password is forgotten", EMAIL=EMAIL))
    answer = wait_until(lambda: (found := one.sign_in("wrong" * 4)).status == 429 and found, "429")
    assert int(answer.headers["Retry-After"]) > 0 and "`Retry-After`" in advice(SIGN_IN, "429")


def test_plain_http_of_another_machine(trouble, launch):
    host = "192.168.1.20:8080"
    one = trouble("--public-url", f"http://{host}")
    answer = one.sign_in(SECRET, host)
    assert answer.status == 403 and answer.json()["code"] == "https_needed"
    option = re.search(r"`(--plain-http-sign-in on)`", advice(SIGN_IN, "403, `https_needed`"))[1]
    two = trouble("--public-url", f"http://{host}", *option.split())
    assert two.sign_in(SECRET, host).status == 401


PAGE_LOADS = "The page does not load"


def status_of(address, path="/livez"):
    connection = http.client.HTTPConnection(*address, timeout=PATIENCE_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except ConnectionRefusedError:
        return None
    finally:
        connection.close()


def test_the_page_does_not_load(trouble):
    one = trouble()
    address, port = one.server.address
    assert status_of((address, port)) == 200 and status_of(("127.0.0.2", port)) is None
    option, value = re.search(r"`(--listen) (0\.0\.0\.0:8080)`", advice(PAGE_LOADS, "this machine gets an answer")).groups()
    assert option == "--listen"
    two = trouble(listen=value.replace("8080", str(free_port())))
    assert status_of(("127.0.0.2", two.server.address[1])) == 200
    two.server.stop()
    assert status_of(("127.0.0.2", two.server.address[1])) is None
    assert "no displayd is running on" in two.ctl("displayctl status", code=5)
    assert advice(PAGE_LOADS, "no displayd is running on")


HOME = "Home Assistant sees no panel"


@pytest.mark.skipif(not os.environ.get("HAS_MQTT"), reason="there is no bridge to MQTT")
def test_home_assistant_sees_no_panel(trouble, folder):
    def state():
        printed = one.ctl(re.search(r"```bash\n(displayctl mqtt show .*)\n", PAGE)[1], EMAIL=EMAIL)
        return dict(re.findall(r"^(state|error) +(.*?) *$", printed, re.M))

    with open(os.path.join(folder, "wrong"), "w", encoding="ascii") as out:
        out.write("wrong\n")
    with open(os.path.join(folder, "right"), "w", encoding="ascii") as out:
        out.write(PASSWORD + "\n")
    with Broker() as broker:
        host = broker.url.removeprefix("mqtt://")
        none = re.search(r"`(displayctl mqtt update [^`]+)`", advice(HOME, "`none`"))[1]

        def update(server, name, code=0):
            return server.ctl(none, code, EMAIL=EMAIL, BROKER=host, NAME=USER, FILE=os.path.join(folder, name))

        one = trouble()
        assert state()["state"] == "none"
        refused = update(one, "wrong", code=2)
        line = advice(HOME, "the command refuses the address as not public")
        assert "--egress-allow" in refused and "`--egress-allow BROKER`" in line
        one = trouble("--egress-allow", "127.0.0.1")
        one.ctl(re.search(r"`(displayctl account previews [^`]+)`", line)[1], EMAIL=EMAIL)
        update(one, "wrong")
        found = wait_until(lambda: (now := state())["state"] == "failed" and now, "failed")
        assert "password" in found["error"] and advice(HOME, "`failed`, with `error`")
        with broker.listen("homeassistant/device/#") as heard:
            update(one, "right")
            wait_until(lambda: state()["state"] == "connected", "connected")
            topic = f"homeassistant/device/displayd_{one.device['id']}/config"
            wait_until(lambda: topic in heard.newest, "discovery")
        assert advice(HOME, "`connected`")
