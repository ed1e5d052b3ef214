"""A panel that polls by HTTP."""

import pytest

from harness import answer, frames_of, sha256, still, take_request


@pytest.fixture
def poll(server, start):
    def start_polling(*arguments):
        return start("--poll", server.url("http", "/d/one/next?key=secret"), *arguments)

    return start_polling


def test_request(server, poll):
    poll()
    lines = take_request(server.take_stream())
    assert lines[0] == "GET /d/one/next HTTP/1.1"
    assert "User-Agent: ESP32 HTTP Client/1.0" in lines
    assert "X-Firmware-Version: 1.6.6" in lines
    assert f"Host: 127.0.0.1:{server.port}" in lines
    assert "Authorization: Bearer secret" in lines
    assert not any(line.lower().startswith("connection") for line in lines)


def test_key_in_url(server, poll):
    poll("--key-in-url")
    lines = take_request(server.take_stream())
    assert lines[0] == "GET /d/one/next?key=secret HTTP/1.1"
    assert not any(line.startswith("Authorization") for line in lines)


def test_next_picture_is_fetched_while_the_current_one_shows(server, poll, tmp_path):
    running = poll("--frames", str(tmp_path), "--exit-after", "2")
    stream = server.take_stream()
    take_request(stream)
    answer(stream, still(1, 1, 1), Tronbyt_Brightness=60, Tronbyt_Dwell_Secs=1)
    assert running.wait("brightness")["value"] == 60
    displaying = running.wait("displaying", counter=1)
    assert displaying["dwell_secs"] == 1
    stream = server.take_stream()  # a connection of its own
    take_request(stream)
    answer(stream, still(2, 2, 2), Tronbyt_Brightness=60, Tronbyt_Dwell_Secs=5)
    running.wait("queued", counter=2)
    assert running.wait("displaying", counter=2)["dwell_secs"] == 5
    assert running.finish() == 0
    assert [i.getpixel((0, 0)) for i in frames_of(tmp_path)] == [(1, 1, 1), (2, 2, 2)]
    # The third is not asked for before the second is on.
    names = [e["event"] for e in running.events if e["event"] in ("request", "displaying")]
    assert names[:4] == ["request", "displaying", "request", "displaying"]


def test_missing_brightness_is_full(server, poll):
    running = poll()
    for brightness in ({"Tronbyt_Brightness": 20}, {}):
        stream = server.take_stream()
        take_request(stream)
        answer(stream, still(1, 1, 1), Tronbyt_Dwell_Secs=1, **brightness)
    assert running.wait("brightness")["value"] == 20
    assert running.wait("brightness")["value"] == 100


@pytest.mark.parametrize("dwell", ["300", "-1", "x", ""])
def test_dwell_that_is_ignored(server, poll, dwell):
    running = poll()
    stream = server.take_stream()
    take_request(stream)
    answer(stream, still(1, 1, 1), Tronbyt_Dwell_Secs=dwell)
    assert running.wait("displaying")["dwell_secs"] == 10


@pytest.mark.parametrize(
    "status, retry_ms",
    [("404 Not Found", 6000), ("400 Bad Request", 6000), ("401 X", 1000), ("503 X", 1000)],
)
def test_failures(server, poll, status, retry_ms):
    running = poll()
    stream = server.take_stream()
    take_request(stream)
    answer(stream, still(1, 1, 1), status=status)
    failed = running.wait("failed")
    assert failed["status"] == int(status.split()[0])
    assert failed["retry_ms"] == retry_ms
    assert "displaying" not in running.names()


def test_tries_again(server, poll):
    running = poll("--reconnect-ms", "0")
    server.take_stream().close()
    assert running.wait("failed")["status"] == 0
    stream = server.take_stream()
    take_request(stream)
    stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
    stream.close()
    assert "complete" in running.wait("failed")["reason"]
    stream = server.take_stream()
    take_request(stream)
    answer(stream, still(1, 1, 1))
    running.wait("displaying", counter=1)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n\r\n",  # a body up to the end of the connection
        b"HTTP/1.0 200 OK\r\nContent-Type: image/webp\r\n\r\n",
    ],
    ids=["1.1", "1.0"],
)
def test_body_without_a_length(server, poll, head):
    running = poll()
    stream = server.take_stream()
    take_request(stream)
    stream.sendall(head + still(1, 1, 1))
    stream.close()
    assert running.wait("response")["sha256"] == sha256(still(1, 1, 1))


def test_chunked_body(server, poll):
    running = poll()
    stream = server.take_stream()
    take_request(stream)
    stream.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for byte in still(1, 1, 1):
        stream.sendall(b"1\r\n" + bytes([byte]) + b"\r\n")
    stream.sendall(b"0\r\n\r\n")
    assert running.wait("response")["sha256"] == sha256(still(1, 1, 1))


@pytest.mark.parametrize(
    "data, word",
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + bytes(1_000_000), "460,000"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + bytes(1_000_000), "460,000"),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 100_000, "16 KiB"),
        (b"\x00" * 1000, ""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", ""),
        (b"HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", "101"),
        (b"HTTP/1.1 302 X\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", "302"),
    ],
    ids=range(7),
)
def test_hostile_answers(server, poll, data, word):
    running = poll("--reconnect-ms", "0")
    stream = server.take_stream()
    take_request(stream)
    try:
        stream.sendall(data)
    except ConnectionError:
        pass
    assert word in running.wait("failed")["reason"]
    stream.close()
    stream = server.take_stream()
    take_request(stream)
    answer(stream, still(1, 1, 1))
    running.wait("displaying", counter=1)


def test_broken_pictures_do_not_stop_it(server, poll):
    running = poll()
    for counter in range(1, 4):
        stream = server.take_stream()
        take_request(stream)
        answer(stream, b"garbage", Tronbyt_Dwell_Secs=1)
        running.wait("decode_failed", counter=counter)


def test_bytes_behind_the_answer_are_not_read(server, poll):
    running = poll()
    stream = server.take_stream()
    take_request(stream)
    body = still(1, 1, 1)
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    stream.sendall(head + body + b"no answer at all\r\n\r\n")
    assert running.wait("response")["sha256"] == sha256(body)
