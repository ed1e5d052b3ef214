"""displayctl --server: with an API key, over TCP and TLS."""

import contextlib
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import threading
import urllib.parse
import uuid

import certificates
import pytest
import tls
from ctl_scene import device, email, key, new_app, publish, refused
from laptop import Laptop, keyed, laptop, person, picture
from ports import free_port
from server import DISPLAYCTL, PATIENCE_S, CtlError, Server, run_ctl

__all__ = ["device", "email", "key", "keyed", "laptop"]  # fixtures


# ---- an API key ----

class TestKey:
    def test_devices(self, running, keyed, device):
        [listed] = keyed.ctl("device", "list")
        shown = keyed.ctl("device", "show", device["name"].upper())
        assert listed == shown and shown["id"] == device["id"]
        changed = keyed.ctl("device", "update", device["id"], "--brightness", "41")
        assert changed["brightness"] == 41
        assert running.ctl("device", "show", device["id"])["brightness"] == 41
        assert keyed.refused(3, "device", "show", "nothing") == "there is no device nothing"
        assert keyed.refused(2, "device", "update", device["id"], "--timezone", "Mars/Base").startswith(
            "--timezone must be")

    def test_brightness_of_several(self, keyed, device):
        assert keyed.ctl("device", "brightness", "42", "--device", device["id"]) == {"devices": [{"device": device["id"], "status": 200}]}
        assert keyed.ctl("device", "show", device["id"])["brightness"] == 42
        assert device["id"] in [one["device"] for one in keyed.ctl("device", "brightness", "43")["devices"]]
        assert keyed.ctl("device", "show", device["id"])["brightness"] == 43

    def test_restart(self, running, keyed, device):
        assert keyed.refused(4, "device", "reboot", "desk") == "the panel is offline"
        assert running.get(device["pollUrl"].removeprefix(running.url)).status == 200
        assert keyed.ctl("device", "reboot", "desk") == {"id": device["id"], "name": device["name"]}
        person(running, signed_in := Laptop(keyed.home, keyed.url))
        made = signed_in.ctl("device", "create", "--name", "Mine")
        assert running.get(made["pollUrl"].removeprefix(running.url)).status == 200
        assert signed_in.ctl("device", "reboot", "mine")["id"] == made["id"]

    def test_push_from_a_file_and_standard_input(self, keyed, device):
        path = picture(keyed.home)
        assert keyed.ctl("push", "Desk", path)["deviceId"] == device["id"]
        with open(path, "rb") as file:
            done = subprocess.run([DISPLAYCTL, "--server", keyed.url, *keyed.options, "--json", "push",
                                   device["id"], "-", "--installation", "mine"], stdin=file,
                                  capture_output=True, check=True, env={"HOME": keyed.home})
        assert json.loads(done.stdout)["installationId"] == "mine"
        [listed] = keyed.ctl("installation", "list", "--device", "desk")["entries"]
        assert listed["installationId"] == "mine"
        assert keyed.refused(3, "push", "Nothing", path) == "there is no device Nothing"

    def test_push_by_name_with_a_key_for_pushes(self, running, keyed, device, email):
        """A key that may show pictures and nothing else finds a device by its name, in any case."""
        other = running.ctl("device", "create", "--account", email, "--name", "Attic")
        key = running.ctl("key", "create", "--account", email, "--scope", "push")["key"]
        path = picture(keyed.home)
        with open(keyed.options[1], "w", encoding="ascii") as file:
            file.write(key)
        assert keyed.ctl("push", "Desk", path)["deviceId"] == device["id"]
        assert keyed.ctl("push", "attic", path)["deviceId"] == other["id"]
        assert keyed.refused(3, "push", "Nothing", path) == "there is no device Nothing"
        answer = running.get("/v1/device-names", key=key)
        assert answer.json() == [{"id": one["id"], "name": one["name"]} for one in (device, other)]
        assert running.get("/v1/devices", key=key).status == 403
        chosen = running.ctl("key", "create", "--account", email, "--scope", "push", "--device", "Attic")["key"]
        assert [one["name"] for one in running.get("/v1/device-names", key=chosen).json()] == ["Attic"]

    def test_entries(self, running, keyed, key, device, email):
        app = new_app(running, email, "--visibility", "public")
        publish(running, key, app)
        made = keyed.ctl("installation", "create", "--device", "Desk", "--app", app["slug"])
        changed = keyed.ctl("installation", "update", made["id"], "--device", "Desk", "--hours",
                            "07:00-09:00", "--weekdays", "mon,sun", "--pinned", "on")
        ours = running.ctl("installation", "list", "--device", device["id"])["entries"][0]
        assert changed == ours and changed["hours"] == {"start": "07:00", "end": "09:00"}
        shown = keyed.ctl("installation", "show", made["id"], "--device", device["id"])
        assert shown["settings"] == {} and shown["weekdays"] == ["monday", "sunday"]
        assert shown == running.ctl("installation", "show", made["id"], "--device", device["id"])
        assert "need a session" in keyed.refused(4, "installation", "update", made["id"], "--device", "Desk",
                                            "--night", "on")
        assert keyed.refused(3, "installation", "show", "x/y", "--device", "Desk") == (
            "the device has no installation x/y")
        assert keyed.refused(3, "installation", "show", "nothing", "--device", "Desk") == (
            "the device has no installation nothing")
        keyed.ctl("installation", "remove", made["id"], "--device", "Desk", "--yes")
        assert keyed.ctl("installation", "list", "--device", "Desk")["entries"] == []
        assert app["id"] in [one["id"] for one in keyed.ctl("app", "list")]
        assert keyed.ctl("app", "show", app["slug"])["id"] == app["id"]
        assert keyed.refused(3, "app", "show", "nothing") == "there is no app nothing"

    def test_versions_of_an_own_app(self, running, keyed, key, email):
        app = new_app(running, email)
        publish(running, key, app)
        [ours] = running.ctl("version", "list", app["slug"])
        [listed] = keyed.ctl("version", "list", app["slug"])
        assert listed == {name: ours[name] for name in listed} and listed["deployed"]
        signed_in = Laptop(keyed.home, keyed.url)
        link = running.ctl("account", "link", email)["url"]
        signed_in.sign_in_by_link(link)
        assert signed_in.ctl("version", "list", app["slug"]) == [ours]
        assert signed_in.ctl("version", "show", app["id"].upper(), "1.0") == running.ctl(
            "version", "show", app["slug"], "1.0")
        assert signed_in.refused(3, "version", "show", "nothing", "1.0") == "there is no app nothing"

    def test_by_variables(self, laptop, key, device):
        variables = {"DISPLAYD_SERVER": laptop.url + "/", "DISPLAYD_API_KEY": key}
        assert laptop.ctl("device", "list", server=False, **variables)[0]["id"] == device["id"]
        assert laptop.ctl("device", "list", server=False, HOME=None, **variables)

    def test_the_state_directory_goes_before_the_variable(self, running, laptop, device):
        assert device["id"] in [one["id"] for one in laptop.ctl(
            "--state-dir", running.state_dir, "device", "list", server=False,
            DISPLAYD_SERVER="https://nowhere.invalid")]
        assert laptop.refused(2, "--state-dir", "/x", "device", "list") == (
            "--server and --state-dir exclude each other")

    def test_in_a_table(self, keyed, device):
        text = keyed.ctl("device", "list", json_output=False)
        assert device["id"] in text and "brightness" in text

    def test_a_scope(self, running, laptop, email, device):
        scoped = running.ctl("key", "create", "--account", email, "--scope", "push")["key"]
        path = picture(laptop.home)
        assert laptop.ctl("push", device["id"], path, DISPLAYD_API_KEY=scoped)["shown"]
        wanted = 'the API key has the scope "push", but this call requires "devices"'
        assert laptop.refused(4, "device", "list", DISPLAYD_API_KEY=scoped) == wanted
        # Any key reads names of devices.
        assert laptop.ctl("push", "Desk", path, DISPLAYD_API_KEY=scoped)["deviceId"] == device["id"]

    def test_for_another_device(self, running, laptop, email, device):
        running.ctl("device", "create", "--account", email, "--name", "Other")
        limited = running.ctl("key", "create", "--account", email, "--device", "Other")["key"]
        assert laptop.refused(4, "device", "show", device["id"], DISPLAYD_API_KEY=limited) == (
            "the API key is for other devices of the account")

    def test_a_wrong_one(self, laptop):
        assert laptop.refused(4, "device", "list", DISPLAYD_API_KEY="ddk_" + 36 * "x") == (
            f"{laptop.url} refuses the API key: the API key is not valid")
        for wrong in ("a b", "x\x01", " "):
            assert laptop.refused(2, "device", "list", DISPLAYD_API_KEY=wrong) == (
                "DISPLAYD_API_KEY contains no API key")
        empty = laptop.password_file("")
        os.chmod(empty, 0o600)
        assert laptop.refused(2, "--key-file", empty, "device", "list") == f"{empty} contains no API key"
        assert "/nowhere" in laptop.refused(2, "--key-file", "/nowhere", "device", "list")

    def test_a_file_that_others_may_read_or_write(self, keyed, device):
        path = keyed.options[1]
        for mode in (0o640, 0o604, 0o620, 0o602, 0o601):
            os.chmod(path, mode)
            assert keyed.refused(1, "device", "list") == (
                f"{path} has mode {mode:04o}, so others may read or write it; check that it is yours, then run: "
                f"chmod 600 {path}")
        os.chmod(path, 0o400)
        assert keyed.ctl("device", "list")[0]["id"] == device["id"]

    def test_of_standard_input(self, laptop, key, device):
        def run(*arguments):
            return subprocess.run([DISPLAYCTL, "--json", "--server", laptop.url, "--key-file", "-", *arguments],
                                  input=key + "\n", text=True, capture_output=True, check=False,
                                  env={"HOME": laptop.home})

        assert device["id"] in run("device", "list").stdout
        done = run("push", device["id"], "-")
        assert done.returncode == 2 and "standard input cannot be both" in done.stderr

    def test_none(self, laptop):
        assert laptop.refused(4, "device", "list").startswith(f"nobody is signed in at {laptop.url}: ")


