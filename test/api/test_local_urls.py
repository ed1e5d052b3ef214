"""Webhooks and MQTT connections to addresses that are not public: refused when they are set, in words that name what is
missing and who can change it. What is closed later, or behind a name, fails later with the same words."""

import json
import os
import socket

import pytest
from broker import Broker
from hook_receiver import Receiver
from mqtt_stage import connect, wait_for_state
from webhook_stage import make, state
from world import World

pytestmark = pytest.mark.skipif(not os.environ.get("HAS_EGRESS"), reason="built without the egress")

LISTED, CLOSED, OPENED = "local_not_listed", "local_closed", "local_not_opened"
SENTENCES = {LISTED: "whoever runs the server can open it with the option --egress-allow",
             CLOSED: "an administrator has closed local addresses: Administration, Instance",
             OPENED: "an administrator can open local addresses to this account: Administration, Accounts"}
HOSTS = ["192.168.1.5", "10.0.0.1", "172.16.0.1", "127.0.0.1", "127.1", "0x7f000001", "2130706433", "017700000001", "0",
         "127.0.0.1.", "192.168.1.5.", "0x7f000001.",
         "169.254.169.254", "[::1]", "[fd12::1]", "[fe80::1]", "[::ffff:192.168.1.5]", "[::ffff:c0a8:105]",
         "[64:ff9b::a00:1]", "localhost", "LocalHost", "localhost.", "app.localhost", "nas.local", "NAS.LOCAL.",
         "127.0.0.1.", "0x7f000001.", "10.1."]
# Hosts that a client would decode, or that are none.
DECODED = ["%3127.0.0.1", "127.0.0.%31", "%6cocalhost", "127%2e0.0.1", "[::%31]", "[fe80::1%25eth0]", "127.0.0.1%00.example.org",
           "127.0.0.1;.example.org", "(localhost)", "a*b", "a,b", "[127.0.0.1]x", "127.0.0.1&x"]


@pytest.fixture(scope="module")
def bare(postgres):
    with World(postgres.create_database(), "--rate-limit", "0", "--renderers", "0") as one:
        yield one


@pytest.fixture(scope="module")
def listed(postgres):
    with World(postgres.create_database(), "--rate-limit", "0", "--renderers", "0",
               "--egress-allow", "127.0.0.1", "--egress-allow", "192.168.1.0/24") as one:
        yield one


def owner_of(world, is_marked):
    account = world.account()
    world.sql("UPDATE account SET reaches_local = %s WHERE id = %s", is_marked, account.id)
    return account


@pytest.fixture
def closed(listed):
    listed.sql("UPDATE site SET apps_reach_local = false")
    yield
    listed.sql("UPDATE site SET apps_reach_local = true")


def hook(account, url):
    return account.post("/v1/webhooks", {"url": url, "events": ["pushed"]})


def broker(account, url):
    return account.request("PUT", "/v1/account/mqtt", body=json.dumps({"url": url}).encode())


def refused(answer, *codes):
    """Checks that this is missing, the first of it as the code."""
    problem = answer.problem(400)
    assert problem["code"] == codes[0], problem
    [error] = problem["errors"]
    assert error == {"pointer": "/url", "detail": "names an address that is not public: " + "; ".join(
        SENTENCES[code] for code in codes)}


@pytest.mark.parametrize("host", DECODED)
def test_hosts_that_a_client_would_decode(bare, host):
    account = owner_of(bare, True)
    assert hook(account, f"http://{host}/").faults() == {"/url": "must name a host"}
    assert broker(account, f"mqtt://{host}").faults() == {"/url": "must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]"}


@pytest.mark.parametrize("host", HOSTS)
def test_addresses_that_the_server_does_not_list(bare, host):
    account = owner_of(bare, True)
    for url in (f"http://{host}", f"HTTPS://{host}:8123/x?y", f"http://{host}?x"):
        refused(hook(account, url), LISTED)
    for url in (f"mqtt://{host}", f"MQTTS://{host}:8883/"):
        refused(broker(account, url), LISTED)
    assert account.get("/v1/webhooks").ok() == [] and account.get("/v1/account/mqtt").ok()["url"] is None


@pytest.mark.parametrize("host", ["%31%32%37.0.0.1", "127%2e0.0.1", "localhos%74", "nas%2Elocal", "example.org%00"])
def test_escapes_in_hosts(bare, host):
    """Programs read them differently, so no host has them."""
    account = owner_of(bare, True)
    for answer, words in ((hook(account, f"http://{host}/"), "must name a host"),
                          (broker(account, f"mqtt://{host}"), "must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")):
        [error] = answer.problem(400)["errors"]
        assert error == {"pointer": "/url", "detail": words}


def test_a_dot_behind_an_address(listed):
    """It is the address where it is judged and where it is connected."""
    account = owner_of(listed, True)
    with Receiver() as receiver, Broker() as one:
        url = receiver.url.replace("127.0.0.1", "127.0.0.1.")
        assert "127.0.0.1.:" in url
        made = hook(account, url).json()
        assert account.post(f"/v1/webhooks/{made['id']}/test", {}).ok()["status"] == 204
        connect(account, one, url=f"mqtt://127.0.0.1.:{one.port}").ok()
        wait_for_state(account, "connected")


