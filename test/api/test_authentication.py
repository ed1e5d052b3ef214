"""Access by keys: answers with 401 (RFC 6750, RFC 9110 section 11)."""

import pytest
from world import new_key, random_base62, wait_until

from postgres import Postgres

BARE = 'Bearer realm="displayd"'
INVALID = 'Bearer realm="displayd", error="invalid_token"'


def authorized(world, *values):
    return world.get("/v1/account/", fields=[("Authorization", value) for value in values])


def test_key_opens_its_account(world, account):
    assert account.get("/v1/account/").ok()["email"] == account.email
    assert world.account().get("/v1/account/").ok()["email"] != account.email


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR"])
def test_scheme_is_compared_without_case(world, account, scheme):
    assert authorized(world, f"{scheme} {account.key}").status == 200


def test_spaces_around_the_key(world, account):
    assert authorized(world, f"  Bearer   {account.key}  ").status == 200


def test_without_a_key(world):
    answer = world.get("/v1/account/")
    assert "API key" in answer.problem(401)["detail"]
    assert answer["WWW-Authenticate"] == BARE


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Digest x=y",
                                   "Token abc", "BearerX abc", "Bearer\tabc"])
def test_no_key_or_another_scheme(world, value):
    answer = authorized(world, value)
    answer.problem(401)
    assert answer["WWW-Authenticate"] == BARE


@pytest.mark.parametrize("make", [
    lambda key: "x",
    lambda key: key[:-1],
    lambda key: key + "0",
    lambda key: key[:-1] + ("0" if key[-1] != "0" else "1"),
    lambda key: key[:10] + ("a" if key[10] != "a" else "b") + key[11:],
    lambda key: key.upper(),
    lambda key: key.replace("ddk_", "ddx_"),
    lambda key: key[:20] + "-" + key[21:],
    lambda key: key[:20] + " " + key[20:],
    lambda key: key + ", " + key,
    lambda key: key + "\u00e9",
    lambda key: key * 100,
    lambda key: new_key(),
], ids=["other", "short", "long", "checksum", "body", "case", "prefix", "character", "space",
        "list", "latin", "huge", "unknown"])
def test_wrong_key(world, account, make):
    answer = authorized(world, "Bearer " + make(account.key))
    answer.problem(401)
    assert answer["WWW-Authenticate"] == INVALID


def test_malformed_key_asks_no_database(start):
    """A malformed key is refused even without a database."""
    with Postgres() as postgres:
        world = start(database=postgres.create_database())
        key = world.account().key
        postgres.pause()
        try:
            answer = authorized(world, "Bearer " + key[:-1] + ("0" if key[-1] != "0" else "1"))
            assert answer.status == 401
        finally:
            postgres.resume()
        world.stop()


def test_more_than_one_key_field(world, account):
    """If a request has two such fields, neither counts."""
    other = world.account()
    for second in (account.key, other.key, "x"):
        answer = authorized(world, f"Bearer {account.key}", f"Bearer {second}")
        answer.problem(401)
        assert answer["WWW-Authenticate"] == INVALID


@pytest.mark.parametrize("where", ["?key={}", "?access_token={}", "?api_key={}"])
def test_key_in_the_query_is_none(world, account, where):
    answer = world.get("/v1/account/" + where.format(account.key))
    assert answer.status == 401 and answer["WWW-Authenticate"] == BARE


def test_device_key_opens_no_api(account, device):
    for path in ("/v1/account/", device.path, device.path + "/installations"):
        assert account.get(path, key=device.link_key).status == 401


def test_api_key_opens_no_device_link(world, account, device):
    assert world.get(f"/d/{device.id}/next?key={account.key}").status == 404
    assert account.get(f"/d/{device.id}/next").status == 404


@pytest.mark.parametrize("method, path", [
    ("GET", "/v1/account/"), ("GET", "/v1/devices"), ("GET", "/v1/devices/{}"),
    ("GET", "/v1/devices/{}/installations"), ("DELETE", "/v1/devices/{}/installations/x"),
    ("POST", "/v1/devices/{}/push"), ("HEAD", "/v1/devices/{}"),
])
def test_every_endpoint_needs_a_key(world, device, method, path):
    for key in (None, new_key(), random_base62(40)):
        answer = world.request(method, path.format(device.id), key=key)
        assert answer.status == 401
        assert answer["WWW-Authenticate"] == (INVALID if key else BARE)


def test_nothing_is_told_apart_without_a_key(world, device):
    """The answers for an existing and a missing device are equal."""
    paths = [device.path, "/v1/devices/nothing", "/v1/devices/nothing/installations"]
    answers = [world.get(path) for path in paths]
    assert {answer.status for answer in answers} == {401}
    assert len({answer.body for answer in answers}) == 1


def test_account_that_is_gone(world, account):
    """The worker that has seen the key still caches it."""
    with world.client() as client:
        assert client.request("GET", "/v1/account/", key=account.key).status == 200
        world.sql("DELETE FROM account WHERE id = %s", account.id)
        answer = client.request("GET", "/v1/account/", key=account.key)
    answer.problem(401)
    assert answer["WWW-Authenticate"] == INVALID


def test_keys_that_stand_elsewhere_are_masked_in_the_log(world, device):
    """World.check_log() searches the log for every key."""
    key, link_key = device.account.key, device.link_key
    for lines, secret in ((3, key), (6, link_key)):
        for target in (f"/v1/devices/{secret}", f"/{secret}", f"/v1%2F{secret}?key={secret}"):
            answer = world.get(target, key=key, fields=[("X-Request-Id", f"id-{secret}")])
            assert answer["X-Request-Id"] == f"id-{secret}"
        wait_until(lambda lines=lines: world.server.log().count("request_id=id-") >= lines, "lines of requests")
        assert secret not in world.server.log()
    assert "/v1/devices/ddk_" + "*" * 36 in world.server.log()
    assert "/v1/devices/" + "*" * 24 in world.server.log()


def test_no_part_of_a_key_is_left_where_a_long_path_is_cut(world, device):
    """Paths in the log are cut after 1,024 bytes, without leaving part of a key."""
    for length in range(1024 - 23, 1024):
        path = "/" + "-" * (length - 2) + f"/{device.link_key}/end"
        world.get(path, key=device.account.key, fields=[("X-Request-Id", f"cut-{length}")])
    wait_until(lambda: "request_id=cut-1023" in world.server.log(), "the last line")
    assert device.link_key[:4] not in world.server.log()
