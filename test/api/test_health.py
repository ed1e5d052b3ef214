"""/livez, /readyz, request IDs, and logs."""

import contextlib
import json
import re
import socket

import pytest
from key_events import Events
from served_metrics import value_of
from world import SECRETS, World, images, log_fields, wait_until

REQUEST_ID = re.compile(r"[0-9a-f]{32}")


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/livez/", "/readyz/"])
def test_healthy(world, path):
    answer = world.get(path)
    assert answer.status == 200 and answer.body == b"ok\n"
    for method in ("GET", "HEAD"):
        assert world.request(method, path)["Cache-Control"] == "no-store"


def test_connections_that_are_left_are_told(world):
    """Descriptors limit a worker to 380 connections, of which one address may have three in four."""
    with World(world.database, "--admin-listen", "127.0.0.1:0", workers=1,
               prefix=("prlimit", "--nofile=700:700")) as small, contextlib.ExitStack() as stack:
        address = small.server.address
        assert small.get("/readyz").body == b"ok\n"
        wait_until(lambda: 370 <= value_of(small, "displayd_http_connections_left") <= 380, "room")
        for number in range(345):
            stack.enter_context(contextlib.closing(socket.create_connection(
                address, source_address=(f"127.0.0.{2 + number // 60}", 0))))
        problem = re.compile(rb"ok, but a worker has room for only \d+ more connections of 380\n")
        wait_until(lambda: problem.fullmatch(small.get("/readyz").body), "no room")
        wait_until(lambda: value_of(small, "displayd_http_connections_left") < 40, "no room in metrics")


def targets(device):
    return [("GET", "/livez"), ("GET", "/v1/account"), ("GET", "/nothing"), ("PUT", "/v1/devices"),
            ("GET", device.path), ("POST", device.path + "/push"), ("HEAD", "/v1/devices"),
            ("GET", f"/d/{device.id}/next?key={device.link_key}"), ("GET", "/d/nothing/next"),
            ("DELETE", device.path + "/installations/x")]


def test_every_answer_has_an_id_of_its_own(world, account, device):
    seen = set()
    for method, target in targets(device):
        for key in (account.key, None):
            answer = world.request(method, target, key=key)
            assert REQUEST_ID.fullmatch(answer["X-Request-Id"])
            seen.add(answer["X-Request-Id"])
    assert len(seen) == 2 * len(targets(device))


def test_sane_id_is_taken_over(world, account, device):
    for number, (method, target) in enumerate(targets(device)):
        sent = f"test-{number}.A_b" + "x" * (100 if number % 2 else 0)
        answer = world.request(method, target, key=account.key, fields=[("X-Request-ID", sent)])
        assert answer["X-Request-Id"] == sent


@pytest.mark.parametrize("sent", ["", "a b", "x" * 129, "a\"b", "a,b", "a;b=c", "<a>", "a\u00e9"])
def test_other_ids_are_not(world, sent):
    answer = world.get("/livez", fields=[("X-Request-ID", sent)])
    assert REQUEST_ID.fullmatch(answer["X-Request-Id"])


def test_id_on_what_is_no_request(world):
    with world.client() as client:
        client.send(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        assert REQUEST_ID.fullmatch(client.answer()["X-Request-Id"])


# ---- logs ----

def access_line(world, request_id):
    """The single access line of a request."""
    def find():
        lines = [line for line in world.server.log().splitlines() if request_id in line]
        return [line for line in lines if "access" in line]
    lines = wait_until(find, "the access line")
    assert len(lines) == 1, lines
    return lines[0]


def test_access_line(world, account, device):
    requests = [
        ("GET", "/v1/devices?token=secret-in-the-query", "/v1/devices", 200),
        ("GET", device.path, "/v1/devices/{deviceId}", 200),
        ("POST", device.path + "/push", "/v1/devices/{deviceId}/push", 415),
        ("GET", "/nothing", None, 404),
        ("GET", f"/d/{device.id}/next?key={device.link_key}", "/d/{deviceId}/next", 200),
    ]
    for number, (method, target, route, status) in enumerate(requests):
        sent = f"line-{device.id}-{number}"
        answer = world.request(method, target, key=account.key, fields=[("X-Request-Id", sent)])
        assert answer.status == status
        fields = log_fields(access_line(world, sent))
        assert fields["msg"] == "request" and fields["level"] == "info"
        assert fields["method"] == method and fields["path"] == target.split("?")[0]
        assert fields.get("route") == route and fields["status"] == str(status)
        assert int(fields["duration_us"]) >= 0 and int(fields["bytes"]) > 0
        assert fields["remote"] == "127.0.0.1"
        if target.startswith("/v1"):
            assert fields["account"] == account.id
        if device.id in target and status == 200:
            assert fields["device"] == device.id
    assert "secret-in-the-query" not in world.server.log()


def use(world):
    """Requests of all kinds, with secrets in the right places and elsewhere."""
    account = world.account()
    device = account.device(name="\"quoted\" = \n".strip())
    broken = account.key[:-1] + "%"
    SECRETS.add(broken)
    for target in ("/v1/account", "/v1/devices?key=" + account.key, "/nothing?a=" + account.key,
                   f"/d/{device.id}/next?key={device.link_key}",
                   f"/d/{device.id}/next?key={device.link_key}x",
                   f"/d/{device.id}/ws?key={device.link_key}",
                   "/a%20b%22%0a=\"x\"\\"):
        for key in (account.key, broken, None):
            world.get(target, key=key)
    device.push(images.gif(), installationId="line\u2028\"=")
    device.push_body(b"{")
    with world.client() as client:
        client.send(b"GET /x HTTP/1.1\r\nAuthorization: Bearer " + account.key.encode()
                    + b"\r\nHost: a\r\n folded\r\n\r\n")
        assert client.answer().status == 400


@pytest.mark.parametrize("arguments, read", [
    ((), log_fields),
    (("--log-format", "json"), json.loads),
    (("--log-level", "debug"), log_fields),
    (("--log-level", "debug", "--log-format", "json"), json.loads),
])
def test_lines_can_be_read(start, arguments, read):
    world = start(*arguments)
    use(world)
    world.stop()
    lines = world.server.log().splitlines()
    accesses = 0
    for line in lines:
        fields = read(line)
        assert fields and {"ts", "level", "group", "msg"} <= set(fields), line
        accesses += fields["group"] == "access"
    assert accesses >= 20


def test_access_log_off(start):
    world = start("--access-log", "off")
    use(world)
    world.stop()
    assert "group=access" not in world.server.log()


def test_the_status_counts_streams(world, account):
    account.device()
    with Events(account) as events:
        events.next("online")
        assert world.server.ctl("status")["eventStreams"] >= 1
        assert "events    " in world.server.ctl("status", json_output=False)
