"""Time-outs, back-pressure, and the end of the server. Options make the limits small; each awaited event
comes, however slow the machine is."""

import contextlib
import re
import resource
import select
import signal
import socket

import pytest
from conftest import PATIENCE
from waiting import wait_until

HELLO = b"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"


def test_idle_connection_is_closed(start):
    with start("--idle-ms", "50").client() as client:
        assert client.ended() == b""


def test_idle_after_a_request(start):
    with start("--idle-ms", "1000").client() as client:
        client.send(HELLO)
        assert client.answer().status == 200
        assert client.ended() == b""


@pytest.mark.parametrize("head", [b"G", b"GET / HTTP/1.1\r\n", HELLO[:-1]])
def test_slow_head(start, head):
    with start("--head-ms", "50").client() as client:
        client.send(head)
        assert client.answer().status == 408
        assert client.ended() == b""


def test_slow_head_after_a_request(start):
    with start("--head-ms", "50").client() as client:
        client.send(HELLO + HELLO[:-1])
        assert client.answer().status == 200
        assert client.answer().status == 408
        assert client.ended() == b""


def test_dripping_head(start):
    """Sending one byte at a time does not move the deadline."""
    with start("--head-ms", "200", unix=True).client() as client:
        while b"408" not in client.buffer:
            client.send_piece(b"G" if not client.buffer else b"")
            client.socket.settimeout(0.01)
            try:
                client.fill()
            except TimeoutError:
                pass


def test_empty_lines_are_no_request(start):
    with start("--head-ms", "50").client() as client:
        client.send(b"\r\n")
        assert client.ended() == b""


@pytest.mark.parametrize("target", [b"/echo", b"/late?ms=1"])
@pytest.mark.parametrize("framing", [b"Content-Length: 5", b"Transfer-Encoding: chunked"])
def test_slow_body(start, target, framing):
    with start("--body-ms", "50").client() as client:
        client.send(b"POST %s HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n4" % (target, framing))
        answer = client.answer()
        assert answer.status == 408 and answer["Connection"] == "close"
        assert client.ended() == b""


@pytest.mark.parametrize("framing", [b"Content-Length: 500", b"Transfer-Encoding: chunked"])
def test_dripping_body(start, framing):
    """A byte now and then does not move the deadline."""
    with start("--body-ms", "200", unix=True).client() as client:
        client.send(b"POST /echo HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n" % framing)
        while not client.buffer:
            client.send_piece(b"0")
            client.socket.settimeout(0.01)
            try:
                client.fill()
            except TimeoutError:
                pass
        client.socket.settimeout(PATIENCE)
        assert client.answer().status == 408


def upload(caller, bytes_=1 << 20):
    return (b"POST /echo HTTP/1.1\r\nHost: a\r\nX-Caller: %s\r\nContent-Length: %d\r\n\r\n" %
            (caller, bytes_)) + b"x" * (bytes_ - 1)


@pytest.mark.parametrize("caller", [b"greedy", b""])
def test_unfinished_bodies_leave_room_for_others(start, caller):
    """Bodies are counted per caller, or per address if the caller is unknown."""
    server = start("--bodies-bytes", str(16 << 20))
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(server.client()) for _ in range(20)]
        for number, client in enumerate(clients):
            client.send(upload(caller))
            if number == 5:  # all of its bytes count: that is the whole room
                client.send(b"x")
                assert client.answer().status == 200
        by_socket = {client.socket: client for client in clients}
        refused = select.select(list(by_socket), [], [], PATIENCE)[0]
        assert refused and all(by_socket[one].answer().status == 503 for one in refused)
        for other in (b"one", b"two"):
            with server.client() as client:
                client.send(upload(other) + b"x")
                assert client.answer().status == 200
    with server.client() as client:  # the memory is released
        server.wait_for(lambda stats: stats["connections"] <= 2)
        client.send(upload(caller, 4 << 20) + b"x")
        assert client.answer().status == 200


def test_slow_rest_of_an_unwanted_body(start):
    with start("--body-ms", "50").client() as client:
        client.send(b"POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n1")
        assert client.answer().status == 200
        assert client.ended() == b""


