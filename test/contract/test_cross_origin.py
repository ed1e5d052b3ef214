"""Cross-origin requests are allowed only to the configured origins, compared exactly."""

import pytest
import scene
from scene import CONTRACT
from world import World, new_key, until_refused

ORIGIN = "https://app.example.org"
SECOND = "http://localhost:5173"
FIELDS = ("Access-Control-Allow-Origin", "Access-Control-Allow-Methods",
          "Access-Control-Allow-Headers", "Access-Control-Allow-Credentials",
          "Access-Control-Expose-Headers", "Access-Control-Max-Age")
PREFLIGHT_FIELDS = ("Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
                    "Access-Control-Max-Age")


@pytest.fixture(scope="module")
def open_world(postgres):
    with World(postgres.create_database(), "--rate-limit", "0", "--cors-origin", ORIGIN,
               "--cors-origin", SECOND) as world:
        yield world


def varies(answer):
    """A file that is stored compressed also varies by accepted encodings."""
    return "Origin" in [value for name, value in answer.fields if name == "Vary"]


def preflight(account, target, origin, method="GET", key=None):
    """Sends a preflight like browsers: without a key."""
    return account.request("OPTIONS", target, key=key, fields=[
        ("Origin", origin), ("Access-Control-Request-Method", method),
        ("Access-Control-Request-Headers", "authorization,content-type")])


def answers(account):
    """Answers of every kind: success, 304, and errors from each part that makes them."""
    device = account.device()
    key = account.key
    tag = account.get("/v1/devices")["ETag"]
    for method, target, options in [
            ("GET", "/v1/devices", {}), ("GET", device.path, {}), ("HEAD", device.path, {}),
            ("GET", "/v1/devices", {"fields": [("If-None-Match", tag)]}),
            ("GET", "/v1/account", {"key": None}), ("GET", "/v1/account", {"key": new_key()}),
            ("GET", "/v1/nothing", {}), ("GET", "/v1", {}), ("GET", "/v0", {}), ("GET", "/nothing", {}),
            ("GET", "/v0/devices", {"key": None}), ("GET", "/v0/nothing", {}), ("PUT", "/v0/devices", {}),
            ("GET", "/openapi.json", {}), ("GET", "/livez", {}), ("GET", "/readyz", {}),
            ("PUT", "/openapi.json", {}), ("PATCH", device.path, {"body": b"{}", "fields": [
                ("Content-Type", "text/plain")]}),
            ("PATCH", device.path, {"body": {"volume": 1}, "fields": [("If-Match", '"x"')]}),
            ("POST", device.path + "/push", {"body": b"", "fields": [("Content-Length", "9999999")]}), ("DELETE", device.path, {}),
            ("GET", "/v1/devices/none", {}), ("PATCH", device.path, {"body": {}}),
            ("PATCH", device.path, {"body": b"{"}), ("PATCH", device.path, {"body": {"volume": 1}}),
            ("POST", device.path + "/push", {"body": {"image": "x"}}),
            ("DELETE", device.path + "/installations/none", {})]:
        fields = list(options.pop("fields", []))
        yield method, target, {"key": key, **options}, fields


def test_off_by_default(world, account):
    for method, target, options, fields in answers(account):
        answer = world.request(method, target, fields=fields + [("Origin", ORIGIN)], **options)
        assert not any(name in answer for name in FIELDS) and not varies(answer), (method, target)
    answer = preflight(account, "/v1/devices", ORIGIN)
    assert not any(name in answer for name in (*FIELDS, "Vary"))


@pytest.mark.parametrize("origin", [ORIGIN, SECOND])
def test_configured(open_world, origin):
    statuses = set()
    for method, target, options, fields in answers(open_world.account()):
        answer = open_world.request(method, target, fields=fields + [("Origin", origin)], **options)
        assert answer["Access-Control-Allow-Origin"] == origin
        assert varies(answer)
        shown = answer["Access-Control-Expose-Headers"].split(", ")
        assert {"Allow", "Displayd-Shown", "ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After",
                "WWW-Authenticate", "X-Request-Id"} == set(shown)
        assert "Access-Control-Allow-Credentials" not in answer
        statuses.add(answer.status)
    assert statuses == {200, 304, 400, 401, 404, 405, 412, 413, 415}


