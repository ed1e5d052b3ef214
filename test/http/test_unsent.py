"""Unsent output for clients that do not read: a total for all of them, and the choice of connections to
close."""
import contextlib


def get(path):
    return b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % path.encode()


def test_the_greediest_is_cut_off(start):
    """Other clients continue, including those with little output. The log names the closed client."""
    server = start("--pending-bytes", "15000000")
    with server.client() as shared, server.client() as modest, server.client() as greedy:
        shared.send(get("/big?bytes=60000000"))
        server.wait_for(lambda stats: stats["requests"] >= 2)
        modest.send(get("/copy?bytes=6000000"))
        server.wait_for(lambda stats: stats["connections"] == 4)
        greedy.send(get("/copy?bytes=14000000"))
        server.wait_for(lambda stats: stats["connections"] == 3)
        taken = greedy.ended()
        assert len(taken) < 14000000 and taken.endswith(b"<reset>")
        assert modest.answer().body == b"0123456789" * 600000
        assert shared.answer().body == b"0123456789" * 6000000
    log = server.stop()
    assert log.count("closed slow client") == 1


def test_an_address_with_many_clients_has_only_its_own_cut_off(start):
    """Each of them has less unsent output than the single client of the other address."""
    server = start("--pending-bytes", "6000000")
    with contextlib.ExitStack() as stack:
        honest = stack.enter_context(server.client())
        honest.send(get("/copy?bytes=1000000"))
        server.wait_for(lambda stats: stats["requests"] >= 2)
        greedy = [stack.enter_context(server.client(source="127.0.0.2")) for _ in range(20)]
        for one in greedy:
            one.send(get("/copy?bytes=400000"))
        server.wait_for(lambda stats: stats["connections"] < 22)
        assert honest.answer().body == b"0123456789" * 100000


def test_a_body_counts_while_its_answer_waits(start):
    """The body is a part of what the answer holds."""
    server = start("--pending-bytes", "2000000")
    with server.client() as client:
        client.send(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n")
        client.send(b"x" * 3000000)
        server.wait_for(lambda stats: stats["connections"] == 1)
        assert client.ended().endswith(b"<reset>")
    assert "closed slow client" in server.stop()


def test_the_operator_is_not_cut_off(start):
    """The operator stays connected, however much output waits for the operator or for others."""
    server = start("--pending-bytes", "5000000", "--admin")
    with server.client(port=server.admin_port) as admin, server.client() as greedy:
        admin.send(get("/copy?bytes=20000000"))
        server.wait_for(lambda stats: stats["requests"] >= 2)
        greedy.send(get("/copy?bytes=14000000"))
        server.wait_for(lambda stats: stats["connections"] == 2)
        assert greedy.ended().endswith(b"<reset>")
        assert admin.answer().body == b"0123456789" * 2000000