def test_handler_may_take_its_time(start):
    server = start("--idle-ms", "1000", "--head-ms", "20", "--body-ms", "20")
    with server.client() as client:
        client.send(b"GET /slow?ms=1500 HTTP/1.1\r\nHost: a\r\n\r\n")
        assert client.answer().status == 200
        assert client.ended() == b""


def test_end_of_lingering(start):
    with start("--linger-ms", "50").client() as client:
        client.send(b"GET / HTTP/1.1\r\n\r\n")
        assert client.answer().status == 400
        assert client.ended() == b""
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            while True:
                client.send(b"x")


def small_receiver(server):
    client = server.client()
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    return client


def test_slow_reader_is_cut_off(start):
    server = start("--write-stall-ms", "100")
    with small_receiver(server) as client:
        client.send(b"GET /big?bytes=60000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        server.wait_for(lambda stats: stats["requests"] > 1 and stats["connections"] == 1)


def test_reader_that_takes_something_is_not(start):
    server = start("--write-stall-ms", "5000")
    with server.client() as client:
        client.send(b"GET /big?bytes=60000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = client.answer()
    assert answer.body == b"0123456789" * 6000000


def test_big_answers_to_readers_that_stop(start):
    """Waiting answers are not copied."""
    server = start("--write-stall-ms", "600000")
    before = server.stats()["resident"]
    clients = [server.client() for _ in range(50)]
    for client in clients:
        client.send(b"GET /big?bytes=10000000 HTTP/1.1\r\nHost: a\r\n\r\n" + HELLO)
    stats = server.wait_for(lambda stats: stats["requests"] >= 51)
    assert stats["resident"] - before < 10000000
    for client in clients:
        assert len(client.answer().body) == 10000000
        assert client.answer().body == b"hello\n"
        client.socket.close()


def test_the_kernel_takes_little_ahead(start):
    """So the server notices a client that does not read, however much a kernel would take for it."""
    server = start("--write-stall-ms", "100")
    with small_receiver(server) as client:
        client.send(b"GET /big?bytes=300000 HTTP/1.1\r\nHost: a\r\n\r\n")
        server.wait_for(lambda stats: stats["requests"] > 1 and stats["connections"] == 1)
        assert len(client.ended()) < 300000


def fill_up(client, data):
    """Sends until the server takes no more. Returns the number of bytes."""
    client.socket.setblocking(False)
    sent = 0
    try:
        for _ in range(10000):
            sent += client.socket.send(data)
        pytest.fail("everything was taken")
    except BlockingIOError:
        pass
    client.socket.settimeout(60)
    return sent


def test_body_waits_for_the_handler(start):
    server = start()
    before = server.stats()["resident"]
    clients = [server.client() for _ in range(20)]
    for client in clients:
        client.send(b"POST /late HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        fill_up(client, b"10000\r\n" + b"x" * 65536 + b"\r\n")
    assert server.wait_for(lambda stats: stats["requests"] > 20)["resident"] - before < 10000000
    server.release()
    for client in clients:
        client.socket.close()


def test_requests_wait_for_their_turn(start):
    server = start()
    with server.client() as client:
        client.send(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        sent = fill_up(client, HELLO * 1000)
        requests = server.wait_for(lambda stats: stats["requests"] >= 2)["requests"]
        assert server.stats()["requests"] == requests + 1
        server.release()
        assert client.answer().body == b"slow\n"
        for _ in range(sent // len(HELLO)):
            assert client.answer().body == b"hello\n"


def test_connections_are_limited(start):
    server = start("--connections", "3")
    clients = [server.client() for _ in range(5)]
    for client in clients:
        client.send(HELLO)
    for client in clients:
        assert client.answer().status == 200
        client.socket.close()


def test_connections_of_one_address_are_limited(start):
    """Limits leave room for others. (A refused client sees a reset or an end.)"""
    server = start("--connections", "20")

    def connect(address):
        client = server.client(source=address)
        try:
            client.send(HELLO)
            return client if client.answer().status == 200 else None
        except (ConnectionError, AssertionError):
            client.socket.close()
            return None

    held = [client for _ in range(25) if (client := connect("127.0.0.2"))]
    assert len(held) == 15
    others = [connect("127.0.0.3"), connect("127.0.0.4")]
    assert all(others)
    assert connect("127.0.0.2") is None
    for client in held:
        client.socket.close()
    server.wait_for(lambda stats: stats["connections"] == 1 + len(others))
    again = connect("127.0.0.2")
    for client in [*others, again]:
        client.socket.close()


def test_operator_finds_room(start):
    """Clients that use up all connections, and all of their address, leave room at the operator's listener,
    even for an operator with the same address."""
    server = start("--connections", "3", "--admin")
    clients = [server.client() for _ in range(5)]
    for client in clients[:2]:
        client.send(HELLO)
        assert client.answer().status == 200
    with socket.create_connection(("127.0.0.1", server.admin_port), PATIENCE) as admin:
        admin.sendall(HELLO)
        assert admin.recv(100).startswith(b"HTTP/1.1 200 ")
    for client in clients:
        client.socket.close()


def test_out_of_descriptors(start):
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

    server = start(preexec_fn=few)
    clients = [server.client() for _ in range(60)]
    answered = 0
    for client in clients:
        try:
            client.send(HELLO)
            answered += client.answer().status == 200
        except (ConnectionError, AssertionError):
            pass
    assert 10 < answered < 60
    for client in clients:
        client.socket.close()
    server.wait_for(lambda stats: stats["connections"] == 1)


def test_drain(start):
    server = start()
    idle, head, working, written, unread = (server.client() for _ in range(5))
    for client in (idle, working):
        client.send(HELLO)
        assert client.answer().status == 200
    head.send(HELLO[:-2])
    working.send(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n" + HELLO)
    written.send(b"GET /big?bytes=60000000 HTTP/1.1\r\nHost: a\r\n\r\n")
    unread.send(b"POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n1")
    assert unread.answer().status == 200
    server.wait_for(lambda stats: stats["requests"] >= 5 and stats["connections"] == 6)
    release = server.client()
    release.send(b"GET /release HTTP/1.1\r\n")
    server.wait_for(lambda stats: stats["connections"] == 7)
    server.process.send_signal(signal.SIGTERM)
    assert idle.ended() == b""
    with pytest.raises(ConnectionRefusedError):
        server.client()
    head.send(b"\r\n")
    assert head.answer()["Connection"] == "close"
    assert head.ended() == b""
    release.send(b"Host: a\r\n\r\n")
    assert release.answer()["Connection"] == "close"
    answer = working.answer()
    assert answer.body == b"slow\n" and answer["Connection"] == "close"
    assert working.ended() == b""
    # Answered before the drain, as on connections that stay open.
    assert len(written.answer().body) == 60000000
    assert written.ended() == b""
    unread.send(b"2345")
    assert unread.ended() == b""
    for client in (head, release, working):
        client.socket.close()
    server.stop(None)


def waits_in_the_kernel(port):
    """Connections of a listening socket that are not accepted yet."""
    with open("/proc/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    [queue] = [row[4] for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "0A"]
    return int(queue.split(":")[1], 16)


def test_drain_of_a_full_server(start):
    """An accepted connection that waits for room is answered as well."""
    server = start("--connections", "3")
    full = [server.client() for _ in range(3)]
    for client in full:
        client.send(HELLO)
        assert client.answer().status == 200
    waiting = server.client()
    waiting.send(HELLO)
    wait_until(lambda: not waits_in_the_kernel(server.port), "an accepted connection")
    server.process.send_signal(signal.SIGTERM)
    assert waiting.answer()["Connection"] == "close"
    assert waiting.ended() == b""
    for client in full:
        assert client.ended() == b""
    server.stop(None)


def test_drain_does_not_wait_for_bodies_that_are_left_unread(start):
    """The answer may have been written before the drain, or during it."""
    server = start()
    head = b"POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n1"
    with server.client() as before, server.client() as later:
        before.send(head % b"/early")
        assert before.answer().status == 200
        later.send(head % b"/stream?pieces=200&bytes=100000")
        server.wait_for(lambda stats: stats["connections"] == 3 and stats["streams"] == 1)
        server.process.send_signal(signal.SIGTERM)
        assert before.ended() == b""
        assert len(later.streamed().body) == 200 * 100000
        assert later.ended() == b""
    server.stop(None)


def test_request_on_its_way_when_the_drain_begins(start):
    server = start()
    first, second = server.client(), server.client()
    for client in (first, second):
        client.send(HELLO)
        assert client.answer().status == 200
    first.send(b"GET /drain HTTP/1.1\r\nHost: a\r\n\r\n")
    server.wait_until_stopped()
    second.send(HELLO)
    server.process.send_signal(signal.SIGCONT)
    for client in (first, second):
        answer = client.answer()
        assert answer.status == 200 and answer["Connection"] == "close"
        assert client.ended() == b""
        client.socket.close()
    server.stop(None)


def test_drain_ends_while_a_client_stays(start):
    """It gets its answer and the end, and keeps its own side open."""
    server = start("--linger-ms", "600000")
    with server.client() as client:
        client.send(b"GET /drain HTTP/1.1\r\nHost: a\r\n\r\n")
        server.wait_until_stopped()
        server.process.send_signal(signal.SIGCONT)
        assert client.answer()["Connection"] == "close"
        assert client.ended() == b""
        server.stop(None)


def test_drain_of_nothing(start):
    start().stop()


def test_close_at_once(start):
    server = start()
    clients = [server.client() for _ in range(4)]
    clients[0].send(HELLO[:-2])
    clients[1].send(POST)
    clients[2].send(b"GET /big?bytes=60000000 HTTP/1.1\r\nHost: a\r\n\r\n")
    server.wait_for(lambda stats: stats["requests"] >= 3 and stats["connections"] == 5)
    server.stop(signal.SIGINT)
    for client in clients:
        client.ended()
        client.socket.close()


def access_lines(error):
    lines = []
    for line in error.splitlines():
        if "group=access" in line:
            fields = re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', line)
            lines.append(dict(fields))
    return lines


def test_access_log(start):
    server = start("--log")
    with server.client() as client:
        client.send(
            b"GET /inspect/a?key=secret HTTP/1.1\r\nHost: a\r\nX-Request-Id: one\r\n"
            b"Authorization: Bearer secret\r\n\r\n"
        )
        client.answer()
        client.send(b"POST /echo?key=secret HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
        client.answer()
        client.send(b"GET /nope?secret HTTP/1.1\r\nHost: a\r\n\r\n")
        client.answer()
        client.send(b"GET /?secret HTTP/1.1\r\nHost: a\r\nHost: secret\r\n\r\n")
        client.answer()
    with server.client() as client:
        client.send(b"GET /secret\x01 HTTP/1.1\r\n\r\n")
        client.answer()
    with server.client() as client:
        client.send(b"GET http://a/" + b"a/" * 1500 + b"?secret HTTP/1.1\r\nHost: a\r\n\r\n")
        client.answer()
    error = server.stop()
    lines = access_lines(error)
    assert "secret" not in error
    assert [line["status"] for line in lines] == ["200", "200", "404", "400", "400", "404"]
    assert lines[0]["method"] == "GET" and lines[0]["path"] == "/inspect/a"
    assert lines[0]["route"] == "/inspect/{name}" and lines[0]["request_id"] == "one"
    assert lines[0]["account"] == "ada" and lines[0]["device"] == "kitchen"
    assert lines[1]["method"] == "POST" and "account" not in lines[1]
    assert all(line["remote"] == "127.0.0.1" for line in lines)
    assert all(re.fullmatch(r"\d+", line["duration_us"]) for line in lines)
    assert all(re.fullmatch(r"[1-9]\d+", line["bytes"]) for line in lines)
    assert lines[5]["path"] == "/" + "a/" * 511  # up to 1,024 bytes, at a word boundary


def test_no_access_log(start):
    server = start()
    with server.client() as client:
        client.send(HELLO)
        client.answer()
    assert access_lines(server.stop()) == []
