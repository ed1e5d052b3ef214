"""When a panel comes back."""

import http
import struct

import pytest

from harness import Opcode, sha256, still


def test_waits_as_the_firmware(server, start):
    running = start("--url", server.url())
    server.take().accept().drop()
    assert running.wait("closed")["retry_ms"] == 10_000


def test_waits_6_s_after_404(server, start):
    running = start("--url", server.url())
    connection = server.take()
    connection.protocol.send_response(connection.protocol.reject(http.HTTPStatus.NOT_FOUND, "unknown device"))
    connection.flush()
    closed = running.wait("closed")
    assert (closed["status"], closed["retry_ms"]) == (404, 6_000)


@pytest.mark.parametrize("code", [1000, 1001, None])
def test_stays_away_after_a_close_frame(server, start, code):
    running = start("--url", server.url())
    connection = server.take().accept()
    if code is None:
        connection.stream.sendall(b"\x88\x00")
    else:
        connection.stream.sendall(b"\x88\x02" + struct.pack("!H", code))
    closed = running.wait("closed")
    assert closed["retry_ms"] == 300_000
    assert "CLOSE" in closed["reason"]
    assert closed["close_code"] == (code or 0)


def test_keeps_its_pictures_over_a_lost_connection(server, start):
    running = start("--url", server.url(), "--reconnect-ms", "0")
    connection = server.take().accept()
    connection.send(dwell_secs=2)
    connection.picture(still(1, 1, 1))
    running.wait("displaying", counter=1)
    connection.picture(still(2, 2, 2))
    running.wait("queued", counter=2)
    connection.drop()
    again = server.take().accept()
    assert "client_info" in again.take_text()
    assert running.wait("displaying", counter=2)["sha256"] == sha256(still(2, 2, 2))
    again.picture(still(3, 3, 3))
    texts = [again.take_text() for _ in range(2)]
    assert {"queued": 3} in texts


def test_nobody_listens(server, start):
    server.close()
    running = start("--url", server.url(), "--reconnect-ms", "0")
    for _ in range(3):
        assert "refused" in running.wait("closed")["reason"]


def test_unknown_host(start):
    running = start("--url", "ws://no-such-host.invalid/", "--reconnect-ms", "0")
    assert "host not found" in running.wait("closed")["reason"]


def test_no_pong(server, start):
    running = start(
        "--url", server.url(), "--ping-ms", "10", "--pong-timeout-ms", "200", "--reconnect-ms", "0"
    )
    connection = server.take()
    connection.accept()
    # Nobody reads this connection, so nobody answers the pings.
    assert "pong" in running.wait("closed")["reason"]
    again = server.take().accept()
    again.take_text()
    for _ in range(50):  # well beyond 200 ms: pongs keep it up
        assert again.take_frame().opcode == Opcode.PING
    assert running.wait("connected")


def test_picture_that_was_not_complete_is_forgotten(server, start):
    running = start("--url", server.url(), "--reconnect-ms", "0")
    connection = server.take().accept()
    connection.stream.sendall(b"\x82\x7e\x01\x00" + bytes(100))
    connection.drop()
    again = server.take().accept()
    again.picture(still(1, 1, 1))
    assert running.wait("binary")["sha256"] == sha256(still(1, 1, 1))