@pytest.mark.parametrize("words", [
    "backup -", "restore x", "migrate", "database show", "reload", "upgrade", "status",
    "export x --account a@example.org", "import x", "app import x --account a@example.org",
    "account remove a@example.org --yes", "app remove x --yes"])
def test_what_is_done_on_the_machine_only(keyed, words):
    arguments = words.split()
    told = keyed.refused(4, *arguments)
    name = " ".join(words.split()[:1 if words.split()[0] in told.split()[1:2] else 2])
    assert re.fullmatch(r"[a-z ]+ works only on the server's machine, without --server", told), name
    told = keyed.refused(4, *arguments, server=False, DISPLAYD_SERVER=keyed.url)
    assert told.endswith("without --server, but DISPLAYD_SERVER is set")


@pytest.mark.parametrize("words, needed", [
    ("account list", "an administrator"), ("account create x@example.org", "an administrator"),
    ("app disable x", "an administrator"), ("device create --name x", "not an API key"),
    ("version approve a 1", "not an API key"), ("key list", "not an API key"), ("device remove Desk --yes", "not an API key")])
def test_what_a_key_does_not_do(keyed, words, needed):
    told = keyed.refused(4, *words.split())
    assert needed in told and "the server's own machine" in told


def test_another_account(running, keyed, laptop, email):
    assert "leave --account out" in keyed.refused(4, "device", "list", "--account", email)
    signed_in = Laptop(laptop.home, laptop.url)
    address = person(running, signed_in)
    told = signed_in.refused(4, "webhook", "list", "--account", email)
    assert told == (f"over --server webhook list is for your own account, {address}; for another one run it on the "
                    "server's machine")
    assert signed_in.refused(4, "key", "list", "--account", email) == (
        "key list of another account needs the session of an administrator")


