"""Answers in pieces: framing, slow or leaving readers, and the end of the server."""

import re
import signal
import socket

import pytest

HELLO = b"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
DIGITS = b"0123456789"


def get(target, version="1.1", *fields):
    lines = [f"GET {target} HTTP/{version}", "Host: a", *fields]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def digits(size):
    return (DIGITS * (size // 10 + 1))[:size]


def growing(pieces):
    return b"".join(digits(size) for size in range(1, pieces + 1))


@pytest.mark.parametrize("pieces", [0, 1, 2, 17, 300])
def test_chunks(server, pieces):
    """Each piece is one chunk; the connection continues."""
    with server.client() as client:
        client.send(get(f"/stream?pieces={pieces}"))
        answer = client.streamed()
        assert answer.status == 200 and answer["Content-Type"] == "text/plain"
        assert answer.chunks == list(range(1, pieces + 1))
        assert answer.body == growing(pieces)
        assert "Connection" not in answer and "Content-Length" not in answer
        assert client.get("/hello").body == b"hello\n"


@pytest.mark.parametrize("size", [1, 15, 16, 4095, 65536, 65537, 1000003])
def test_sizes_of_chunks(server, size):
    with server.client() as client:
        client.send(get(f"/stream?pieces=5&bytes={size}"))
        answer = client.streamed()
        assert answer.chunks == [size] * 5 and answer.body == digits(size) * 5
        assert client.get("/hello").status == 200


def test_requests_behind_a_stream(server):
    """Requests are answered in order, even after a stream that waits for its reader."""
    with server.client() as client:
        stream = get("/stream?pieces=40&bytes=100000")
        client.send(HELLO + stream + HELLO + get("/stream?pieces=3") + stream + HELLO)
        assert client.answer().body == b"hello\n"
        assert len(client.streamed().body) == 4000000
        assert client.answer().body == b"hello\n"
        assert client.streamed().body == growing(3)
        assert len(client.streamed().body) == 4000000
        assert client.answer().body == b"hello\n"


def test_http_1_0(server):
    with server.client() as client:
        client.send(get("/stream?pieces=30", "1.0", "Connection: keep-alive"))
        answer = client.answer()
        assert answer["Connection"] == "close" and "Transfer-Encoding" not in answer
        assert client.ended() == growing(30)


def test_close_is_said_and_kept(server):
    with server.client() as client:
        client.send(get("/stream?pieces=3", "1.1", "Connection: close"))
        answer = client.streamed()
        assert answer["Connection"] == "close" and answer.body == growing(3)
        assert client.ended() == b""


@pytest.mark.parametrize("target", ["/stream?pieces=3", "/events"])
def test_head(start, target):
    server = start()
    with server.client() as client:
        for _ in range(2):
            answer = client.get(target, "HEAD")
            assert answer.status == 200
            assert "Transfer-Encoding" not in answer and "Content-Length" not in answer
        assert client.get("/hello").body == b"hello\n"
    stats = server.stats()
    assert (stats["streams"], stats["streams_stopped"], stats["pieces"]) == (0, 2, 0)


@pytest.mark.parametrize("size", [10, 200000, 300000])
def test_unread_body(server, size):
    """Unread bytes of the body are dropped after the stream, or the connection ends."""
    with server.client() as client:
        head = b"POST /stream?pieces=3 HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % size
        client.send(head + b"x" * size)
        answer = client.streamed()
        assert answer.body == growing(3)
        if size <= 256 * 1024:
            assert client.get("/hello").status == 200
        else:
            assert answer["Connection"] == "close"
            assert client.ended() == b""


def test_half_close(server):
    """A client that closes only its sending side gets everything."""
    with server.client() as client:
        client.send(get("/stream-late?pieces=30&bytes=100000"))
        client.end()
        server.release()
        assert len(client.streamed().body) == 3000000
        assert client.ended() == b""


def test_slow_reader_is_waited_for(start):
    """The server makes little more than the reader takes."""
    server = start(unix=True)
    with server.client() as client:
        client.send(get("/stream?pieces=400&bytes=50000"))
        server.wait_for(lambda stats: stats["pieces"])
        before = None
        while before != (now := server.stats()["pieces"]):
            before = now
        assert now < 100
        assert client.answer().status == 200
        for _ in range(400):
            assert client.chunk() == digits(50000)
        assert client.chunk() == b""
        assert client.get("/hello").status == 200


def test_stalled_reader_is_dropped(start):
    server = start("--write-stall-ms", "100", "--log", unix=True)
    with server.client() as client:
        client.send(get("/stream?pieces=1000&bytes=50000"))
        stats = server.wait_for(lambda stats: stats["streams_stopped"])
        assert stats["streams"] == 0 and stats["streams_stopped"] == 1
        assert not client.ended().endswith(b"0\r\n\r\n")
    assert "abandoned=1" in server.stop()


def test_stalled_behind_the_end(start):
    """After the end of a stream, its last pieces count like those of any answer."""
    server = start("--write-stall-ms", "100", unix=True)
    with server.client() as client:
        client.send(get("/stream?pieces=30&bytes=60000&flood=1"))
        stats = server.wait_for(lambda stats: stats["connections"] == 1)
        assert stats["streams"] == 0 and stats["streams_stopped"] == 0


def test_too_much_at_once(start):
    """A source that does not wait loses its reader, but does not use up the server's memory."""
    server = start(unix=True)
    with server.client() as client:
        client.send(get("/stream?pieces=60&bytes=50000&flood=1"))
        stats = server.wait_for(lambda stats: stats["connections"] == 1)
        assert stats["pieces"] == 60
        assert stats["streams"] == 0
        client.ended()


def test_source_breaks_off(start):
    server = start("--log")
    with server.client() as client:
        client.send(get("/stream?pieces=3&abort=1"))
        answer = client.answer()
        assert answer.status == 200
        assert client.ended() == b"1\r\n0\r\n2\r\n01\r\n3\r\n012\r\n<reset>"
    assert "status=200" in server.stop()


def test_source_breaks_off_for_an_old_client(start):
    """For HTTP/1.0 the end of the connection is the end of the answer, so an aborted stream must end differently."""
    with start().client() as client:
        client.send(get("/stream?pieces=3&abort=1", "1.0"))
        taken = client.ended()
        assert taken.startswith(b"HTTP/1.1 200 OK\r\n") and taken.endswith(b"001012<reset>")


@pytest.mark.parametrize("how", ["close", "reset"])
@pytest.mark.parametrize("target", ["/stream?pieces=1000&bytes=50000", "/events", "/events?keep=1"])
def test_client_leaves(start, target, how):
    server = start()
    client = server.client()
    client.send(get(target))
    assert client.answer().status == 200
    client.reset() if how == "reset" else client.socket.close()
    stats = server.wait_for(lambda stats: stats["streams_stopped"])
    assert (stats["streams"], stats["streams_stopped"]) == (0, 1)


@pytest.mark.parametrize("target", ["/stream-late?pieces=3", "/events-late", "/events-late?keep=1"])
def test_client_left_before_it_began(start, target):
    server = start()
    client = server.client()
    client.send(get(target))
    server.wait_for(lambda stats: stats["requests"] >= 2)
    client.reset()
    server.wait_for(lambda stats: stats["connections"] == 1)
    server.release()
    stats = server.wait_for(lambda stats: stats["streams_stopped"])
    assert (stats["streams"], stats["abandoned"]) == (0, 1)


@pytest.mark.parametrize("keep", [0, 1])
def test_events(server, keep):
    with server.client() as one, server.client() as two:
        for client in (one, two):
            client.send(get(f"/events?keep={keep}"))
            answer = client.answer()
            assert answer["Content-Type"] == "text/event-stream"
            assert answer["Transfer-Encoding"] == "chunked"
        with server.client() as publisher:
            for text in ("a", "bcd", "e" * 5000):
                publisher.get(f"/publish?text={text}")
                assert one.chunk() == two.chunk() == text.encode()


def test_events_with_http_1_0(server):
    with server.client() as client, server.client() as publisher:
        client.send(get("/events", "1.0"))
        assert client.answer()["Connection"] == "close"
        publisher.get("/publish?text=abc")
        assert client.take(3) == b"abc"


def while_in_time(ask):
    """Repeats ask() if a busy machine took longer than the server waits, in which case nothing happened."""
    while True:
        try:
            return ask()
        except ConnectionError:
            pass


def asked(server, target):
    """A client that has received the first bytes of its answer."""
    def ask():
        client = server.client()
        client.send(get(target))
        if not client.fill():
            raise ConnectionResetError
        return client

    return while_in_time(ask)


def test_silence_is_no_fault(start):
    """A stream without output has no time-out."""
    server = start(*"--idle-ms 800 --head-ms 800 --body-ms 800 --write-stall-ms 800".split())
    with asked(server, "/events") as client:
        assert client.answer().status == 200
        assert asked(server, "/publish?text=a").answer().status == 200
        assert client.chunk() == b"a"
        for _ in range(3):
            with while_in_time(server.client) as other:
                assert other.ended() == b""  # idle for 800 ms
        assert asked(server, "/publish?text=b").answer().status == 200
        assert client.chunk() == b"b"


def test_subscriber_that_does_not_read(start):
    """The reader is dropped if its unsent output is too large; others are not affected."""
    server = start(unix=True)
    with server.client() as deaf, server.client() as client, server.client() as publisher:
        for one in (deaf, client):
            one.send(get("/events"))
        assert client.answer().status == 200
        text = "x" * 8000
        stats = server.stats()
        while stats["streams"] == 2:
            for _ in range(100):
                assert publisher.get(f"/publish?text={text}").status == 200
                assert client.chunk() == text.encode()
            stats = server.stats()
        assert stats["streams_stopped"] == 1


def test_drain(start):
    """Endless streams are ended; others are written to their end."""
    server = start("--log", unix=True)
    with server.client() as events, server.client() as kept, server.client() as list_:
        events.send(get("/events"))
        kept.send(get("/events?keep=1"))
        list_.send(get("/stream?pieces=200&bytes=50000"))
        assert events.answer().status == kept.answer().status == 200
        assert list_.answer().status == 200
        server.process.send_signal(signal.SIGTERM)
        for client in (events, kept):
            assert client.chunk() == b""
            assert client.ended() == b""
        for _ in range(200):
            assert len(list_.chunk()) == 50000
        assert list_.chunk() == b""
        assert list_.ended() == b""
        log = server.stop(None)
    assert log.count("path=/events ") == 2 and "abandoned" not in log


def test_drain_does_not_wait_for_clients_that_would_ask_again(start):
    """A stream that began before the drain has promised to keep the connection open."""
    server = start("--linger-ms", "600000")
    with server.client() as events, server.client() as list_:
        events.send(get("/events"))
        list_.send(get("/stream?pieces=200&bytes=50000"))
        assert events.answer().status == list_.answer().status == 200
        server.process.send_signal(signal.SIGTERM)
        assert events.chunk() == b""
        for _ in range(200):
            assert len(list_.chunk()) == 50000
        assert list_.chunk() == b""
        server.stop(None)  # while both are connected


def test_begun_while_draining(start):
    """An endless stream that begins during a drain ends at once."""
    server = start()
    with server.client() as late, server.client() as release, server.client() as idle:
        assert idle.get("/hello").status == 200
        late.send(get("/events-late"))
        server.wait_for(lambda stats: stats["requests"] >= 3)
        release.send(b"GET /release HTTP/1.1\r\n")
        server.process.send_signal(signal.SIGTERM)
        assert idle.ended() == b""
        release.send(b"Host: a\r\n\r\n")
        assert release.answer()["Connection"] == "close"
        assert late.streamed().body == b""
        assert late.ended() == b""
        server.stop(None)


def test_close(start):
    """The server ends at once: every source is stopped, without a leak."""
    server = start(unix=True)
    with server.client() as one, server.client() as two, server.client() as three:
        one.send(get("/events"))
        two.send(get("/events?keep=1"))
        three.send(get("/stream?pieces=1000&bytes=50000"))
        for client in (one, two, three):
            assert client.answer().status == 200
        server.stop(signal.SIGINT)


def test_access_line(start):
    """The line is logged at the end, with all bytes sent, even if the request was released."""
    server = start("--log")
    with server.client() as client:
        client.send(get("/stream?pieces=20"))
        size = 0
        while b"\r\n0\r\n\r\n" not in client.buffer:
            client.fill()
        size = len(client.buffer)
        client.take(size)
        client.send(get("/events", "1.1", "X-Request-Id: abc"))
        client.answer()
        server.client().get("/publish?text=12345")
        assert client.chunk() == b"12345"
        client.socket.shutdown(socket.SHUT_RDWR)
        server.wait_for(lambda stats: stats["streams_stopped"])
    log = server.stop()
    assert f"path=/stream route=/stream status=200 bytes={size} " in log
    line = re.search(r".*path=/events .*", log).group()
    assert "route=/events" in line and "status=200" in line
    assert "request_id=abc" in line and "account=ada" in line and "remote=127.0.0.1" in line
