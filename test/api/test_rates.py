"""Rate limits: per key and per device, shared by all workers, and reported in every answer."""

import re
import time

from world import images, until_refused, wait_as_told


def parsed(answer):
    """name -> (quota, window, remaining, reset) of RateLimit-Policy and RateLimit."""
    policies = re.findall(r'"(\w+)";q=(\d+);w=(\d+)', answer["RateLimit-Policy"])
    states = re.findall(r'"(\w+)";r=(\d+);t=(\d+)', answer["RateLimit"])
    assert [policy[0] for policy in policies] == [state[0] for state in states]
    assert answer["RateLimit-Policy"] == ", ".join('"%s";q=%s;w=%s' % p for p in policies)
    assert answer["RateLimit"] == ", ".join('"%s";r=%s;t=%s' % s for s in states)
    return {policy[0]: tuple(map(int, policy[1:] + state[1:]))
            for policy, state in zip(policies, states)}


def test_off(world, account, device):
    for _ in range(60):
        answer = device.push_body({"image": 1})
        assert answer.status == 400
        assert "RateLimit" not in answer and "RateLimit-Policy" not in answer
    assert "Retry-After" not in answer


def test_default(start):
    world = start(rate_limit=500)
    account = world.account()
    assert parsed(account.get("/v1/account/")) == {"key": (1000, 2, 999, 1)}
    device = account.device()
    for answer in (device.push(), device.push_body({"image": 1})):
        assert parsed(answer)["key"][:2] == (1000, 2)
        assert parsed(answer)["push"][:2] == (40, 4)


def test_key(limited):
    account = limited.account()
    answers = until_refused(lambda: account.get("/v1/devices"))
    for answer in answers[:-1]:
        assert answer.ok() == []
        assert "Retry-After" not in answer
    assert parsed(answers[0]) == {"key": (2, 2, 1, 1)}
    refused = answers[-1]
    assert "1 requests a second" in refused.problem(429)["detail"]
    assert int(refused["Retry-After"]) >= 1
    quota, window, remaining, reset = parsed(refused)["key"]
    assert (quota, window, remaining) == (2, 2, 0) and 1 <= reset <= 2
    # A token is available after the reported time.
    wait_as_told(refused["Retry-After"])
    assert account.get("/v1/devices").status == 200


def test_keys_have_buckets_of_their_own(limited):
    account = limited.account()
    second = account.new_key()
    until_refused(lambda: account.get("/v1/devices"))
    assert account.get("/v1/devices", key=second).status == 200
    assert limited.account().get("/v1/devices").status == 200


def test_every_answer_of_a_key_is_counted(limited):
    """Errors count too, and each answer reports how many requests are left."""
    account = limited.account()
    for target in ("/v1/devices/nothing", "/v1/devices/nothing/installations"):
        answer = account.get(target)
        assert answer.status in (404, 429) and "key" in parsed(answer)


def test_what_is_not_limited(limited):
    for _ in range(8):
        assert limited.get("/livez").status == 200
        assert limited.get("/v1/devices").status == 401
        assert limited.get("/nothing").status == 404
        assert "RateLimit" not in limited.get("/livez")


def test_bucket_is_shared_by_the_workers(start):
    world = start(rate_limit=5)
    account = world.account()
    clients = world.clients()
    begin = time.monotonic()
    answers = [client.request("GET", "/v1/devices", key=account.key)
               for _ in range(30) for client in clients]
    spent = time.monotonic() - begin
    allowed = sum(answer.status == 200 for answer in answers)
    assert 10 <= allowed <= 10 + 5 * spent + 1
    assert {answer.status for answer in answers} == {200, 429}
    for client in clients:
        client.close()


def test_device(start):
    world = start(rate_limit=100000)
    account = world.account()
    device, other = account.device(), account.device()
    begin = time.monotonic()
    answers = until_refused(device.push, at_once=8)
    spent = time.monotonic() - begin
    assert 40 <= len(answers) - 1 <= 40 + 10 * spent + 1
    refused = answers[-1]
    assert "device" in refused.problem(429)["detail"]
    assert int(refused["Retry-After"]) >= 1
    assert parsed(refused)["push"][2] == 0 and parsed(refused)["key"][2] > 1000
    # Other devices, and other requests for this one, continue; another key of the account does not.
    assert other.push().status == 200
    assert device.get().status == 200
    second = account.new_key()
    body = {"image": images.text(images.png())}
    assert 429 in {device.push_body(body, key=second).status for _ in range(60)}
