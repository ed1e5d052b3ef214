"""How often an account may set what makes processes work that all accounts share: others do not wait for it."""

import os

import pytest
from webhook_stage import make, marked_account, one_receiver, push, state, world_that_reaches
from world import wait_until

from database_clock import DatabaseClock

__all__ = ["marked_account", "one_receiver", "world_that_reaches"]  # fixtures
pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS"), reason="built without the egress")


def test_a_broker_can_be_set_twenty_times_in_a_row(world, account):
    """Each time makes the bridge connect anew. Removals in between change nothing."""
    def put(number):
        return account.request("PUT", "/v1/account/mqtt", body={"url": f"mqtts://b{number}.example.invalid"})

    with DatabaseClock(world.database) as clock:
        for number in range(20):
            assert put(number).status == 200
        assert account.request("DELETE", "/v1/account/mqtt").ok() == {}
        refused = put(20)
        assert refused["Retry-After"] == "5"
        problem = refused.problem(429)
        assert problem["code"] == "requests_too_many" and "once in 5 seconds" in problem["detail"]
        assert account.get("/v1/account/mqtt").ok()["url"] is None
        clock.advance(5)
        assert put(21).status == 200
        put(22).problem(429)
        # Nobody else waits for it.
        other = world.account()
        assert other.request("PUT", "/v1/account/mqtt", body={"url": "mqtts://b.example.invalid"}).status == 200
        other.request("DELETE", "/v1/account/mqtt")
    account.request("DELETE", "/v1/account/mqtt")


def test_urls_and_tries_at_once_have_a_rate(account, receiver):
    """20 in a row, then once a second: each asks a server that somebody else may have."""
    receiver.always = 500
    made = make(account, receiver, ["pushed"])
    path = f"/v1/webhooks/{made['id']}"
    with DatabaseClock(account.world.database) as clock:
        clock.advance(100)
        for number in range(20):
            account.request("PATCH", path, body={"url": f"{receiver.url}/{number}"}).ok()
        refused = account.request("PATCH", path, body={"url": f"{receiver.url}/more"})
        assert refused["Retry-After"] == "1" and refused.problem(429)["code"] == "requests_too_many"
        assert account.request("PATCH", path, body={"url": f"{receiver.url}/19"}).status == 200  # as it is
        push(account.device(), "one")
        wait_until(lambda: state(account, made)["failingSince"], "a failure")
        account.request("PATCH", path, body={}).problem(429)
        clock.advance(1)
        account.request("PATCH", path, body={}).ok()