def test_webhooks_and_mqtt(running, keyed, email):
    """The commands of the server's machine, without --account; --json is the same."""
    made = keyed.ctl("webhook", "create", "https://webhook.invalid/x", "--event", "pushed")
    [listed] = keyed.ctl("webhook", "list")
    assert running.ctl("webhook", "list", "--account", email) == [listed]
    assert keyed.ctl("webhook", "show", made["id"]) == listed
    assert keyed.ctl("webhook", "update", made["id"], "--enabled", "off")["isEnabled"] is False
    assert "at least one option" in keyed.refused(2, "webhook", "update", made["id"])
    assert keyed.ctl("webhook", "remove", made["id"], "--yes")["id"] == made["id"]
    for wrong in ("nothing", "", "a/b", ".."):
        assert keyed.refused(3, "webhook", "show", wrong) == f"the account has no webhook {wrong}"
    assert keyed.ctl("mqtt", "show") == running.ctl("mqtt", "show", "--account", email)
    assert refused(running, 2, "webhook", "list") == "webhook list needs --account EMAIL"


@pytest.mark.parametrize("url", ["panels.example.org", "ws://localhost", "http://", "http://x/path",
                                 "http://u:p@x", "http://x#y"])
def test_a_malformed_url(tmp_path, url):
    assert Laptop(tmp_path, url).refused(2, "device", "list").startswith("the server's URL ")


