"""Servers that send what they must not: the panel says so, and goes on."""

import json
import struct

from PIL import Image
import pytest

from harness import Server, encode, still


def assert_alive(running, connection):
    connection.picture(still(7, 7, 7))
    connection.send(immediate=True)
    event = running.wait("displaying")
    while "frame" != running.next()["event"]:
        pass
    return event


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"R",
        b"no picture at all",
        b"RIFF\xff\xff\xff\xffWEBPVP8L\xff\xff\xff\x7f\x2f",
        b"RIFF" + struct.pack("<I", 22) + b"WEBPVP8X" + struct.pack("<I", 10)
        + b"\x02\0\0\0" + b"\xff\xff\xff" * 2,
        still(1, 1, 1)[:-4],
        encode([Image.new("RGB", (64, 33))]),
        encode([Image.new("RGB", (4096, 4096))]),
        bytes(460_000),
    ],
    ids=["empty", "R", "text", "lengths", "canvas", "short", "64x33", "4096", "zeros"],
)
def test_bad_pictures(panel, data):
    running, connection = panel
    connection.picture(data)
    running.wait("decode_failed", counter=1)
    assert assert_alive(running, connection)["counter"] == 2


def test_bad_picture_leaves_the_old_one_on_screen(server, start, tmp_path):
    running = start("--url", server.url(), "--frames", str(tmp_path))
    connection = server.take().accept()
    connection.picture(still(1, 1, 1))
    running.wait("frame")
    connection.picture(b"garbage")
    connection.send(immediate=True)
    running.wait("decode_failed")
    connection.picture(still(2, 2, 2))
    running.wait("displaying", counter=3)
    assert running.wait("frame")["file"].startswith("000002")


def test_picture_that_is_too_large(panel):
    running, connection = panel
    connection.picture(bytes(460_001))
    assert "460,000" in running.wait("violation")["detail"]
    assert assert_alive(running, connection)["counter"] == 1
    assert "queued" in running.names()


def test_picture_that_is_too_large_in_fragments(panel):
    running, connection = panel
    connection.protocol.send_binary(bytes(200_000), fin=False)
    for _ in range(20):
        connection.protocol.send_continuation(bytes(200_000), fin=False)
        connection.flush()
    connection.protocol.send_continuation(b"", fin=True)
    connection.flush()
    assert "460,000" in running.wait("violation")["detail"]
    assert_alive(running, connection)


def test_picture_in_fragments_with_pings_between(panel):
    running, connection = panel
    data = still(5, 5, 5)
    connection.protocol.send_binary(data[:10], fin=False)
    connection.protocol.send_ping(b"x")
    connection.protocol.send_continuation(data[10:20], fin=False)
    connection.protocol.send_continuation(data[20:], fin=True)
    connection.flush()
    running.wait("frame", counter=1)


def test_picture_byte_by_byte(panel):
    running, connection = panel
    connection.protocol.send_binary(still(5, 5, 5))
    for piece in connection.protocol.data_to_send():
        for i in range(len(piece)):
            connection.stream.sendall(piece[i : i + 1])
    running.wait("frame", counter=1)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"null", b'"immediate"', b"{}{}", b'{"a":' * 1600, b"\x00"],
    ids=range(8),
)
def test_texts_that_are_no_object(panel, text):
    running, connection = panel
    connection.protocol.send_text(text)
    connection.flush()
    assert "JSON" in running.wait("violation")["detail"]
    assert_alive(running, connection)


def test_text_that_is_too_long(panel):
    running, connection = panel
    connection.send(brightness=3, padding="x" * 8192)
    assert "8 KiB" in running.wait("violation")["detail"]
    assert_alive(running, connection)
    assert "brightness" not in running.names()


def test_text_in_fragments(panel):
    running, connection = panel
    connection.protocol.send_text(b'{"bright', fin=False)
    connection.protocol.send_continuation(b'ness":3}', fin=True)
    connection.flush()
    assert "fragmented" in running.wait("violation")["detail"]
    assert_alive(running, connection)
    assert "brightness" not in running.names()


