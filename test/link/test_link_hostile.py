"""Clients that only pretend to be panels."""

import itertools
import json
import os
import random
import socket

import images
import pytest
from conftest import Device, colour_of, noise, only, png, wait_until
from panel import BINARY, IMMEDIATE, PING, PONG, TEXT, Panel, frame

RED, LIME, WHITE = (255, 0, 0), (0, 255, 0), (255, 255, 255)


@pytest.fixture
def rotation(device):
    for name, colour in (("a", "red"), ("b", "lime")):
        device.push(png(colour), installationId=name, background=True)
    return device


def begin(panel):
    panel.read_picture(brightness=60)
    panel.show()
    panel.read_picture()


def assert_alive(server, device, panel):
    """Checks that the panel, and others, still get pushes."""
    device.push(png("white"), duration=5)
    while panel.read() != {"immediate": True}:
        pass
    with device.connect() as other:
        _, picture = other.read_picture(brightness=60, hurried=True)
        assert colour_of(picture) == WHITE
    assert server.process.poll() is None


MESSAGES = [
    "", "{}", "[]", "null", "0", "true", '"displaying"', "{", '{"displaying"', "\x00", "{'a':1}",
    '{"displaying":"1"}', '{"displaying":null}', '{"displaying":[1]}', '{"displaying":{}}',
    '{"displaying":-1}', '{"displaying":1.5}', '{"displaying":1e308}', '{"displaying":-1e308}',
    '{"displaying":9223372036854775807}', '{"displaying":9223372036854775808}',
    '{"displaying":18446744073709551616}', '{"displaying":-9223372036854775808}',
    '{"displaying":2147483647}', '{"displaying":2147483648}', '{"queued":2147483647}',
    '{"queued":-1}', '{"queued":1e308}', '{"queued":9223372036854775807}', '{"queued":0}',
    '{"queued":1,"displaying":1}', '{"queued":NaN}', '{"queued":Infinity}',
    '{"displaying":1,"displaying":2}', '{"client_info":1}', '{"client_info":[]}',
    '{"client_info":{}}', '{"client_info":{"mac":1,"firmware_version":[],"firmware_type":{}}}',
    '{"client_info":{"mac":"\\u0000\\ud800 level=error msg=forged","firmware_version":"\\n\\r"}}',
    '{"reboot":true}', '{"brightness":0}', '{"dwell_secs":1}', '{"immediate":true}',
    "[" * 2000, '{"a":' * 600, "[" * 2000 + "]" * 2000, '{"displaying":' + "1" * 4000 + "}",
    "\ufeff{}", json.dumps({"x" * 1000: "y" * 3000}),
]


def noisy_webp(seed):
    """A picture of about 120 KB, which is delivered unchanged."""
    pictures = [images.noise(100 * seed + number) for number in range(20)]
    return images.text(images.animation("WEBP", pictures))


def test_a_panel_that_does_not_read_gets_the_newest(device):
    """Pushes do not queue up meanwhile, and the panel stays connected."""
    pushes = 25 * [noisy_webp(0), noisy_webp(1)]
    with device.connect(receive_buffer=256 * 1024) as panel:
        panel.read_picture(brightness=60)
        for image in pushes:
            device.push(image, duration=45)
        device.push(png("white"), duration=45)
        pictures = []
        while not pictures or len(pictures[-1]) > 10_000:
            frame_read = panel.read_frame()
            assert frame_read, "the panel was dropped"
            opcode, data = frame_read
            pictures += [data] if opcode == BINARY else []
        assert colour_of(pictures[-1]) == WHITE
        # The rest fits into the buffers of both ends.
        assert len(pictures) < len(pushes) / 2


def test_messages_without_sense(server, rotation):
    with rotation.connect() as panel:
        begin(panel)
        for message in MESSAGES:
            panel.send(frame(TEXT, message.encode("utf-8", "surrogatepass")))
        for size in (0, 1, 1000, 4096):
            panel.send(frame(BINARY, b"\xff" * size))
        assert_alive(server, rotation, panel)


def test_forged_log_lines(server, rotation):
    with rotation.connect() as panel:
        begin(panel)
        panel.say(client_info={"mac": "x\nts=1 level=error msg=forged", "firmware_version": "1\r\n"})
        panel.say(client_info={"mac": "second"})
        wait_until(lambda: any(rotation.id in line and "panel identified itself" in line
                               for line in server.log().splitlines()), "the log line")
        assert_alive(server, rotation, panel)
    assert not any(line.startswith("ts=1 ") for line in server.log().splitlines())
    assert "mac=second" not in server.log()  # once for each connection


def test_every_order_of_acknowledgements(server, rotation):
    with rotation.connect(acknowledges=False) as panel:
        panel.read_picture(brightness=60)
        for words in itertools.product(("queued", "displaying"), (0, 1, 99, 2**31 - 1), repeat=2):
            panel.say(**{words[0]: words[1]})
            panel.say(**{words[2]: words[3]})
        assert_alive(server, rotation, panel)


def test_random_acknowledgements(server, rotation):
    generator = random.Random(1)
    with rotation.connect(acknowledges=False) as panel:
        for _ in range(1500):
            panel.say(**{generator.choice(["queued", "displaying"]): generator.randrange(0, 50)})
        assert_alive(server, rotation, panel)


