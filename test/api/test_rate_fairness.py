"""Rate limits under a flood: each key has one bucket for all workers of an instance, and never uses that of
another key."""

import time

import pytest
from apps import make_app
from swarm import Swarm
from world import World, request_bytes, wait_as_told

PER_SECOND = 1
BURST = 2


@pytest.fixture(scope="module")
def four(postgres):
    """Four workers; a key has a burst of 2 requests and one more a second."""
    with World(postgres.create_database(), "--rate-limit", str(PER_SECOND), workers=4) as one:
        yield one


def ask(key):
    return request_bytes("GET", "/v1/account", key=key)


def allowed(arrivals, numbers):
    answers = [arrival.answer for arrival in arrivals if arrival.number in numbers]
    assert {answer.status for answer in answers} <= {200, 429}
    for answer in answers:
        assert "RateLimit" in answer and "RateLimit-Policy" in answer
        assert ("Retry-After" in answer) == (answer.status == 429)
    return sum(answer.status == 200 for answer in answers)


def test_sum_over_all_workers(four):
    """The sum holds for any number and spread of a key's connections."""
    with Swarm([four], 160) as swarm:
        for _ in range(3):
            key = four.account().key
            begin = time.monotonic()
            count = allowed(swarm.run([ask(key)] * 160), range(160))
            # The clock limits the tokens that have grown since.
            assert BURST <= count <= BURST + PER_SECOND * (time.monotonic() - begin) + 1


def test_a_flood_takes_nothing_from_others(four):
    others = [four.account().key for _ in range(20)]
    flood = four.account().key
    requests = []
    for key in others:
        requests += [ask(flood)] * 6 + [ask(key)] * BURST
    with Swarm([four], len(requests)) as swarm:
        arrivals = swarm.run(requests)
    for number in range(len(others)):
        mine = range(number * 8 + 6, number * 8 + 8)
        assert allowed(arrivals, mine) == BURST
    assert allowed(arrivals, [n for n in range(len(requests)) if n % 8 < 6]) < 120


def test_every_connection_of_a_key_gets_its_turn(four):
    """A refused caller that returns at the given time is served, whichever worker it reaches."""
    key = four.account().key
    for client in four.clients():
        answer = client.request("GET", "/v1/account", key=key)
        while answer.status == 429:
            wait_as_told(answer["Retry-After"])
            answer = client.request("GET", "/v1/account", key=key)
        assert answer.status == 200
        client.close()


def test_uploads_and_settings_are_limited_too(four):
    account = four.account()
    app, device = make_app(account), account.device()
    targets = [("POST", app.path + "/upload"), ("POST", app.path + "/deploy"),
               ("GET", app.path + "/versions"), ("GET", "/v1/apps"), ("PATCH", device.path)]
    begin = time.monotonic()
    with Swarm([four], 50) as swarm:
        arrivals = swarm.run([request_bytes(method, target, key=account.key, body={})
                              if method != "GET" else request_bytes(method, target, key=account.key)
                              for method, target in targets * 10])
    refused = [arrival.answer for arrival in arrivals if arrival.answer.status == 429]
    assert len(refused) >= 50 - BURST - PER_SECOND * (time.monotonic() - begin) - 1
    for answer in refused:
        assert int(answer["Retry-After"]) >= 1
        answer.problem(429)
