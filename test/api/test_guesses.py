"""Wrong keys are limited by remote address: see include/task/failed_attempts.h."""

import pytest
from world import new_key, until_refused

NEIGHBOUR, OTHER = "192.0.2.1", "192.0.2.2"


@pytest.fixture
def guarded(start):
    """A server with one worker, which trusts the client addresses that the tests send."""
    return start("--trust-proxy", "127.0.0.1", rate_limit=1000, workers=1)


def from_address(address):
    return [("X-Forwarded-For", address)]


def guess(world, address):
    return world.get("/v1/account/", key=new_key(), fields=from_address(address))


def test_wrong_keys_are_limited_by_address(guarded):
    account = guarded.account()
    fields = from_address(NEIGHBOUR)
    assert account.get("/v1/account/", fields=fields).status == 200
    answers = until_refused(lambda: guess(guarded, NEIGHBOUR), at_once=8)
    assert {answer.status for answer in answers[:-1]} == {401}
    assert len(answers) > 100
    refused = answers[-1]
    assert refused.problem(429)["detail"] == "too many wrong keys from this address, try again"
    assert int(refused["Retry-After"]) == 1
    assert refused["RateLimit-Policy"] == '"address";q=100;w=10'
    assert "WWW-Authenticate" not in [name for name, _ in refused.fields]
    # Requests with a valid key continue, and so do other addresses.
    assert account.get("/v1/account/", fields=fields).status == 200
    assert guess(guarded, OTHER).status == 401


def test_what_is_no_key_is_not_counted(guarded):
    for _ in range(150):
        assert guarded.get("/v1/account/", key="no key",
                           fields=from_address(NEIGHBOUR)).status == 401
    assert guess(guarded, NEIGHBOUR).status == 401


def test_workers_count_together(start):
    world = start("--trust-proxy", "127.0.0.1", rate_limit=1000)
    clients = world.clients()
    assert len(clients) == 2

    def ask(client):
        return client.request("GET", "/v1/account/", key=new_key(), fields=from_address(NEIGHBOUR))

    while ask(clients[0]).status == 401:
        pass
    # Repeat, since a token may grow before any of these.
    while ask(clients[1]).status != 429:
        while ask(clients[0]).status == 401:
            pass
    for client in clients:
        client.close()


def poll(world, device, address, key=None):
    return world.get(f"/d/{device.id}/next?key={key or device.link_key}",
                     fields=from_address(address))


def test_panels_of_a_guessing_address_are_not_looked_up(guarded):
    """Unknown panels get the answer of a wrong key; panels that the worker has cached continue."""
    account = guarded.account()
    present = account.device()
    assert poll(guarded, present, NEIGHBOUR).status == 200

    def is_refused(device):
        until_refused(lambda: guess(guarded, NEIGHBOUR), at_once=8)
        return poll(guarded, device, NEIGHBOUR).status == 404

    for _ in range(100):  # a token may have grown meanwhile
        device = account.device()
        if is_refused(device):
            break
    else:
        raise AssertionError("every panel was looked up")
    assert poll(guarded, present, NEIGHBOUR).status == 200
    assert poll(guarded, device, OTHER).status == 200
    assert poll(guarded, device, NEIGHBOUR).status == 200


def test_wrong_keys_of_panels_are_guesses_too(guarded):
    device = guarded.account().device()
    assert poll(guarded, device, OTHER).status == 200
    for _ in range(1000):
        for _ in range(20):
            assert poll(guarded, device, NEIGHBOUR, key="x" * 24).status == 404
        if guess(guarded, NEIGHBOUR).status == 429:
            return
    raise AssertionError("no limit")


def test_the_right_key_of_a_disabled_panel_is_no_guess(guarded):
    """A disabled panel polls every few seconds for as long as it is disabled."""
    device = guarded.account().device(disabled_at="2026-01-01")
    for _ in range(200):
        assert poll(guarded, device, NEIGHBOUR).status == 404
    assert guess(guarded, NEIGHBOUR).status == 401
