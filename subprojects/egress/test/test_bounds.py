"""Limits for one app or one client; the others are not disturbed."""

import contextlib
import os
import threading
import time

from egress_process import LOCAL, Egress

COUNT = 150
LARGE = 2_000_000  # the cache takes it


def send_many(client, url, **members):
    """The egress stops to read where much waits for the client."""
    def send():
        for _ in range(COUNT):
            client.send(url, ttl_s=60, **members)

    threading.Thread(target=send, daemon=True).start()


def test_kept_answers_wait_until_they_are_taken(egress, client, server):
    """More than there is memory for."""
    deaf = egress.connect()
    url = f"{server.url}/large?{LARGE}"
    client.ask(url, ttl_s=60)
    send_many(deaf, url)
    assert client.ask(server.url + "/")[0]["status"] == 200
    for _ in range(COUNT):
        assert len(deaf.receive()[1]) == LARGE
    assert server.count(f"/large?{LARGE}") == 1
    deaf.link.close()


def test_shared_answers_wait_until_they_are_taken(egress, client, server):
    deaf = egress.connect()
    url = f"{server.url}/held?{LARGE}"
    send_many(deaf, url, method="POST")
    while not server.count(f"/held?{LARGE}"):
        time.sleep(0.01)
    server.gate.set()
    client.ask(url, method="POST", ttl_s=60)
    answers = [deaf.receive() for _ in range(COUNT)]
    assert any(len(body) == LARGE for _, body in answers)
    assert server.count(f"/held?{LARGE}") == 1
    deaf.link.close()


def test_clients_for_all_workers(server):
    with contextlib.closing(Egress(*LOCAL)) as running:
        clients = [running.connect() for _ in range(256)]
        for client in clients:
            client.send(server.url + "/")
        for client in clients:
            assert client.receive()[0]["fetch"]["status"] == 200
            client.link.close()


def test_silent_name_servers_keep_nobody_waiting(server):
    """Neither the loop, which joined the thread, nor other apps, which need threads, too."""
    environment = os.environ | {"LD_PRELOAD": os.environ["SLOW_NAMES"]}
    with contextlib.closing(Egress(*LOCAL, launch=(), environment=environment)) as running:
        client, other = running.connect(), running.connect()
        for number in range(20):
            client.send(f"http://x{number}.silent/", scope="greedy")
        answers = [client.receive()[0]["fetch"] for _ in range(20)]
        words = [answer["error"] for answer in answers]
        assert sum("takes more than 5s" in word for word in words) == 4
        assert sum("too many requests" in word for word in words) == 16
        assert other.ask(server.url.replace("127.0.0.1", "localhost"))[0]["status"] == 200
        assert "too many requests" in client.error("http://x.silent/", scope="greedy")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_client_that_is_gone_costs_nothing(server):
    """If a client had so much under way that nothing was read from it, the loop used to spin."""
    with contextlib.closing(Egress(*LOCAL)) as running:
        gone, client = running.connect(), running.connect()
        for number in range(130):
            gone.send(f"{server.at(number)}/slow?{number}")
        while not server.seen:
            time.sleep(0.01)
        gone.link.close()
        before = cpu_seconds(running.process.pid)
        assert "takes more than 5s" in client.error(server.url + "/slow", scope="other")
        assert cpu_seconds(running.process.pid) - before < 0.5


def test_trailers_and_hints(client, server):
    head, body = client.ask(server.url + "/trailer")
    assert (head["headers"]["x-one"], body) == ("1", b"hello")
    assert client.error(server.url + "/continue") == (
        "the headers of 127.0.0.1, those of redirects and interim responses included, are longer than 256 KiB")
