"""What a host lacks to be reached, which the pages ask for while a URL is typed: the words of the answer that refuses it."""

import os
from urllib.parse import quote

import pytest
from people import Browser, Person, World

pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS"), reason="built without the egress")

START = "names an address that is not public: "
LISTED = "whoever runs the server can open it with the option --egress-allow"
CLOSED = "an administrator has closed local addresses: Administration, Instance"
MARKED = "an administrator can open local addresses to this account: Administration, Accounts"


@pytest.fixture(scope="module")
def allowing(postgres):
    with World(postgres.create_database(), "--renderers", "0", "--egress-allow", "192.168.1.0/24") as one:
        yield one


def lacks(browser, host, by_app=None):
    choice = "" if by_app is None else f"&byApp={by_app}"
    return browser.get(f"/web/account/reach?host={quote(host)}{choice}").ok()["problem"]


def test_for_those_who_are_signed_in(allowing):
    Browser(allowing).get("/web/account/reach?host=127.0.0.1").problem(401)


def test_what_is_missing(allowing):
    person = Person(allowing)
    browser = person.browser()
    assert lacks(browser, "192.168.1.5") == lacks(browser, "192.168.1.5", "false") == START + MARKED
    assert lacks(browser, "192.168.2.5") == lacks(browser, "localhost") == f"{START}{LISTED}; {MARKED}"
    # An installed app needs no mark.
    assert lacks(browser, "192.168.1.5", "true") is None
    assert lacks(browser, "192.168.2.5", "true") == START + LISTED
    allowing.sql("UPDATE site SET apps_reach_local = false")
    assert lacks(browser, "192.168.1.5", "true") == START + CLOSED
    assert lacks(browser, "192.168.2.5.") == f"{START}{LISTED}; {CLOSED}; {MARKED}"
    allowing.sql("UPDATE site SET apps_reach_local = true")
    allowing.sql("UPDATE account SET reaches_local = true WHERE id = %s", person.id)
    assert lacks(browser, "192.168.1.5") is None and lacks(browser, "::ffff:192.168.1.6") is None


def test_other_hosts(allowing):
    browser = Person(allowing).browser()
    for host in ("", "8.8.8.8", "example.org", "x", "http:", "\"'<", "a" * 200):
        assert lacks(browser, host) is None, host
    assert browser.get("/web/account/reach").ok() == {"problem": None}
    browser.get(f"/web/account/reach?host={'a' * 201}").problem(400)
    browser.get("/web/account/reach?host=a&byApp=x").problem(400)
