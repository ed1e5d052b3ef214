"""The configurations of docs/deploy, complete, each with panels, pages and pushes through the proxy."""

import contextlib
import http.client
import json
import os
import re
import socket
import ssl
import sys

import certificates
import images
import proxies
import pytest
from lists import next_target
from server import PATIENCE_S, ROOT, Server, wait_until

sys.path.append(os.path.join(ROOT, "test/link"))

from panel import Panel  # noqa: E402  pylint: disable=wrong-import-position

CLIENT = "127.0.0.9"  # source address of the requests
EMAIL, PASSWORD = "first@example.org", "correct horse battery"
SITE, BELOW = "https://panels.example.org", "https://example.org/leds"
NAMES = ("panels.example.org", "example.org")
PROXIES = {
    "nginx": (proxies.NGINX, proxies.complete_nginx, SITE),
    "nginx-below-a-path": (proxies.NGINX, proxies.complete_nginx_below_a_path, BELOW),
    "caddy": (proxies.CADDY, proxies.complete_caddy, SITE),
    "haproxy": (proxies.HAPROXY, proxies.complete_haproxy, SITE),
}


class Behind:
    """A displayd behind proxies, with its first account and a device."""

    def __init__(self, public_url, socket_path):
        self.public_url = public_url
        self.host = re.sub(r"^https://([^/]+).*", r"\1", public_url)
        self.prefix = public_url.partition(self.host)[2]
        self.socket_path = socket_path
        self.server = Server("--public-url", public_url, "--trust-proxy", "127.0.0.1",
                             "--listen", f"unix:{socket_path}", "--trust-proxy", "unix")

    def start(self):
        self.server.start()
        token = wait_until(lambda: re.search(r"/link#([0-9A-Za-z]{43})\b", self.server.log()),
                           "the first link")[1]
        answer = self.server.request("POST", "/web/links/use", body={
            "token": token, "email": EMAIL, "name": "First", "password": PASSWORD},
            headers={"Sec-Fetch-Site": "same-origin", "Host": self.host})
        assert answer.status == 200, answer.body
        self.device = self.server.ctl("device", "create", "--account", EMAIL, "--name", "Desk")
        self.key = self.server.ctl("key", "create", "--account", EMAIL)["key"]
        return self


