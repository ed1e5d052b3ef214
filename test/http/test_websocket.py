"""WebSockets: RFC 6455 from the outside, with a client library and with raw frames."""

import asyncio
import base64
import hashlib
import os
import struct

import pytest
import websockets

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
KEY = base64.b64encode(b"0123456789abcdef").decode()
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
MASK = b"\x11\x22\x33\x44"

FIELDS = {
    "Host": "a",
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": KEY,
    "Sec-WebSocket-Version": "13",
}


def handshake(target="/ws", method="GET", version="HTTP/1.1", **changes):
    fields = {**FIELDS, **{name.replace("_", "-"): value for name, value in changes.items()}}
    lines = [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join([f"{method} {target} {version}", *lines, "", ""]).encode()


def frame(opcode, payload=b"", fin=1, mask=MASK, rsv=0, length=None):
    length = len(payload) if length is None else length
    first = bytes([fin << 7 | rsv << 4 | opcode])
    bit = 0x80 if mask else 0
    if length < 126:
        header = first + bytes([bit | length])
    elif length < 65536:
        header = first + bytes([bit | 126]) + struct.pack("!H", length)
    else:
        header = first + bytes([bit | 127]) + struct.pack("!Q", length)
    if not mask:
        return header + payload
    return header + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload))


def take_frame(client):
    """(opcode, payload) of one complete, unmasked frame."""
    first, second = client.take(2)
    assert first & 0xF0 == 0x80 and second < 128, (first, second)
    length = second
    if length == 126:
        (length,) = struct.unpack("!H", client.take(2))
        assert length >= 126
    elif length == 127:
        (length,) = struct.unpack("!Q", client.take(8))
        assert length >= 65536
    return first & 0x0F, client.take(length)


def upgrade(client, target="/ws"):
    client.send(handshake(target))
    answer = client.answer()
    assert answer.status == 101
    return answer


def echoes(client, text=b"still here"):
    client.send(frame(TEXT, text))
    assert take_frame(client) == (TEXT, text)


def test_handshake(server):
    with server.client() as client:
        client.send(handshake())
        while b"\r\n\r\n" not in client.buffer:
            assert client.fill()
        assert len(client.buffer) < 1024
        answer = client.answer()
    digest = hashlib.sha1(KEY.encode() + GUID).digest()
    assert answer["Sec-WebSocket-Accept"] == base64.b64encode(digest).decode()
    assert answer["Upgrade"] == "websocket" and answer["Connection"] == "Upgrade"
    assert "Sec-WebSocket-Extensions" not in answer and "Content-Length" not in answer


@pytest.mark.parametrize(
    "changes",
    [
        {"Upgrade": "WebSocket"},
        {"Upgrade": "foo, WEBSOCKET"},
        {"Connection": "keep-alive, Upgrade"},
        {"Sec_WebSocket_Extensions": "permessage-deflate"},
        {"Sec_WebSocket_Protocol": "chat"},
    ],
)
def test_good_handshakes(server, changes):
    with server.client() as client:
        client.send(handshake(**changes))
        answer = client.answer()
        assert answer.status == 101
        assert "Sec-WebSocket-Extensions" not in answer
        assert "Sec-WebSocket-Protocol" not in answer
        echoes(client)


@pytest.mark.parametrize(
    "changes",
    [
        {"Upgrade": None},
        {"Upgrade": "h2c"},
        {"Connection": None},
        {"Connection": "keep-alive"},
        {"Sec_WebSocket_Key": None},
        {"Sec_WebSocket_Key": "x"},
        {"Sec_WebSocket_Key": base64.b64encode(b"0" * 15).decode()},
        {"Sec_WebSocket_Key": base64.b64encode(b"0" * 17).decode()},
        {"Sec_WebSocket_Key": KEY[:-2]},
        {"Sec_WebSocket_Key": f"{KEY[:7]} {KEY[7:8]}\t{KEY[8:-2]}"},
        {"Sec_WebSocket_Key": "*" * 22 + "=="},
        {"Sec_WebSocket_Version": None},
        {"Sec_WebSocket_Version": "8"},
        {"Sec_WebSocket_Version": "013"},
        {"version": "HTTP/1.0"},
    ],
)
def test_bad_handshakes(server, changes):
    with server.client() as client:
        client.send(handshake(**changes))
        assert client.answer().status == 400


def test_handshake_with_a_body(server):
    with server.client() as client:
        client.send(handshake(Content_Length="1") + b"x")
        assert client.answer().status == 400