def test_text_in_the_log_is_valid_json(panel):
    running, connection = panel
    text = json.dumps({"x": 'quote " backslash \\ line \n del \x7f é €'}, ensure_ascii=False)
    connection.protocol.send_text(text.encode())
    connection.flush()
    assert running.wait("text")["text"] == text


@pytest.mark.parametrize(
    "frame",
    [
        b"\x83\x00",  # an opcode that is none
        b"\xf2\x01x",  # reserved bits
        b"\x80\x01x",  # a continuation of nothing
        b"\x82\x81\x00\x00\x00\x00x",  # masked
        b"\x89\x7e\x00\x7e" + bytes(126),  # a ping of more than 125 bytes
        b"\x09\x00",  # a ping in fragments
        b"\x82\x7f" + b"\xff" * 8,  # a length of 2^64 - 1
        b"\x81\x02\xff\xff",  # a text that is not UTF-8
        b"\x88\x01\x03",  # a CLOSE with half a code
    ],
    ids=range(9),
)
def test_broken_frames_end_the_connection(server, start, frame):
    running = start("--url", server.url(), "--reconnect-ms", "0")
    connection = server.take().accept()
    connection.take_text()
    connection.stream.sendall(frame)
    connection.take_end()
    assert running.wait("closed")["was_open"] == 1
    again = server.take().accept()
    assert_alive(running, again)


@pytest.mark.parametrize(
    "answer, word",
    [
        (b"garbage\r\n\r\n", ""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200"),
        (b"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", "Accept"),
        (b"HTTP/1.1 101 X\r\n\r\n", ""),
        (b"X" * 100_000, ""),
        (b"HTTP/1.1 404 X\r\n" + b"A: b\r\n" * 10_000, "16 KiB"),
        (b"", "closed"),
    ],
    ids=range(7),
)
def test_answers_that_do_not_upgrade(server, start, answer, word):
    running = start("--url", server.url(), "--reconnect-ms", "0")
    connection = server.take()
    try:
        connection.stream.sendall(answer)
    except ConnectionError:
        pass
    connection.drop()
    assert word in running.wait("closed", was_open=0)["reason"]
    assert_alive(running, server.take().accept())


@pytest.mark.parametrize(
    "field, word",
    [
        ("Sec-WebSocket-Extensions: permessage-deflate", "extension"),
        ("Sec-WebSocket-Protocol: x", "subprotocol"),
        ("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "Accept"),
        ("X-Padding: " + "x" * 1024, "1,024"),
    ],
)
def test_answers_that_firmware_cannot_take(server, start, field, word):
    running = start("--url", server.url(), "--reconnect-ms", "0")
    connection = server.take()
    response = connection.protocol.accept(connection.request)
    name, value = field.split(": ")
    if name in response.headers:
        del response.headers[name]
    response.headers[name] = value
    connection.protocol.send_response(response)
    connection.flush()
    assert word in running.wait("closed", was_open=0)["reason"]


def test_answer_and_first_picture_in_one_piece(server, start):
    running = start("--url", server.url())
    connection = server.take()
    connection.protocol.send_response(connection.protocol.accept(connection.request))
    connection.protocol.send_text(b'{"dwell_secs":42}')
    connection.protocol.send_binary(still(3, 3, 3))
    connection.stream.sendall(b"".join(connection.protocol.data_to_send()))
    assert running.wait("displaying")["dwell_secs"] == 42


def test_answer_byte_by_byte(server, start):
    running = start("--url", server.url())
    connection = server.take()
    connection.protocol.send_response(connection.protocol.accept(connection.request))
    for byte in b"".join(connection.protocol.data_to_send()):
        connection.stream.sendall(bytes([byte]))
    running.wait("connected")
    assert "client_info" in connection.take_text()


def test_server_that_takes_nothing(start):
    """A peer that never reads must not stop the panel from being ended."""
    server = Server()
    running = start("--url", server.url(), "--ping-ms", "1")
    connection = server.take().accept()
    running.wait("connected")
    for i in range(200):
        connection.picture(still(i, i, i))
    running.wait("queued", counter=200)
    assert running.stop() == 0
    server.close()
