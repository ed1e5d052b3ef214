"""Messages and behaviour of a panel over WebSocket."""

import hashlib

from PIL import Image
import pytest

from harness import Opcode, animation, frames_of, sha256, still


def test_request(server, start):
    start("--url", server.url(path="/d/one/ws?a=1&key=secret&b=2"))
    request = server.take().request
    assert request.path == "/d/one/ws?a=1&b=2"
    assert request.headers["Authorization"] == "Bearer secret"
    assert request.headers["Host"] == f"127.0.0.1:{server.port}"
    assert "Sec-WebSocket-Protocol" not in request.headers
    assert "Sec-WebSocket-Extensions" not in request.headers


def test_key_in_url(server, start):
    start("--url", server.url(), "--key-in-url")
    request = server.take().request
    assert request.path == "/d/one/ws?key=secret"
    assert "Authorization" not in request.headers


def test_key_is_not_logged(server, start):
    panel = start("--url", server.url())
    server.take().accept().picture(still(1, 2, 3))
    panel.wait("displaying")
    assert "secret" not in str(panel.events)


def test_client_info(server, start):
    start("--url", server.url(), "--mac", "24:0A:C4:12:34:56", "--firmware-version", "1.5.0")
    info = server.take().accept().take_text()["client_info"]
    assert info["mac"] == "24:0a:c4:12:34:56"
    assert info["firmware_version"] == "1.5.0"
    assert info["protocol_version"] == 1
    assert info["firmware_type"]


def test_mac_stays_the_same(server, start):
    macs = set()
    for path in ("/d/one/ws?key=a", "/d/one/ws?key=b", "/d/two/ws?key=a"):
        start("--url", server.url(path=path))
        macs.add(server.take().accept().take_text()["client_info"]["mac"])
    assert len(macs) == 2


def test_first_picture_is_queued_and_then_displayed(panel):
    running, connection = panel
    data = still(1, 2, 3)
    connection.picture(data)
    assert connection.take_text() == {"queued": 1}
    assert connection.take_text() == {"displaying": 1}
    binary = running.wait("binary")
    assert (binary["size"], binary["sha256"]) == (len(data), sha256(data))
    displaying = running.wait("displaying")
    assert displaying["sha256"] == sha256(data)
    assert displaying["acknowledged"] == 1
    frame = running.wait("frame")
    assert frame["pixels_sha256"] == hashlib.sha256(bytes([1, 2, 3]) * 64 * 32).hexdigest()


def test_next_picture_comes_on_after_the_dwell(panel):
    running, connection = panel
    connection.send(dwell_secs=1)
    connection.picture(still(1, 2, 3))
    running.wait("displaying", counter=1)
    connection.picture(still(4, 5, 6))
    texts = [connection.take_text() for _ in range(4)]
    assert texts == [{"queued": 1}, {"displaying": 1}, {"queued": 2}, {"displaying": 2}]
    running.wait("displaying", counter=2)
    shown = [event for event in running.events if event["event"] == "displaying"]
    assert shown[1]["monotonic_us"] - shown[0]["monotonic_us"] >= 990_000


def test_dwell_holds_for_the_next_picture(panel):
    running, connection = panel
    connection.picture(still(1, 1, 1))
    assert running.wait("displaying")["dwell_secs"] == 10
    connection.send(dwell_secs=3000)
    connection.picture(still(2, 2, 2))
    running.wait("queued", counter=2)
    connection.send(dwell_secs=7, immediate=True)
    assert running.wait("displaying")["dwell_secs"] == 3000
    connection.picture(still(3, 3, 3))
    connection.send(immediate=True)
    assert running.wait("displaying")["dwell_secs"] == 7


def test_newer_binary_replaces_the_queued_one(panel):
    running, connection = panel
    connection.send(dwell_secs=3600)
    connection.picture(still(1, 1, 1))
    running.wait("displaying", counter=1)
    connection.picture(still(2, 2, 2))
    connection.picture(still(3, 3, 3))
    connection.send(immediate=True)
    texts = [connection.take_text() for _ in range(5)]
    assert texts[2:] == [{"queued": 2}, {"queued": 3}, {"displaying": 3}]
    assert running.wait("displaying")["sha256"] == sha256(still(3, 3, 3))


def test_immediate_shows_the_queued_picture(panel):
    running, connection = panel
    connection.send(dwell_secs=3600)
    connection.picture(still(1, 1, 1))
    running.wait("displaying", counter=1)
    connection.picture(still(2, 2, 2))
    connection.send(immediate=True)
    assert running.wait("immediate")["had_queued"] == 1
    running.wait("displaying", counter=2)


def test_brightness_is_applied_at_once(panel):
    running, connection = panel
    connection.send(brightness=30)
    assert running.wait("brightness")["value"] == 30
    connection.send(brightness=30)
    connection.send(brightness=1000)
    assert running.wait("brightness")["value"] == 100


def test_frames(server, start, tmp_path):
    running = start("--url", server.url(), "--frames", str(tmp_path / "frames"))
    connection = server.take().accept()
    colours = [(250, 0, 0), (0, 250, 0), (0, 0, 250)]
    connection.picture(animation(colours, 20))
    for frame in range(3):
        running.wait("frame", counter=1, frame=frame)
    for frame, image in enumerate(frames_of(tmp_path / "frames")[:3]):
        assert image.size == (64, 32)
        assert image.getcolors() == [(64 * 32, colours[frame])]
    assert not list((tmp_path / "frames").glob(".*.png"))