@pytest.mark.parametrize("origin", [
    "https://app.example.org.evil.example", "https://app.example.or", "http://app.example.org",
    "https://app.example.org:443", "https://APP.example.org", "https://app.example.org/", "null",
    "*", "", "https://app.example.org http://localhost:5173", "https://evil.app.example.org"])
def test_others(open_world, origin):
    """The answer is the same, but pages cannot read it, and caches learn that it varies."""
    for method, target, options, fields in answers(open_world.account()):
        answer = open_world.request(method, target, fields=fields + [("Origin", origin)], **options)
        assert not any(name in answer for name in FIELDS), (method, target)
        assert varies(answer)
    answer = preflight(open_world.account(), "/v1/devices", origin)
    assert not any(name in answer for name in FIELDS)


def test_without_an_origin(open_world):
    for method, target, options, fields in answers(open_world.account()):
        answer = open_world.request(method, target, fields=fields, **options)
        assert not any(name in answer for name in FIELDS)
        assert varies(answer)


def test_preflight(open_world):
    account = open_world.account()
    for template, item in CONTRACT.document["paths"].items():
        methods = {name.upper() for name in item if name != "parameters"}
        target = scene.target(template, deviceId="d", appId="a", installationId="i", webhookId="w", collectionId="c")
        for method in methods:
            answer = preflight(account, target, ORIGIN, method)
            assert answer.status == 204
            assert answer["Access-Control-Allow-Origin"] == ORIGIN
            allowed = set(answer["Access-Control-Allow-Methods"].split(", "))
            assert allowed - {"HEAD"} == methods
            names = answer["Access-Control-Allow-Headers"].lower().split(", ")
            assert {"authorization", "content-type", "if-none-match"} <= set(names)
            assert int(answer["Access-Control-Max-Age"]) > 0
            assert varies(answer)
            assert answer.body == b""


def test_not_what_pages_ask_for(open_world):
    """A browser would add the cookie by itself."""
    for path, status in (("/docs", 200), ("/web/account", 403), ("/web/nothing", 404), ("/web/devices", 403)):
        answer = open_world.get(path, fields=[("Origin", ORIGIN)])
        assert answer.status == status, path
        assert not any(name in answer for name in FIELDS)
        asked = preflight(open_world.account(), path, ORIGIN)
        assert path == "/docs" or not any(name in asked for name in FIELDS)


def test_limits_are_answers_too(postgres):
    with World(postgres.create_database(), "--rate-limit", "1", "--cors-origin", ORIGIN) as world:
        account = world.account()
        refused = until_refused(lambda: account.get("/v1/devices", fields=[("Origin", ORIGIN)]))[-1]
        assert refused["Access-Control-Allow-Origin"] == ORIGIN
        assert refused["Retry-After"] and "Retry-After" in refused["Access-Control-Expose-Headers"]


def test_preflight_is_not_any_options(open_world):
    for fields in ([("Origin", ORIGIN)], [("Access-Control-Request-Method", "GET")], []):
        answer = open_world.request("OPTIONS", "/v1/devices", fields=fields)
        assert (answer.status, answer["Allow"]) == (204, "GET, HEAD")
        assert not any(name in answer for name in PREFLIGHT_FIELDS)
    assert open_world.request("OPTIONS", "/v1/nothing").status == 404
    assert preflight(open_world.account(), "/v1/nothing", "https://other.example").status == 404


def test_preflight_of_what_is_not_there(open_world):
    """A browser without permission hides a 404 from its page."""
    for path in ("/v1/nothing", "/v0", "/nothing"):
        answer = preflight(open_world.account(), path, ORIGIN, "DELETE")
        assert answer.status == 204 and "DELETE" in answer["Access-Control-Allow-Methods"].split(", ")
        assert answer["Access-Control-Allow-Origin"] == ORIGIN and "Allow" not in answer