def test_two_keys(server):
    with server.client() as client:
        client.send(handshake()[:-2] + f"Sec-WebSocket-Key: {KEY}\r\n\r\n".encode())
        assert client.answer().status == 400


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 4095, 4096])
@pytest.mark.parametrize("opcode", [TEXT, BINARY])
def test_echo_of_every_size(server, opcode, size):
    with server.client() as client:
        upgrade(client)
        client.send(frame(opcode, b"x" * size))
        assert take_frame(client) == (opcode, b"x" * size)


@pytest.mark.parametrize("size", [125, 126, 65535, 65536, 460000])
def test_frames_to_the_peer(server, size):
    with server.client() as client:
        upgrade(client)
        client.send(frame(TEXT, b"big %d" % size))
        assert take_frame(client) == (BINARY, (b"0123456789" * 46000)[:size])


def test_split_at_every_byte(unix_server):
    conversation = (
        frame(TEXT, "wörld".encode())
        + frame(PING, b"p")
        + frame(TEXT, b"frag", fin=0)
        + frame(PING)
        + frame(0, b"ment", fin=0)
        + frame(0, b"ed")
        + frame(BINARY, b"\0" * 200)
        + frame(PONG, b"unasked")
        + frame(TEXT)
    )
    expected = [
        (TEXT, "wörld".encode()),
        (PONG, b"p"),
        (PONG, b""),
        (TEXT, b"fragmented"),
        (BINARY, b"\0" * 200),
        (TEXT, b""),
    ]

    def check(client):
        assert sorted(take_frame(client) for _ in expected) == sorted(expected)

    with unix_server.client() as client:
        upgrade(client)
        for offset in range(1, len(conversation)):
            client.send_piece(conversation[:offset])
            client.send_piece(conversation[offset:])
            check(client)
        for byte in conversation:
            client.send_piece(bytes([byte]))
        check(client)
    head = handshake()
    for offset in range(1, len(head + conversation), 3):  # and right after the handshake
        for target in ("/ws", "/ws-late?ms=0"):
            with unix_server.client() as client:
                both = handshake(target) + conversation
                client.send_piece(both[:offset])
                client.send_piece(both[offset:])
                assert client.answer().status == 101
                check(client)


