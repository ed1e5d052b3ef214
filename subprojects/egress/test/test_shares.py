"""Shares of an account's apps: requests to one host, and to all hosts (src/shares.h).

A share grows by two requests a second while a test runs: so the bounds are those of a test that takes
some seconds."""

import time

import pytest

BURST = 20
SLACK = 20  # 10 s of a slow machine
ASKED = 120
OFTEN = "too many requests to"


def ask_all(client, urls, **members):
    """All are sent before an answer is read. The words of those that were refused."""
    urls = list(urls)
    for url in urls:
        client.send(url, **members)
    answers = [client.receive()[0]["fetch"] for _ in urls]
    return [answer["error"] for answer in answers if "error" in answer]


def check_shared_out(server, refused):
    assert all(OFTEN in words for words in refused), refused
    assert len(refused) >= ASKED - BURST - SLACK
    assert BURST <= len(server.seen) <= BURST + SLACK


def test_a_host_has_a_share(client, server):
    refused = ask_all(client, (f"{server.url}/{i}" for i in range(ASKED)))
    check_shared_out(server, refused)
    assert refused[0] == "too many requests to 127.0.0.1: the apps of an account may send 20 to a host " \
        "at once and then 2 a second, try again later"


def test_neither_versions_nor_clients_of_an_account_have_more(egress, server):
    clients = [egress.connect() for _ in range(4)]
    refused = []
    for number, client in enumerate(clients):
        refused += ask_all(client, (f"{server.url}/{number}/{i}" for i in range(ASKED // 4)),
                           account="one", scope=f"draft:{number}")
        client.link.close()
    check_shared_out(server, refused)


def test_accounts_have_shares_of_their_own(client, server):
    for account in ("one-of-two", "two-of-two"):
        assert ask_all(client, (f"{server.url}/{account}/{i}" for i in range(BURST)), account=account) == []


def test_posts_count(client, server):
    check_shared_out(server, ask_all(client, [server.url + "/"] * ASKED, method="POST"))


def test_a_paced_client_takes_nothing_of_the_share(client, server):
    assert ask_all(client, (f"{server.url}/{i}" for i in range(ASKED)), method="POST", paced=True) == []
    refused = ask_all(client, (f"{server.url}/more/{i}" for i in range(ASKED)))
    assert len(refused) >= ASKED - BURST - SLACK and len(server.seen) >= ASKED + BURST


def test_names_of_one_address_are_one_host(client, server):
    """Also where they differ by name, by the form of the address and by connection."""
    port = server.server_address[1]
    names = ["127.0.0.1", "localhost", "LOCALHOST.", "0x7f000001", "2130706433", "127.1"]
    refused = ask_all(client, (f"http://{names[i % len(names)]}:{port}/{i}" for i in range(ASKED)))
    assert sum(OFTEN in words for words in refused) >= ASKED // 2
    assert len(server.seen) <= BURST + SLACK


def test_ports_of_a_host_are_one_host(client, server):
    with type(server)() as second:
        ports = [server.url, second.url]
        refused = ask_all(client, (f"{ports[i % 2]}/{i}" for i in range(ASKED)))
        assert len(refused) >= ASKED - BURST - SLACK
        assert len(server.seen) + len(second.seen) <= BURST + SLACK
        second.gate.set()
        second.shutdown()


@pytest.mark.parametrize("path", ["/to", "/keep"])
def test_redirects_count(client, server, path):
    """Many hosts that lead to one."""
    with type(server)() as first:
        refused = ask_all(client, (f"{first.at(i)}{path}?{server.url}/{i}" for i in range(ASKED)),
                          method="POST")
        assert all(words.startswith("too many requests to 127.0.0.1") for words in refused)
        assert len(refused) >= ASKED - BURST - SLACK
        assert len(server.seen) <= BURST + SLACK
        first.shutdown()


def test_connections_count_where_they_fail(client, server):
    """A port that refuses is a request all the same."""
    server.shutdown()
    server.server_close()
    refused = ask_all(client, (f"{server.url}/{i}" for i in range(ASKED)))
    assert sum(OFTEN in words for words in refused) >= ASKED - BURST - SLACK


def test_kept_answers_cost_nothing(client, server):
    assert ask_all(client, [server.url + "/kept"] * ASKED) == []
    assert len(server.seen) == 1
    for _ in range(ASKED):
        client.ask(server.url + "/kept")
    assert len(server.seen) == 1
    assert ask_all(client, (f"{server.url}/{i}" for i in range(BURST - 1))) == []


MB = 1_000_000
BURST_BYTES, DEBT_BYTES = 4 * MB, 2 << 20


def test_answers_of_an_account_have_a_share(client, server):
    size = MB // 2
    refused = ask_all(client, (f"{server.at(i)}/large?{size - i}" for i in range(ASKED)))
    assert all("their share of the network, 1 MB a second" in words for words in refused)
    assert BURST_BYTES <= (ASKED - len(refused) + 1) * size <= BURST_BYTES + DEBT_BYTES + 10 * MB
    # Others are not concerned.
    assert client.ask(f"{server.url}/large?{MB}", account="nobody")[0]["status"] == 200


def test_a_fetch_that_is_shared_is_cut_for_the_account_alone_whose_share_it_used(egress, client, server):
    """The others that wait for the same have it asked anew, with their own share."""
    others = [egress.connect() for _ in range(2)]
    for one, account in zip((client, *others), ("first", "second", "third"), strict=True):
        one.send(f"{server.url}/held?{2 * MB}", account=account)
        while server.count(f"/held?{2 * MB}") == 0:
            time.sleep(0.01)
    assert ask_all(client, (f"{server.at(i)}/large?{2 * MB - i}" for i in range(8)), account="first")
    server.gate.set()
    assert "their share of the network" in client.receive()[0]["fetch"]["error"]
    for other in others:
        head, body = other.receive()
        assert head["fetch"].get("status") == 200 and len(body) == 2 * MB, head
        other.link.close()
    assert server.count(f"/held?{2 * MB}") == 2  # once for both


def test_what_waits_goes_on_with_the_account_that_has_asked_less(egress, client, server):
    """The first one has all its transfers under way, and what it asks last waits for a turn."""
    other = egress.connect()
    for number in range(40):
        client.send(f"{server.at(number)}/held?{number}", account="busy")
    client.send(server.url + "/waits", account="busy")
    while sum(path.startswith("/held") for _, path, *_ in list(server.seen)) < 8:
        time.sleep(0.01)
    other.send(server.url + "/waits", account="calm")
    assert other.receive()[0]["fetch"]["status"] == 200
    server.gate.set()
    other.link.close()


def test_what_is_sent_counts(client, server):
    for number in range(30):
        client.send(f"{server.at(number)}/{number}", bytes(MB // 2), method="POST")
    answers = [client.receive()[0]["fetch"] for _ in range(30)]
    assert sum("error" in answer for answer in answers) >= 5
    assert sum(len(body) for *_, body in server.seen) <= BURST_BYTES + DEBT_BYTES + 10 * MB


def test_bodies_of_redirects_count(client, server):
    """libcurl reads them and drops them."""
    with type(server)() as end:
        url = f"{server.url}/to-large?{end.url}/"
        assert "their share of the network" in client.error(url)
        assert "their share of the network" in client.error(server.at(2))
        assert not end.seen
        end.shutdown()