class Through:
    """Clients of a proxy."""

    def __init__(self, behind, front, trust):
        self.behind, self.front, self.trust = behind, front, trust
        self.context = ssl.create_default_context(cafile=trust)

    def wrap(self, plain):
        return self.context.wrap_socket(plain, server_hostname=self.behind.host)

    def connection(self):
        """A connection from an address of the client's own."""
        connection = http.client.HTTPConnection(self.behind.host, timeout=PATIENCE_S)
        connection.sock = self.wrap(socket.create_connection(
            self.front.https, timeout=PATIENCE_S, source_address=(CLIENT, 0)))
        return connection

    def request(self, method, path, body=None, **fields):
        """The answer and its body. path: below that of the public URL."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            fields.setdefault("Content_Type", "application/json")
        with contextlib.closing(self.connection()) as connection:
            connection.request(method, self.behind.prefix + path, body=body, headers={
                name.replace("_", "-"): value for name, value in fields.items()})
            answer = connection.getresponse()
            return answer, answer.read()

    def api(self, method, path, body=None, **fields):
        return self.request(method, path, body,
                            Authorization=f"Bearer {self.behind.key}", **fields)

    def push(self, picture, **members):
        device = self.behind.device["id"]
        answer, text = self.api("POST", f"/v1/devices/{device}/push",
                                {"image": images.text(picture), **members})
        assert answer.status == 200, text

    def own(self, url, scheme):
        """Path of a URL that panels get, after a check that the URL leads here."""
        start = self.behind.public_url.replace("https", scheme) + "/"
        assert url.startswith(start), url
        return url[len(start) - 1:]

    def remote(self, request_id):
        log = wait_until(lambda: re.search(rf"remote=(\S+).*request_id={request_id}\b",
                                           self.behind.server.log()), "the access line")
        return log[1]


@pytest.fixture(scope="module")
def folder_of_module(tmp_path_factory):
    return str(tmp_path_factory.mktemp("deploy"))


@pytest.fixture(scope="module")
def made(folder_of_module):
    return certificates.make(folder_of_module, "proxy", names=NAMES)


@pytest.fixture(scope="module")
def start(folder_of_module):
    """A server for each public URL."""
    with contextlib.ExitStack() as stack:
        running = {}

        def get(public_url):
            if public_url not in running:
                behind = Behind(public_url, os.path.join(folder_of_module, f"s{len(running)}"))
                stack.callback(behind.server.remove)
                running[public_url] = behind.start()
            return running[public_url]

        yield get


@pytest.fixture(scope="module", params=PROXIES)
def through(request, start, made, tmp_path_factory):
    program, run, public_url = PROXIES[request.param]
    if not program:
        pytest.skip(f"{request.param} is not installed")
    behind = start(public_url)
    folder = str(tmp_path_factory.mktemp(request.param))
    with run(folder, "%s:%s" % behind.server.address, made) as front:
        yield Through(behind, front, made.certificate)


def test_all_are_run():
    names = set(os.listdir(os.path.join(ROOT, "docs/deploy"))) - {"README.md"}
    assert names == {"nginx.conf", "nginx-below-a-path.conf", "Caddyfile", "haproxy.cfg"}
    text = proxies.deployed("README.md")
    assert all(f"({name})" in text for name in names)


def test_a_push_reaches_a_panel(through):
    """A push by a client reaches a panel by WebSocket and by polling, both through the proxy."""
    path = through.behind.prefix + through.own(through.behind.device["websocketUrl"], "wss")
    first, second = images.webp(images.gradient(1)), images.webp(images.gradient(2))
    with Panel(through.front.https, path, headers={"Host": through.behind.host},
               wrap=through.wrap) as panel:
        panel.read_picture(brightness=60)
        for picture in (first, second):
            through.push(picture)
            while panel.read() != picture:
                pass
            panel.show()
        answer, text = through.api("PATCH", f"/v1/devices/{through.behind.device['id']}",
                                   {"brightness": 61})
        assert answer.status == 200 and json.loads(text)["brightness"] == 61
        while panel.read() != {"brightness": 61}:
            pass
        through.api("PATCH", f"/v1/devices/{through.behind.device['id']}", {"brightness": 60})
    answer, picture = through.request("GET", through.own(through.behind.device["pollUrl"], "https"))
    assert answer.status == 200 and answer.getheader("Tronbyt-Brightness") == "60"
    assert picture.startswith(b"RIFF")


def test_the_next_part_of_a_list(through):
    """The link to the next part of a list leads through the proxy, whatever prefix the proxy adds."""
    path = f"/v1/devices/{through.behind.device['id']}/installations"
    for name in ("one", "two"):
        through.push(images.png(images.solid((1, 2, 3))), installationId=name, background=True)
    try:
        found, target = [], path + "?limit=1"
        while target:
            answer, text = through.api("GET", target)
            found += [entry["id"] for entry in json.loads(text)]
            target = next_target(through.behind.prefix + target, answer.headers)
            if target:
                assert target.startswith(through.behind.prefix + path)
                target = target.removeprefix(through.behind.prefix)
        assert [name for name in found if name in ("one", "two")] == ["one", "two"]
    finally:
        for name in ("one", "two"):
            through.api("DELETE", f"{path}/{name}")


def test_the_pages(through):
    """Somebody signs in, and gets changes without delay over the event stream."""
    own = {"Sec_Fetch_Site": "same-origin"}
    answer, _ = through.request("POST", "/web/session", {"email": EMAIL, "password": PASSWORD},
                                **own)
    assert answer.status == 200
    cookie = answer.getheader("Set-Cookie")
    assert "Secure" in cookie and "HttpOnly" in cookie
    own["Cookie"] = cookie.split(";")[0]
    answer, text = through.request("GET", "/web/devices", **own)
    assert answer.status == 200
    assert [device["name"] for device in json.loads(text)] == ["Desk"]
    with contextlib.closing(through.connection()) as connection:
        connection.request("GET", through.behind.prefix + "/web/events",
                           headers={name.replace("_", "-"): value for name, value in own.items()})
        events = connection.getresponse()
        assert events.status == 200
        answer, text = through.request("POST", "/web/keys", {"name": "Weather"}, **own)
        assert answer.status == 201, text
        while events.readline() != b'data: {"topic":"keys"}\n':
            pass
    # Requests from pages of other sites are rejected.
    own["Sec_Fetch_Site"] = "cross-site"
    assert through.request("POST", "/web/keys", {"name": "x"}, **own)[0].status == 403


def test_the_files_of_the_pages(through):
    answer, text = through.request("GET", "/", Accept_Encoding="gzip")
    if answer.status == 404:
        pytest.skip("this build has no pages")
    assert answer.status == 200
    for name in re.findall(rb'(?:src|href)="([^"]+\.(?:js|css))"', text):
        answer, _ = through.request("GET", "/" + name.decode().removeprefix("./"))
        assert answer.status == 200, name


def test_it_says_where_requests_come_from(through):
    for name, fields in (("plain", {}), ("invented", {"X_Forwarded_For": "203.0.113.5"})):
        request_id = f"{name}-{through.front.https[1]}"
        assert through.request("GET", "/livez", X_Request_Id=request_id,
                               **fields)[0].status == 200
        assert through.remote(request_id) == CLIENT


def test_large_bodies(through):
    """An upload may have 4 MiB. Displayd itself answers a larger one."""
    body = json.dumps({"version": "1", "scriptLanguage": "STARLARK",
                       "scriptContent": "#" * (4 * 1024 * 1024 - 200)}).encode()
    app = "0190163d-8694-739b-aea5-966c26f8ad91"
    answer, text = through.api("POST", f"/v1/apps/{app}/upload", body,
                               Content_Type="application/json")
    assert (answer.status, json.loads(text)["detail"]) == (404, "there is no such app")
    through.push(images.png(images.noise()), installationId="noise")


def test_entity_tags_stay_strong(through):
    """Weak entity tags would never match If-Match."""
    path = f"/v1/devices/{through.behind.device['id']}"
    answer, _ = through.api("GET", path, Accept_Encoding="gzip, br, zstd")
    tag = answer.getheader("ETag")
    assert tag.startswith('"') and answer.getheader("Content-Encoding") is None
    assert through.api("PATCH", path, {"volume": 7}, If_Match=tag)[0].status == 200
    assert through.api("PATCH", path, {"volume": 8}, If_Match=tag)[0].status == 412


def ask_plainly(through, path):
    """Sends a request over http. Returns the status and the target of a redirection."""
    host, prefix = through.behind.host, through.behind.prefix
    connection = http.client.HTTPConnection(*through.front.http, timeout=PATIENCE_S)
    with contextlib.closing(connection):
        connection.request("GET", prefix + path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Location")


def test_http_leads_to_https(through):
    status, place = ask_plainly(through, "/devices?a=b")
    assert status == 301
    assert place == f"https://{through.behind.host}{through.behind.prefix}/devices?a=b"


def test_programs_and_panels_are_not_led_to_https(through):
    """Plain HTTP is refused, not redirected (ASVS 4.1.2), so that a key sent without TLS is noticed."""
    panel = through.own(through.behind.device["pollUrl"], "https")
    for path in ("/v1/devices", "/v0/devices", "/metrics", panel):
        assert ask_plainly(through, path) == (403, None), path


def test_no_key_is_in_its_log(through):
    """Access logs omit the query, in which older panels send their key."""
    path = through.own(through.behind.device["pollUrl"], "https")
    assert "key=" in path
    assert through.request("GET", path)[0].status == 200
    if through.front.log:
        wanted = through.behind.prefix + path.split("?")[0]
        wait_until(lambda: wanted in through.front.log(), "a line of its log")
        assert path.split("key=")[1] not in through.front.log()
        assert "key=" not in through.front.log()


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1:DeprecationWarning")
def test_older_tls_is_refused(through):
    """TLS 1.0 and 1.1 are refused; panels use 1.2."""
    def speaks(version):
        context = ssl.create_default_context(cafile=through.trust)
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = version
        try:
            with socket.create_connection(through.front.https, timeout=PATIENCE_S) as plain:
                with context.wrap_socket(plain, server_hostname=through.behind.host):
                    return True
        except (ssl.SSLError, ConnectionError):
            return False

    assert speaks(ssl.TLSVersion.TLSv1_2) and speaks(ssl.TLSVersion.TLSv1_3)
    assert not speaks(ssl.TLSVersion.TLSv1_1)


@pytest.mark.parametrize("name, upstream", [("nginx", "unix:{}:"), ("caddy", "unix/{}"),
                                            ("haproxy", "{}")])
def test_by_a_unix_socket(start, made, folder, name, upstream):
    """Each proxy reaches displayd by Unix sockets, as described in docs/deploy/README.md."""
    program, run, public_url = PROXIES[name]
    if not program:
        pytest.skip(f"{name} is not installed")
    behind = start(public_url)
    with run(folder, upstream.format(behind.socket_path), made) as front:
        through = Through(behind, front, made.certificate)
        assert through.request("GET", "/livez", X_Request_Id=f"unix-{name}")[0].status == 200
        assert through.remote(f"unix-{name}") == CLIENT