BROKEN = {
    "unmasked": frame(TEXT, b"hello", mask=None),
    "unmasked ping": frame(PING, mask=None),
    "rsv1": frame(TEXT, b"hello", rsv=4),
    "rsv2": frame(TEXT, b"hello", rsv=2),
    "rsv3": frame(TEXT, b"hello", rsv=1),
    "opcode 3": frame(3, b"hello"),
    "opcode 11": frame(11),
    "not UTF-8": frame(TEXT, b"\xff"),
    "surrogate": frame(TEXT, b"\xed\xa0\x80"),
    "UTF-8 cut": frame(TEXT, b"\xc3"),
    "UTF-8 broken over fragments": frame(TEXT, b"\xc3", fin=0) + frame(0, b"x"),
    "too large": frame(TEXT, b"x" * 4097),
    "too large binary": frame(BINARY, b"x" * 4097),
    "too large in fragments": frame(TEXT, b"x" * 4096, fin=0) + frame(0, b"x"),
    "too large by its header": frame(TEXT, b"x", length=1 << 20),
    "length of 63 bits": frame(TEXT, b"x", length=(1 << 63) - 1),
    "length of 64 bits": frame(TEXT, length=1 << 63),
    "length not minimal": b"\x81\xfe\x00\x05" + MASK + b"hello",
    "length not minimal, 64 bits": b"\x81\xff" + struct.pack("!Q", 5) + MASK + b"hello",
    "continuation of nothing": frame(0, b"hello"),
    "text in a message": frame(TEXT, b"a", fin=0) + frame(TEXT, b"b"),
    "ping in fragments": frame(PING, b"a", fin=0),
    "ping too large": b"\x89\xfe" + struct.pack("!H", 126) + MASK + b"x" * 126,
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_protocol_ends_the_connection_without_close(unix_server, name):
    with unix_server.client() as client:
        upgrade(client)
        echoes(client)
        client.send(BROKEN[name])
        rest = client.ended()
        assert rest in (b"", b"<reset>")
    step = 1 if len(BROKEN[name]) < 40 else 997
    for offset in range(1, len(BROKEN[name]), step):
        with unix_server.client() as client:
            upgrade(client)
            client.send_piece(BROKEN[name][:offset])
            client.send_piece(BROKEN[name][offset:])
            assert client.ended() in (b"", b"<reset>")


@pytest.mark.parametrize(
    "payload", [b"", struct.pack("!H", 1000), struct.pack("!H", 4999) + "grüß".encode()]
)
def test_close_is_answered(server, payload):
    with server.client() as client:
        upgrade(client)
        client.send(frame(CLOSE, payload) + frame(TEXT, b"ignored"))
        opcode, answer = take_frame(client)
        assert opcode == CLOSE and answer[:2] == payload[:2]
        assert client.ended() == b""


@pytest.mark.parametrize("payload", [b"\x03", struct.pack("!H", 1000) + b"\xff"])
def test_malformed_close_ends_the_connection(server, payload):
    with server.client() as client:
        upgrade(client)
        client.send(frame(CLOSE, payload))
        assert client.ended() in (b"", bytes([0x80 | CLOSE, 0]))


def test_every_frame_is_a_sign_of_life(start):
    server = start()
    with server.client() as client:
        upgrade(client)
        for opcode in (PING, PONG, BINARY, TEXT):
            client.send(frame(opcode, b"x"))
        client.send(frame(TEXT, b"a", fin=0) + frame(0, b"b"))
        server.wait_for(lambda stats: stats["frames"] == 6)


def test_peer_that_does_not_close_tcp_after_close(start):
    server = start("--linger-ms", "50")
    with server.client() as client:
        upgrade(client)
        client.send(frame(CLOSE))
        server.wait_for(lambda stats: stats["websockets_closed"] == 1)


def test_drop_sends_no_close(server):
    for order in (b"drop", b"batch and drop"):
        with server.client() as client:
            upgrade(client)
            client.send(frame(TEXT, order) + frame(TEXT, b"ignored"))
            assert client.ended() in (b"", b"<reset>")


def test_batch(server):
    with server.client() as client:
        upgrade(client)
        client.send(frame(TEXT, b"batch"))
        frames = [take_frame(client) for _ in range(3)]
    assert frames == [(TEXT, b"one"), (BINARY, b"two"), (TEXT, b"three")]


def test_batch_of_more_than_one_write(server):
    with server.client() as client:
        upgrade(client)
        for _ in range(3):
            client.send(frame(TEXT, b"batch many"))
            for i in range(40):
                assert take_frame(client) == (TEXT, (b"0123456789" * 4)[:i])
                assert take_frame(client) == (BINARY, (b"0123456789" * 200)[:i * 50])


def test_every_end_is_told_once(start):
    server = start()
    ends = [
        lambda client: client.socket.close(),
        lambda client: client.reset(),
        lambda client: client.end(),
        lambda client: client.send(frame(TEXT, b"drop")),
        lambda client: client.send(frame(CLOSE)),
        lambda client: client.send(frame(TEXT, b"x", mask=None)),
        lambda client: client.send(frame(TEXT, b"x")[:3]) or client.socket.close(),
    ]
    clients = []
    for i, end in enumerate(ends):
        client = server.client()
        clients.append(client)
        upgrade(client)
        end(client)
        if i == 4:
            client.ended()
            client.socket.close()
        server.wait_for(lambda stats: stats["websockets_closed"] == i + 1)
    assert server.stats()["websockets"] == 0


def test_client_leaves_before_the_handshake_is_answered(start):
    server = start()
    for leave in (lambda client: client.reset(), lambda client: client.end()):
        before = server.stats()["requests"]
        client = server.client()
        client.send(handshake("/ws-late"))
        server.wait_for(lambda stats: stats["requests"] > before + 1)
        leave(client)
        server.release()
        server.wait_for(lambda stats: stats["connections"] == 1)
        client.socket.close()
    assert server.stats()["websockets"] == 0


def test_server_pings(start):
    server = start("--ping-ms", "20", "--silence-ms", "60000")
    with server.client() as client:
        upgrade(client)
        for _ in range(3):
            opcode, payload = take_frame(client)
            assert (opcode, payload) == (PING, b"")
            client.send(frame(PONG, payload))
        assert server.stats()["websockets"] == 1


def test_silent_peer_is_dropped(start):
    server = start("--ping-ms", "20", "--silence-ms", "1000")
    with server.client() as client:
        upgrade(client)
        rest = client.ended()
        assert rest in (b"\x89\0" * (len(rest) // 2), b"\x89\0" * (len(rest) // 2) + b"<reset>")
        server.wait_for(lambda stats: stats["websockets_closed"] == 1)


def test_peer_that_does_not_read_is_dropped(start):
    server = start("--write-stall-ms", "100")
    with server.client() as client:
        upgrade(client)
        # More than the kernel takes, less than the limit of unsent output. One write, since the server may
        # drop us before a second one.
        client.send(frame(TEXT, b"big 460000") * 12)
        server.wait_for(lambda stats: stats["websockets_closed"] == 1)


def test_too_much_waiting_is_dropped(start):
    server = start()
    with server.client() as client:
        upgrade(client)
        client.send(frame(TEXT, b"big 60000000"))
        server.wait_for(lambda stats: stats["websockets_closed"] == 1)


def test_a_picture_that_has_to_wait_arrives_whole(start):
    server = start()
    with server.client() as client:
        upgrade(client)
        for _ in range(2):
            client.send(frame(TEXT, b"big 460000"))
        for _ in range(2):
            assert take_frame(client) == (BINARY, b"0123456789" * 46000)


def test_peer_that_floods_pings(start):
    server = start()
    with server.client() as client:
        upgrade(client)
        pings = frame(PING, b"x" * 125) * 1000
        try:
            for _ in range(200):
                client.send(pings)
        except (BrokenPipeError, ConnectionResetError):
            pass
        server.wait_for(lambda stats: stats["websockets_closed"] == 1)


def test_websockets_do_not_hold_up_a_drain(start):
    server = start()
    with server.client() as client:
        upgrade(client)
        echoes(client)
        server.stop()  # its drained callback closes them
        assert client.ended() == b""


def test_close_with_frames_half_read(start):
    server = start()
    clients = [server.client() for _ in range(3)]
    for client in clients:
        upgrade(client)
    clients[0].send(frame(TEXT, b"hello")[:4])
    clients[1].send(frame(TEXT, b"hello", fin=0))
    server.stop(2)
    for client in clients:
        client.socket.close()


def test_with_a_client_library(server):
    async def talk():
        uri = f"ws://127.0.0.1:{server.port}/ws"
        async with websockets.connect(uri) as ws:
            for message in ("hi", "ü" * 2048, b"", os.urandom(4096), "x" * 4096):
                await ws.send(message)
                assert await ws.recv() == message
            await ws.send(["in ", "frag", "ments"])
            assert await ws.recv() == "in fragments"
            await (await ws.ping())
        assert ws.close_code == 1000

    asyncio.run(asyncio.wait_for(talk(), 60))


def test_http_goes_on_beside(server):
    with server.client() as socket, server.client() as client:
        upgrade(socket)
        for i in range(20):
            assert client.get("/hello").status == 200
            echoes(socket, b"%d" % i)


@pytest.mark.parametrize("flood", [
    frame(PING, b"x" * 100), frame(PONG), frame(TEXT, b"{}"), frame(BINARY),
    frame(TEXT, b"a", fin=0) + frame(0, b"b")])
def test_flood_ends_the_connection(server, flood):
    """Any kind of frame counts, even if the answers are read."""
    with server.client() as client:
        upgrade(client)
        client.socket.setblocking(False)
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            while True:
                try:
                    client.send(flood * 100)
                except BlockingIOError:
                    client.socket.setblocking(True)
                    client.fill()
                    client.socket.setblocking(False)


def test_of_those_that_do_not_read_the_greediest_is_dropped(start):
    """The socket of each takes a part; the first one has more unsent output than the second."""
    server = start("--pending-bytes", "940000", unix=True)
    with server.client() as greedy, server.client() as other:
        upgrade(greedy)
        upgrade(other)
        greedy.send(frame(TEXT, b"big 460000") * 2)
        server.wait_for(lambda stats: stats["frames"] == 2)
        assert server.stats()["websockets"] == 2
        other.send(frame(TEXT, b"big 460000"))
        server.wait_for(lambda stats: stats["websockets"] == 1)
        assert take_frame(other) == (BINARY, (b"0123456789" * 46000))
        echoes(other)
        assert len(greedy.ended()) < 2 * 460000


def test_a_sender_hears_when_all_was_taken(unix_server):
    with unix_server.client() as client:
        upgrade(client)
        client.send(frame(TEXT, b"say when drained"))
        client.send_piece(frame(TEXT, b"big 460000"))
        unix_server.stats()  # more than the socket holds is waiting now, since nothing was read
        assert take_frame(client) == (BINARY, (b"0123456789" * 46000))
        while (taken := take_frame(client)) == (PING, b""):
            client.send(frame(PONG, b""))  # on a slow machine it would count as gone
        assert taken == (TEXT, b"drained")
