"""Invalid session cookies are limited by remote address, like wrong API keys: otherwise each would cost a
database read."""

import secrets

import pytest
from people import Browser, Person, World
from world import until_refused

BURST = 100  # LIMIT_GUESSES_BURST


@pytest.fixture(scope="module")
def limited(postgres):
    """With rate limits. The server trusts the addresses that clients claim."""
    with World(postgres.create_database(), "--trust-proxy", "127.0.0.1") as one:
        yield one


def from_address(world, address):
    return Browser(world, fields=(("Sec-Fetch-Site", "same-origin"), ("X-Forwarded-For", address)))


def make_up(browser, target="/web/account"):
    browser.cookie = "displayd_session=" + secrets.token_hex(22)[:43]
    return browser.get(target)


def until_limited(world, address):
    """The statuses up to the first 429."""
    answers = until_refused(lambda: make_up(from_address(world, address)), at_once=8)
    assert answers[-1].problem(429)["detail"].startswith("too many wrong session cookies")
    assert int(answers[-1]["Retry-After"]) == 1
    return [answer.status for answer in answers]


def test_made_up_sessions_are_limited_by_address(limited):
    statuses = until_limited(limited, "192.0.2.1")
    assert len(statuses) > BURST and set(statuses) == {401, 429}
    assert make_up(from_address(limited, "192.0.2.2")).status == 401


def test_a_good_session_behind_the_same_address_goes_on(limited):
    """A valid session continues at each worker, even at one that has not seen it."""
    good = from_address(limited, "192.0.2.3").sign_in(Person(limited))
    for _ in range(20):  # a token may have grown meanwhile; connections reach any worker
        until_limited(limited, "192.0.2.3")
        assert good.is_signed_in()
    # Clients without a session can still sign in.
    until_limited(limited, "192.0.2.3")
    assert from_address(limited, "192.0.2.3").sign_in(Person(limited)).is_signed_in()


def test_a_session_that_ended_is_refused_for_good(limited):
    """An ended session was known, but counts as a failed attempt after one lookup in vain."""
    browser = from_address(limited, "192.0.2.4").sign_in(Person(limited))
    stale = browser.cookie
    browser.delete("/web/session").ok()

    def ask():
        one = from_address(limited, "192.0.2.4")
        one.cookie = stale
        return one.get("/web/account")

    until_refused(ask, at_once=8)