@pytest.mark.parametrize("host", ["8.8.8.8", "example.org", "[2606:4700::1111]", "localhost.example.org", "mylocal", "nas.lan"])
def test_other_addresses(bare, host):
    """Whether a name has a public address is known when it is used."""
    account = owner_of(bare, False)
    assert hook(account, f"http://{host}:81/").status == 201
    broker(account, f"mqtt://{host}").ok()


def test_all_that_is_missing_is_named(bare, listed, closed):
    refused(hook(owner_of(bare, False), "http://192.168.1.5/"), LISTED, OPENED)
    refused(broker(owner_of(bare, False), "mqtt://192.168.1.5"), LISTED, OPENED)
    for is_marked, codes in ((True, [CLOSED]), (False, [CLOSED, OPENED])):
        account = owner_of(listed, is_marked)
        refused(hook(account, "http://192.168.1.5/"), *codes)
        refused(broker(account, "mqtt://127.0.0.1"), *codes)
        refused(hook(account, "http://192.168.2.5/"), LISTED, *codes)
        refused(broker(account, "mqtt://[::1]"), LISTED, *codes)


def test_the_mark(listed):
    account = owner_of(listed, False)
    for host in ("192.168.1.5", "0xc0a80105", "[::ffff:192.168.1.5]", "127.0.0.1", "localhost", "nas.local"):
        refused(hook(account, f"http://{host}/"), OPENED)
        refused(broker(account, f"mqtt://{host}"), OPENED)
    listed.sql("UPDATE account SET reaches_local = true WHERE id = %s", account.id)
    for host in ("192.168.1.5", "0xc0a80105", "[::ffff:192.168.1.5]", "127.0.0.1", "localhost", "nas.local"):
        assert hook(account, f"http://{host}/").status == 201
        broker(account, f"mqtt://{host}").ok()
    refused(hook(account, "http://192.168.2.5/"), LISTED)


def test_changes(listed):
    """A change of the URL is judged. The URL that is stored may be sent again, as pages do: to switch the webhook off."""
    account = owner_of(listed, True)
    made = hook(account, "http://192.168.1.5/").json()
    connected = broker(account, "mqtt://192.168.1.5").ok()
    public = hook(account, "https://example.org/").json()
    listed.sql("UPDATE account SET reaches_local = false WHERE id = %s", account.id)
    path = f"/v1/webhooks/{made['id']}"
    assert account.request("PATCH", path, body={"url": made["url"], "isEnabled": False}).ok()["isEnabled"] is False
    assert account.request("PATCH", path, body={"events": ["online"]}).ok()["events"] == ["online"]
    refused(account.request("PATCH", path, body={"url": "http://192.168.1.6/"}), OPENED)
    # The URL of another webhook, or of the other kind, is not the one that is stored.
    refused(account.request("PATCH", f"/v1/webhooks/{public['id']}", body={"url": made["url"]}), OPENED)
    refused(hook(account, made["url"]), OPENED)
    assert broker(account, "mqtt://192.168.1.5").ok()["url"] == connected["url"]
    refused(broker(account, "mqtts://192.168.1.5"), OPENED)
    assert account.request("PATCH", path, body={"url": "https://example.org/"}).ok()["url"] == "https://example.org/"
    other = owner_of(listed, False)
    assert other.request("PATCH", path, body={"url": "http://192.168.1.5/"}).status in (400, 404)
    assert account.get(path).ok()["url"] == "https://example.org/"


def test_what_is_closed_later_fails_with_the_same_words(listed):
    account = owner_of(listed, True)
    with Receiver() as receiver, Broker() as one:
        made = make(account, receiver, ["pushed"])
        connect(account, one).ok()
        wait_for_state(account, "connected")
        listed.sql("UPDATE account SET reaches_local = false WHERE id = %s", account.id)
        outcome = account.post(f"/v1/webhooks/{made['id']}/test", {}).ok()
        assert outcome["problem"].endswith("which is not public: " + SENTENCES[OPENED])
        assert wait_for_state(account, "failed")["error"] == "the broker's address is not public: " + SENTENCES[OPENED]
        assert receiver.seen() == [] and state(account, made)["lastProblem"] is None


def a_local_name():
    """A name of this machine that does not look like one; None: there is none."""
    for name in ("ip6-localhost", "ip6-loopback", socket.gethostname()):
        try:
            address = socket.getaddrinfo(name, 80)[0][4][0]
        except OSError:
            continue
        if "." in address or address == "::1":
            return name
    return None


def test_a_name_fails_later_with_the_same_words(bare):
    name = a_local_name()
    if not name:
        pytest.skip("this machine has no other name")
    account = owner_of(bare, False)
    made = hook(account, f"http://{name}/").json()
    problem = account.post(f"/v1/webhooks/{made['id']}/test", {}).ok()["problem"]
    assert problem == f"{name} has an address that is not public: {SENTENCES[LISTED]}; {SENTENCES[OPENED]}"
    broker(account, f"mqtt://{name}").ok()
    assert wait_for_state(account, "failed")["error"] == (
        f"the broker's address is not public: {SENTENCES[LISTED]}; {SENTENCES[OPENED]}")


def test_the_operator(bare):
    """displayctl says it, too."""
    account = owner_of(bare, False)
    [(email,)] = bare.sql("SELECT email FROM account WHERE id = %s", account.id)
    for arguments in (("mqtt", "update", "--account", email, "--url", "mqtt://192.168.1.5"),
                      ("webhook", "create", "http://192.168.1.5/", "--account", email)):
        with pytest.raises(Exception, match="--egress-allow"):
            bare.server.ctl(*arguments)
