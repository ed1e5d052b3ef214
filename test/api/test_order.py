"""The order of checks: for each two successive checks, a request that fails both."""

import pytest
from world import UNKNOWN_ID, images, new_key, until_refused

HUGE = b" " * (1024 * 1024 + 1)


@pytest.fixture
def other(world):
    return world.account().device()


def test_route_before_method(world):
    world.request("PATCH", "/v1/nothing").problem(404)
    world.request("POST", "/v1/devices/x/nothing", body=HUGE).problem(404)


def test_method_before_key(world):
    assert world.request("DELETE", "/v1/devices").status == 405
    assert world.request("GET", f"/v1/devices/{UNKNOWN_ID}/push", key=new_key()).status == 405


def test_key_before_rate(limited):
    """Requests with an invalid key never get 429, however many."""
    account = limited.account()
    account.revoke()
    for _ in range(10):
        account.get("/v1/devices").problem(401)


def test_key_before_body(world):
    for fields in ([], [("Content-Type", "text/plain")]):
        path = f"/v1/devices/{UNKNOWN_ID}/push"
        world.request("POST", path, body=HUGE, fields=fields).problem(401)
        world.request("POST", path, body=b"{", fields=fields, key=new_key()).problem(401)


def test_rate_before_size(limited):
    account = limited.account()
    path = f"/v1/devices/{UNKNOWN_ID}/push"
    answers = until_refused(lambda: account.post(path, HUGE))
    assert {answer.status for answer in answers} == {413, 429}


def test_size_before_media_type(account):
    path = f"/v1/devices/{UNKNOWN_ID}/push"
    account.post(path, HUGE, fields=[("Content-Type", "text/plain")]).problem(413)
    account.post(path, HUGE, chunked=True, fields=[("Content-Type", "a/b")]).problem(413)


def test_media_type_before_syntax(account):
    path = f"/v1/devices/{UNKNOWN_ID}/push"
    account.post(path, b"{", fields=[("Content-Type", "text/plain")]).problem(415)
    account.request("POST", path).problem(415)


@pytest.mark.parametrize("coding", ["gzip", "identity", "", "x"])
def test_content_encoding(account, coding):
    """The encoding is checked after the size, together with the media type."""
    path, fields = f"/v1/devices/{UNKNOWN_ID}/push", [("Content-Encoding", coding)]
    for body in (b"{", b"{}"):
        answer = account.post(path, body, fields=fields)
        assert "Content-Encoding" in answer.problem(415)["detail"]
        assert answer["Accept-Encoding"] == "identity"  # RFC 9110 section 15.5.16
    account.post(path, HUGE, fields=fields).problem(413)


def test_content_encoding_where_no_body_is_read(account):
    device = account.device()
    device.push(installationId="lamp")
    path, fields = f"{device.path}/installations/lamp", [("Content-Encoding", "gzip")]
    assert "Content-Encoding" in account.request(
        "DELETE", path, fields=fields).problem(415)["detail"]
    assert device.ids() == ["lamp"]
    assert account.get(device.path, fields=fields).status == 200  # it has no effect


def test_syntax_before_existence(account, other):
    for device in (UNKNOWN_ID, other.id):
        assert "errors" not in account.post(f"/v1/devices/{device}/push", b"{").problem(400)


def test_existence_before_permission_and_fields(account, other):
    bad = {"image": 1, "unknown": 2}
    account.post(f"/v1/devices/{UNKNOWN_ID}/push", bad).problem(404)
    account.post(f"/v1/devices/{other.id}/push", bad).problem(403)
    account.post(f"/v1/devices/{UNKNOWN_ID}/push", b"[]").problem(404)
    assert account.post(account.device().path + "/push", bad).faults()


def test_permission_before_existence_of_what_is_in_it(account, other):
    assert other.push(installationId="there").status == 200
    for name in ("there", "elsewhere"):
        account.request("DELETE", f"{other.path}/installations/{name}").problem(403)
    other.delete("elsewhere").problem(404)


def test_device_rate_after_permission_and_before_fields(postgres, start):
    """Only its own account uses up the limit of a device, and only requests that pass earlier checks."""
    world = start(rate_limit=100000)
    device = world.account().device()
    stranger = world.account()
    answers = until_refused(lambda: device.push_body({"image": 1}))
    assert {answer.status for answer in answers} == {400, 429}
    stranger.post(device.path + "/push", {"image": 1}).problem(403)
    device.push_body(b"{").problem(400)
    device.push_body({"image": images.text(images.png())}, key=new_key()).problem(401)


def test_device_rate_is_not_used_up_by_strangers(start):
    world = start(rate_limit=100000)
    device = world.account().device()
    stranger = world.account()
    for _ in range(60):
        stranger.post(device.path + "/push", {"image": 1}).problem(403)
    answer = device.push_body({"image": 1})
    answer.problem(400)
    assert '"push";r=39;' in answer["RateLimit"]