@pytest.mark.parametrize("data", [
    frame(TEXT, b"x" * 4097), frame(TEXT, b"x" * 100000), frame(BINARY, b"x" * 100000),
    frame(TEXT, b"\xff\xfe"), frame(3, b""), frame(11, b""), b"\x81\x02ab", frame(PING, b"x" * 126),
    frame(0, b"x"), b"\xc1\x80\1\2\3\4", b"\x81\xff" + b"\xff" * 8 + b"\1\2\3\4", b"GET / HTTP/1.1\r\n",
    frame(TEXT, b"{}", fin=False) + frame(TEXT, b"{}"),
])
def test_broken_frames_end_the_connection_without_close(server, rotation, data):
    with rotation.connect() as panel:
        begin(panel)
        panel.send(data)
        panel.read_end()
    with rotation.connect() as panel:
        begin(panel)
        assert_alive(server, rotation, panel)


def test_flood_ends_the_connection(server, rotation):
    with rotation.connect() as panel:
        begin(panel)
        flood = frame(TEXT, b'{"displaying":1}') * 500
        try:
            for _ in range(100):
                panel.send(flood)
            panel.read_end()
        except (ConnectionResetError, BrokenPipeError):
            pass
    with rotation.connect() as panel:
        begin(panel)
        assert_alive(server, rotation, panel)


PINGS = 2000


def answered_pings(device, server):
    """Number of answers on one connection, which is closed afterwards."""
    with device.connect(server=server) as panel:
        try:
            panel.send(frame(PING, b"x") * PINGS)
            count = 0
            while count < PINGS and (got := panel.read_frame()) is not None:
                count += got[0] == PONG
        except OSError:
            pass
        return count


def test_frames_count_for_the_device_over_its_connections(pair):
    """Frames count across workers, too, so another connection gains nothing."""
    device = Device(pair, pair.ctl)
    answered = []
    while len(answered) < 6 and answered[-1:] in ([], [PINGS]):
        with only(pair, len(answered) % 2):
            answered.append(answered_pings(device, pair))
    assert answered[-1] < PINGS, answered
    assert len(answered) >= 3
    # Another device has its own count.
    assert answered_pings(Device(pair, pair.ctl), pair) == PINGS


def test_flood_of_pings_does_not_stop_the_others(server, make_device):
    noisy, other = make_device(), make_device()
    with noisy.connect() as panel, other.connect() as quiet:
        quiet.read_picture(brightness=60)
        panel.socket.settimeout(0.05)
        try:
            for _ in range(200):
                panel.send(frame(PING, b"x" * 100) * 100)
        except OSError:
            pass
        other.push(png("white"))
        _, picture = quiet.read_picture(hurried=True)
        assert colour_of(picture) == WHITE


def test_panel_that_does_not_read(server, make_device):
    """Its unsent output is bounded; it is dropped, and others are not affected."""
    slow, other = make_device(), make_device()
    panel = slow.connect(receive_buffer=4096)
    with other.connect() as quiet:
        quiet.read_picture(brightness=60)
        images = [noise(i) for i in range(8)]
        for number in range(1000):
            slow.push(images[number % 8], duration=5)
            if number % 100 == 0:
                other.push(png((number // 100, 1, 1)))
                # After its time, a pushed picture is sent once more, in its turn.
                while colour_of(quiet.read_picture()[1]) != (number // 100, 1, 1):
                    pass
                assert quiet.read() == IMMEDIATE
    got = 0
    try:
        while chunk := panel.socket.recv(65536):
            got += len(chunk)
            if got > 100_000_000:
                break
    except ConnectionResetError:
        pass
    # 6 MB were pushed: the server kept only what the buffers of both sides hold.
    assert got < 5_500_000
    panel.close()


def test_client_that_leaves_in_the_middle(server, make_device):
    device = make_device()
    request = (f"GET {device.path('ws')} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
               "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode()
    poll = f"GET {device.path('next')} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
    for data in (request, poll):
        for length in range(1, len(data) + 1, 7):
            for linger in (None, b"\1\0\0\0\0\0\0\0"):
                with socket.create_connection(server.address) as connection:
                    if linger:
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    connection.sendall(data[:length])
    with device.connect() as panel:
        panel.read_picture(brightness=60)


def test_frames_sent_along_with_the_handshake(server, device):
    """The frames are sent before the answer arrives."""
    request = (f"GET {device.path('ws')} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
               "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode()
    for extra in (frame(TEXT, b'{"client_info":{"mac":"aa"}}'), frame(TEXT, b"{}")[:3],
                  os.urandom(64), frame(8, b"")):
        with socket.create_connection(server.address) as connection:
            connection.sendall(request + extra)
            connection.settimeout(60)
            assert connection.recv(12) == b"HTTP/1.1 101"


def test_requests_that_are_no_handshake(server, device):
    for headers in ({}, {"Upgrade": "websocket"}, {"Connection": "upgrade"},
                    {"Upgrade": "websocket", "Connection": "Upgrade"}):
        answer = server.get(device.path("ws"), headers=headers)
        assert 400 <= answer.status < 500 and answer.status not in (401, 403)
    assert server.request("HEAD", device.path("ws")).status < 500
    with pytest.raises(Exception):
        Panel(server.address, device.path("ws"), headers={"Sec-WebSocket-Version": "12"})