def test_commands_without_a_server_go_on(laptop):
    text = laptop.ctl("app", "types", json_output=False, server=False,
                      DISPLAYD_SERVER="https://nowhere.invalid")
    assert "export" in text
    assert laptop.refused(2, "--key-file", "x", "device", "list", server=False) == (
        "--key-file needs --server URL")


# ---- the way there ----

def test_nobody_listens(tmp_path):
    url = f"http://127.0.0.1:{free_port()}"
    told = Laptop(tmp_path, url).refused(5, "device", "list", DISPLAYD_API_KEY="x")
    assert told == f"cannot reach {url.removeprefix('http://')}: Connection refused"


def test_an_unknown_host(tmp_path):
    told = Laptop(tmp_path, "https://nowhere.invalid").refused(5, "device", "list", DISPLAYD_API_KEY="x")
    assert told.startswith("cannot reach nowhere.invalid: ")


@contextlib.contextmanager
def answering(answer):
    """A server that answers each connection with these bytes and closes it. Returns its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            with contextlib.suppress(OSError):
                while True:
                    with listener.accept()[0] as stream:
                        stream.recv(65536)
                        stream.sendall(answer)
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize("answer, code, told", [
    (b"", 5, "the server does not answer: it has closed the connection"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<html", 1, "the server's answer is not valid JSON"),
    (b"HTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\nx", 1, "the server answered with status 404"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n[]", 5, "it has closed the connection"),
    (b"garbage\r\n\r\n", 5, "the server's answer is malformed"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 1, "another version"),
])
def test_something_else_answers(tmp_path, answer, code, told):
    with answering(answer) as url:
        assert told in Laptop(tmp_path, url).refused(code, "device", "list", DISPLAYD_API_KEY="x")


WRONG_TYPES = (["x"], {"x": "x"}, 1, "\x1b[31m\x9b")


@pytest.mark.parametrize("command", [
    "installation move x --device {0} --to top", "installation copy x --device {0}", "installation show x --device {0}",
    "installation list --device {0}", "device show x", "device list", "app show x", "app list", "webhook list", "mqtt show"])
def test_members_of_a_wrong_type(tmp_path, command):
    """The length of an array is none of a text."""
    device = "0190163d-8694-739b-aea5-966c26f8ad91"
    for value in WRONG_TYPES:
        one = dict.fromkeys(("id", "name", "installationId", "app", "hours", "account", "url", "slug", "lastOnline"), value)
        for body in (one, [one], {"entries": [one]}, {"entries": [{**one, "installationId": "x"}]}):
            data = json.dumps(body).encode()
            answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(data), data)
            with answering(answer) as url:
                done = subprocess.run([DISPLAYCTL, "--server", url, *command.format(device).split()], check=False,
                                      capture_output=True, env={"HOME": str(tmp_path), "DISPLAYD_API_KEY": "x"})
            assert done.returncode in (0, 1, 2, 3), (body, done)
            assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", done.stdout + done.stderr), (body, done)


@pytest.mark.parametrize("errors, told", [
    ([{"pointer": ["x"], "detail": "is odd"}], "is odd"), ([{"pointer": "/name", "detail": ["x"]}], "name is wrong"),
    ([{}], "is wrong"), ([1], "is wrong"), ({"pointer": 1}, "odd")])
def test_faults_of_a_wrong_type(tmp_path, errors, told):
    data = json.dumps({"code": "fields_invalid", "detail": "odd", "errors": errors}).encode()
    answer = b"HTTP/1.1 400 No\r\nLocation: http://x\r\nContent-Length: %d\r\n\r\n%s" % (len(data), data)
    with answering(answer) as url, pytest.raises(CtlError) as caught:
        Laptop(tmp_path, url).ctl("device", "reboot", "0190163d-8694-739b-aea5-966c26f8ad91", DISPLAYD_API_KEY="x")
    assert told in caught.value.text and "null" not in caught.value.text and "redirects" not in caught.value.text


@pytest.mark.parametrize("command, member, told", [
    ("mqtt update --url mqtt://x", "username", "--username"), ("mqtt update --url mqtt://x", "password", "password"),
    ("mqtt update --url mqtt://x", "devices/0", "devices/0"), ("webhook create http://x", "url", "URL"),
    ("webhook create http://x", "version", "version"), ("webhook create http://x", "json", "json")])
def test_a_fault_names_an_option_that_the_command_has(tmp_path, command, member, told):
    """Else it names the member of the body."""
    data = json.dumps({"code": "fields_invalid", "detail": "odd", "errors": [{"pointer": f"/{member}", "detail": "is odd"}]}).encode()
    answer = b"HTTP/1.1 400 No\r\nContent-Length: %d\r\n\r\n%s" % (len(data), data)
    with answering(answer) as url, pytest.raises(CtlError) as caught:
        Laptop(tmp_path, url).ctl(*command.split(), DISPLAYD_API_KEY="x")
    assert caught.value.text == f"displayctl: {told} is odd\n"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(tmp_path, status):
    asked = []

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.headers["Authorization"])
            self.send_error(404)

    with http.server.HTTPServer(("127.0.0.1", 0), Elsewhere) as elsewhere:
        place = f"http://127.0.0.1:{elsewhere.server_port}/v1/devices"
        answer = f"HTTP/1.1 {status} Go\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()
        with answering(answer) as url:
            told = Laptop(tmp_path, url).refused(1, "device", "list", DISPLAYD_API_KEY="x")
        elsewhere.timeout = 0
        elsewhere.handle_request()
    assert asked == []
    assert f"redirects ({status}) to {place}, which displayctl does not follow" in told


class TestTls:
    @pytest.fixture(scope="class")
    @classmethod
    def site(cls, tmp_path_factory):
        folder = str(tmp_path_factory.mktemp("tls"))
        certificate = certificates.make(folder, "own", ["localhost"])
        with Server("--tls-listen", "127.0.0.1:0", *certificate.options) as server:
            server.ctl("account", "create", "tls@example.org")
            server.ctl("device", "create", "--account", "tls@example.org", "--name", "Desk")
            key = server.ctl("key", "create", "--account", "tls@example.org")["key"]
            yield server, certificate, key, folder

    def at(self, site, home, *options, host="localhost"):
        return Laptop(home, f"https://{host}:{tls.port_of(site[0])}", *options)

    def test_the_right_authority(self, site, tmp_path):
        laptop = self.at(site, tmp_path, "--ca-file", site[1].certificate)
        assert laptop.ctl("device", "list", DISPLAYD_API_KEY=site[2])[0]["name"] == "Desk"
        path = picture(tmp_path)
        assert laptop.ctl("push", "Desk", path, DISPLAYD_API_KEY=site[2])["shown"]

    def test_an_authority_from_a_pipe(self, site, tmp_path):
        """It can be read once only."""
        pipe = tmp_path / "authority"
        os.mkfifo(pipe)
        certificate = pathlib.Path(site[1].certificate).read_bytes()
        threading.Thread(target=pipe.write_bytes, args=[certificate], daemon=True).start()
        laptop = self.at(site, tmp_path, "--ca-file", str(pipe))
        assert laptop.ctl("device", "list", DISPLAYD_API_KEY=site[2])[0]["name"] == "Desk"

    def test_a_certificate_that_is_damaged(self, site, tmp_path):
        damaged = tmp_path / "damaged.pem"
        damaged.write_text("-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n")
        told = self.at(site, tmp_path, "--ca-file", str(damaged)).refused(5, "device", "list",
                                                                          DISPLAYD_API_KEY=site[2])
        assert "certificate" in told and "malformed" not in told

    def test_another_authority(self, site, tmp_path):
        other = certificates.make(site[3], "other").certificate
        for options in ((), ("--ca-file", other)):
            told = self.at(site, tmp_path, *options).refused(5, "device", "list",
                                                             DISPLAYD_API_KEY=site[2])
            assert "certificate refused: " in told

    def test_another_name(self, site, tmp_path):
        laptop = self.at(site, tmp_path, "--ca-file", site[1].certificate, host="127.0.0.1")
        told = laptop.refused(5, "device", "list", DISPLAYD_API_KEY=site[2])
        assert "certificate refused: " in told

    def test_a_file_without_authorities(self, site, tmp_path):
        told = self.at(site, tmp_path, "--ca-file", "/nowhere").refused(2, "device", "list",
                                                                         DISPLAYD_API_KEY=site[2])
        assert told.startswith("/nowhere")

    def test_plain_http_to_a_tls_port(self, site, tmp_path):
        laptop = Laptop(tmp_path, f"http://localhost:{tls.port_of(site[0])}")
        laptop.refused(5, "device", "list", DISPLAYD_API_KEY=site[2])

    def test_tls_to_a_plain_port(self, site, tmp_path):
        laptop = Laptop(tmp_path, "https://localhost:%d" % site[0].address[1], "--ca-file",
                        site[1].certificate)
        laptop.refused(5, "device", "list", DISPLAYD_API_KEY=site[2])

    def test_a_session(self, site, tmp_path):
        laptop = self.at(site, tmp_path, "--ca-file", site[1].certificate)
        link = site[0].ctl("account", "link", "tls@example.org")["url"]
        assert laptop.sign_in_by_link(link)["email"] == "tls@example.org"
        assert laptop.ctl("device", "show", "desk")["name"] == "Desk"


def test_alone_it_prints_help():
    done = subprocess.run([DISPLAYCTL], capture_output=True, text=True, check=True,
                          timeout=PATIENCE_S)
    assert done.stdout == run_ctl("help", json_output=False) and done.stderr == ""


# ---- a hostile server ----

def of_json(value):
    body = json.dumps(value).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (
        len(body), body)


def many(**members):
    return [{"id": str(uuid.uuid4()), "name": "x", "createdAt": "2026-01-01T00:00:00.000Z", "setUp": {}} | members
            for _ in range(1000)]


def lines_of(laptop, *arguments, **variables):
    """What displayctl prints as it fails. Nothing in it steers the terminal, and it is a page at most."""
    with pytest.raises(CtlError) as caught:
        laptop.ctl(*arguments, **variables)
    lines = caught.value.text.splitlines()
    assert lines == [line for line in lines if line.isprintable()] and len(lines) < 25
    return lines


def test_many_devices_of_a_name(tmp_path):
    with answering(of_json(many())) as url:
        lines = lines_of(Laptop(tmp_path, url), "device", "show", "x", DISPLAYD_API_KEY="x")
    assert lines[0] == "displayctl: several devices are called x; use an ID" and lines[-1] == "  and 980 more"


def test_many_keys_that_steer_the_terminal(running, tmp_path):
    laptop = Laptop(tmp_path, running.url)
    person(running, laptop)
    [path] = laptop.files()
    with answering(of_json(many(firstCharacters="\x1b]0;owned\x07\x1b[2J\u202e"))) as url:
        session = pathlib.Path(path).read_text(encoding="utf-8")
        assert running.url in session
        copy = path.replace(urllib.parse.quote(running.url, safe=""), urllib.parse.quote(url, safe=""))
        assert copy != path
        pathlib.Path(copy).write_text(session.replace(running.url, url), encoding="utf-8")
        os.chmod(copy, 0o600)
        lines = lines_of(Laptop(tmp_path, url), "key", "show", "x")
    assert lines[0] == "displayctl: several keys are called x; use an ID" and lines[-1] == "  and 980 more"
    assert "\\u001b]0;owned\\u0007" in lines[1]
