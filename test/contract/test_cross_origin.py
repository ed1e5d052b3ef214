"""Cross-origin requests: nothing is allowed but to the origins that are configured, exactly."""

import pytest
import scene
from scene import CONTRACT
from world import World, new_key

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


def preflight(account, target, origin, method="GET", key=None):
    """As browsers send it: without a key."""
    return account.request("OPTIONS", target, key=key, fields=[
        ("Origin", origin), ("Access-Control-Request-Method", method),
        ("Access-Control-Request-Headers", "authorization,content-type")])


def answers(account):
    """One of every kind: success, 304, and errors from each place that makes them."""
    device = account.device()
    key = account.key
    tag = account.get("/v1/devices")["ETag"]
    for method, target, options in [
            ("GET", "/v1/devices", {}), ("GET", device.path, {}), ("HEAD", device.path, {}),
            ("GET", "/v1/devices", {"fields": [("If-None-Match", tag)]}),
            ("GET", "/v1/account", {"key": None}), ("GET", "/v1/account", {"key": new_key()}),
            ("GET", "/v1/nothing", {}), ("DELETE", device.path, {}),
            ("GET", "/v1/devices/none", {}), ("PATCH", device.path, {"body": {}}),
            ("PATCH", device.path, {"body": b"{"}), ("PATCH", device.path, {"body": {"volume": 1}}),
            ("POST", device.path + "/push", {"body": {"image": "x"}}),
            ("DELETE", device.path + "/installations/none", {})]:
        fields = list(options.pop("fields", []))
        yield method, target, {"key": key, **options}, fields


def test_off_by_default(world, account):
    for method, target, options, fields in answers(account):
        answer = world.request(method, target, fields=fields + [("Origin", ORIGIN)], **options)
        assert not any(name in answer for name in (*FIELDS, "Vary")), (method, target, answer.fields)
    answer = preflight(account, "/v1/devices", ORIGIN)
    assert not any(name in answer for name in (*FIELDS, "Vary"))


@pytest.mark.parametrize("origin", [ORIGIN, SECOND])
def test_configured(open_world, origin):
    statuses = set()
    for method, target, options, fields in answers(open_world.account()):
        answer = open_world.request(method, target, fields=fields + [("Origin", origin)], **options)
        assert answer["Access-Control-Allow-Origin"] == origin
        assert answer["Vary"] == "Origin"
        shown = answer["Access-Control-Expose-Headers"].split(", ")
        assert {"ETag", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"} <= set(shown)
        assert "Access-Control-Allow-Credentials" not in answer
        statuses.add(answer.status)
    assert statuses == {200, 304, 400, 401, 404, 405}


@pytest.mark.parametrize("origin", [
    "https://app.example.org.evil.example", "https://app.example.or", "http://app.example.org",
    "https://app.example.org:443", "https://APP.example.org", "https://app.example.org/", "null",
    "*", "", "https://app.example.org http://localhost:5173", "https://evil.app.example.org"])
def test_others(open_world, origin):
    """The answer is the same, and no page may read it; caches are told that it depends."""
    for method, target, options, fields in answers(open_world.account()):
        answer = open_world.request(method, target, fields=fields + [("Origin", origin)], **options)
        assert not any(name in answer for name in FIELDS), (method, target)
        assert answer["Vary"] == "Origin"
    answer = preflight(open_world.account(), "/v1/devices", origin)
    assert not any(name in answer for name in FIELDS)


def test_without_an_origin(open_world):
    for method, target, options, fields in answers(open_world.account()):
        answer = open_world.request(method, target, fields=fields, **options)
        assert not any(name in answer for name in FIELDS)
        assert answer["Vary"] == "Origin"


def test_preflight(open_world):
    account = open_world.account()
    for template, item in CONTRACT.document["paths"].items():
        methods = {name.upper() for name in item if name != "parameters"}
        target = scene.target(template, deviceId="d", appId="a", installationId="i")
        for method in methods:
            answer = preflight(account, target, ORIGIN, method)
            assert answer.status == 204
            assert answer["Access-Control-Allow-Origin"] == ORIGIN
            allowed = set(answer["Access-Control-Allow-Methods"].split(", "))
            assert allowed - {"HEAD"} == methods
            names = answer["Access-Control-Allow-Headers"].lower().split(", ")
            assert {"authorization", "content-type", "if-none-match"} <= set(names)
            assert int(answer["Access-Control-Max-Age"]) > 0
            assert answer["Vary"] == "Origin"
            assert answer.body == b""


def test_not_outside_of_the_api(open_world):
    for path in ("/docs", "/openapi.json", "/livez", "/readyz"):
        answer = open_world.get(path, fields=[("Origin", ORIGIN)])
        assert answer.status == 200
        assert not any(name in answer for name in FIELDS)


def test_preflight_is_not_any_options(open_world):
    for fields in ([("Origin", ORIGIN)], [("Access-Control-Request-Method", "GET")], []):
        answer = open_world.request("OPTIONS", "/v1/devices", fields=fields)
        assert (answer.status, answer["Allow"]) == (204, "GET, HEAD")
        assert not any(name in answer for name in PREFLIGHT_FIELDS)
    assert preflight(open_world.account(), "/v1/nothing", ORIGIN).status == 404