def test_frame_names(server, start, tmp_path):
    running = start("--url", server.url(), "--frames", str(tmp_path), "--exit-after", "1")
    server.take().accept().picture(still(1, 2, 3))
    frame = running.wait("frame")
    sequence, milliseconds = frame["file"].removesuffix(".png").split("-")
    assert sequence == "000001"
    assert int(milliseconds) <= frame["wall_us"] / 1000
    assert [path.name for path in tmp_path.glob("*")] == [frame["file"]]
    assert running.finish() == 0


def test_brightness_zero_is_dark(server, start, tmp_path):
    running = start("--url", server.url(), "--frames", str(tmp_path))
    connection = server.take().accept()
    connection.picture(still(9, 9, 9))
    running.wait("frame")
    connection.send(brightness=0)
    running.wait("frame")
    connection.send(brightness=5)
    running.wait("frame")
    colours = [image.getpixel((63, 31)) for image in frames_of(tmp_path)]
    assert colours == [(9, 9, 9), (0, 0, 0), (9, 9, 9)]


def test_alpha_is_ignored(server, start, tmp_path):
    running = start("--url", server.url(), "--frames", str(tmp_path))
    from harness import encode

    image = Image.new("RGBA", (64, 32), (10, 20, 30, 0))
    server.take().accept().picture(encode([image], exact=True))
    running.wait("frame")
    assert frames_of(tmp_path)[0].getpixel((0, 0)) == (10, 20, 30)


def test_lossy_pictures_look_as_pillow_shows_them(server, start, tmp_path):
    import io

    image = Image.radial_gradient("L").resize((64, 32)).convert("RGB")
    file = io.BytesIO()
    image.save(file, "WEBP", quality=80)
    running = start("--url", server.url(), "--frames", str(tmp_path))
    server.take().accept().picture(file.getvalue())
    running.wait("frame")
    assert frames_of(tmp_path)[0].tobytes() == Image.open(file).convert("RGB").tobytes()


def test_animation_is_not_cut_at_its_dwell(panel):
    running, connection = panel
    connection.send(dwell_secs=1)
    connection.picture(animation([(i, i, i) for i in range(1, 5)], 400))
    running.wait("displaying", counter=1)
    connection.picture(still(0, 0, 99))
    running.wait("displaying", counter=2)
    frames = [e["frame"] for e in running.events if e["event"] == "frame"]
    assert frames == [0, 1, 2, 3]


def test_no_ack(server, start):
    running = start("--url", server.url(), "--no-ack", "--exit-after", "2")
    connection = server.take().accept()
    connection.picture(still(1, 1, 1))
    assert running.wait("displaying")["acknowledged"] == 0
    connection.picture(still(2, 2, 2))
    connection.send(immediate=True, image_url="ws://other/")
    running.wait("displaying", counter=2)
    assert connection.take_frame() is None
    assert running.finish() == 0


def test_exit_after_sends_its_acknowledgements(server, start, tmp_path):
    running = start("--url", server.url(), "--exit-after", "1", "--frames", str(tmp_path))
    connection = server.take().accept()
    connection.picture(still(1, 1, 1))
    connection.take_text()
    assert connection.take_text() == {"queued": 1}
    assert connection.take_text() == {"displaying": 1}
    assert connection.take_frame() is None  # TCP ends, with no CLOSE frame before
    assert running.finish() == 0
    assert len(frames_of(tmp_path)) == 1


def test_ping_and_pong(server, start):
    running = start("--url", server.url(), "--ping-ms", "20")
    connection = server.take().accept()
    connection.take_text()
    # The library answers each ping; the panel keeps pinging.
    for _ in range(3):
        assert connection.take_frame().opcode == Opcode.PING
    running.wait("pong")
    connection.protocol.send_ping(b"are you there")
    connection.flush()
    while (frame := connection.take_frame()).opcode != Opcode.PONG:
        pass
    assert frame.data == b"are you there"


def test_orders(panel):
    running, connection = panel
    connection.send(ota_url="http://h/ota")
    assert running.wait("order")["url"] == "http://h/ota"
    connection.send(image_url="ws://h/other")
    assert connection.take_text()["client_info"]["image_url"] == "ws://h/other"


def test_reboot(server, start):
    running = start("--url", server.url(), "--reconnect-ms", "0")
    connection = server.take().accept()
    connection.picture(still(1, 1, 1))
    running.wait("displaying", counter=1)
    connection.send(reboot=True)
    again = server.take().accept()
    assert "client_info" in again.take_text()
    again.picture(still(2, 2, 2))
    assert again.take_text() == {"queued": 1}
    assert again.take_text() == {"displaying": 1}


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_addresses(host, start):
    from harness import Server

    try:
        server = Server("127.0.0.1" if host == "localhost" else host)
    except OSError:
        pytest.skip("this machine has no IPv6")
    running = start("--url", server.url(host=host if host == "localhost" else None))
    connection = server.take().accept()
    running.wait("connected")
    assert connection.request.headers["Host"].endswith(f":{server.port}")
    server.close()
