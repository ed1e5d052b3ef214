"""GET /d/{deviceId}/ws: messages to panels, and their order."""

import io
import resource
import signal

import pytest
from conftest import Device, colour_of, gif, only, png, wait_until
from panel import IMMEDIATE, Crowd, Panel, Refused
from PIL import Image
from server import Server

RED, LIME, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


@pytest.fixture
def rotation(device):
    """A device with three entries: a red, b lime, c blue."""
    for name, colour in (("a", "red"), ("b", "lime"), ("c", "blue")):
        device.push(png(colour), installationId=name, background=True)
    return device


def read_colour(panel, **options):
    return colour_of(panel.read_picture(**options)[1])


def begin(panel, brightness=60):
    """Reads the first picture and displays it. Returns its colour."""
    colour = read_colour(panel, brightness=brightness)
    panel.show()
    return colour


def test_handshake_is_short_and_plain(device):
    with device.connect(headers={
            "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits",
            "Sec-WebSocket-Protocol": "chat", "X-Request-Id": "r" * 64}) as panel:
        assert len(panel.head) < 1024
        assert "Extensions" not in panel.head and "Protocol:" not in panel.head
        assert "upgrade: websocket" in panel.head.lower()


def test_without_a_handshake_the_key_counts_first(server, device):
    """426 reveals that the device exists, so only its own key gets it (RFC 6455 4.4)."""
    answer = server.get(device.path("ws"))
    assert answer.status == 426
    assert answer.headers["Upgrade"] == "websocket"
    assert answer.headers["Connection"] == "Upgrade"
    assert answer.headers["Sec-WebSocket-Version"] == "13"
    answer = server.get(device.path("ws", key="x" * 24))
    assert answer.status == 404 and answer.headers["Content-Type"] == "image/webp"


@pytest.mark.parametrize("what", ["key", "no key", "api key", "device", "disabled"])
def test_refused_with_404_and_a_picture(server, database, device, what):
    path = device.path("ws")
    if what == "key":
        path = device.path("ws", key="x" * 24)
    elif what == "no key":
        path = f"/d/{device.id}/ws"
    elif what == "api key":
        path = device.path("ws", key=device.key)
    elif what == "device":
        path = device.path("ws", device="00:00:00:00:00:01")
    else:
        database.run("UPDATE device SET disabled_at = now() WHERE id = %s", device.id)
    with pytest.raises(Refused) as refused:
        Panel(server.address, path)
    assert refused.value.status == 404
    assert "Content-Type: image/webp" in refused.value.head
    with Image.open(io.BytesIO(refused.value.body)) as image:
        image.load()


def test_first_messages(rotation):
    with rotation.connect() as panel:
        assert panel.read() == {"dwell_secs": 15}
        assert panel.read() == {"brightness": 60}
        assert colour_of(panel.read()) == RED
        # Nothing more is sent until it is displayed: the next message is caused by a push.
        rotation.push(png("white"), duration=5)
        assert panel.read() == {"dwell_secs": 5}
        assert colour_of(panel.read()) == WHITE
        assert panel.read() == IMMEDIATE


def test_nothing_to_show(device):
    with device.connect() as panel:
        dwell, picture = panel.read_picture(brightness=60)
        assert dwell == 15
        colour_of(picture)
        panel.show()
        # The first entry is shown at once, even if pushed in the background.
        device.push(png("red"), installationId="a", background=True)
        assert read_colour(panel, hurried=True) == RED


def test_rotation_advances_on_displaying(rotation):
    with rotation.connect() as panel:
        got = [begin(panel)]
        for _ in range(6):
            # The next picture is queued as soon as this one is displayed.
            got.append(read_colour(panel))
            panel.show()
        assert got == [RED, LIME, BLUE, RED, LIME, BLUE, RED]


def test_rotation_does_not_advance_on_send(rotation):
    """The picture is sent and queued, but the panel leaves before it displays it."""
    with rotation.connect() as panel:
        assert begin(panel) == RED
        assert read_colour(panel) == LIME
    with rotation.connect() as panel:
        assert read_colour(panel, brightness=60) == LIME


def test_rotation_goes_on_at_another_worker(pair, rotation):
    got = []
    for i in range(12):
        with only(pair, i % 2), rotation.connect(server=pair) as panel:
            got.append(begin(panel))
            read_colour(panel)  # "displaying" has arrived
    assert got == [RED, LIME, BLUE] * 4


def test_push_in_order_and_back_to_the_rotation(rotation):
    with rotation.connect() as panel:
        assert begin(panel) == RED
        assert read_colour(panel) == LIME
        rotation.push(png("white"))
        dwell, picture = panel.read_picture(hurried=True)
        assert (dwell, colour_of(picture)) == (5, WHITE)
        panel.show()
        # The queued picture is sent again, since the push replaced it in the panel.
        assert read_colour(panel) == LIME
        panel.show()
        assert read_colour(panel) == BLUE


@pytest.mark.parametrize("duration", [5, 10, 15, 30, 35, 40, 45])
def test_durations(rotation, duration):
    with rotation.connect() as panel:
        begin(panel)
        read_colour(panel)
        rotation.push(png("white"), duration=duration)
        assert panel.read_picture(hurried=True)[0] == duration


def test_newer_push_replaces_at_once(rotation):
    with rotation.connect() as panel:
        begin(panel)
        read_colour(panel)
        for colour in ("white", "#010203", "#040506"):
            rotation.push(png(colour), duration=45)
            panel.read_picture(hurried=True)
            panel.show()
        rotation.push(png("#070809"), duration=5)
        assert read_colour(panel, hurried=True) == (7, 8, 9)
        panel.show()
        assert read_colour(panel) == LIME


def test_pushed_entry_is_shown_and_stays(rotation):
    with rotation.connect() as panel:
        assert begin(panel) == RED
        assert read_colour(panel) == LIME
        rotation.push(png("white"), installationId="d")
        dwell, picture = panel.read_picture(hurried=True)
        assert (dwell, colour_of(picture)) == (15, WHITE)
        panel.show()
        # When its time has almost passed.
        got = [read_colour(panel)]
        for _ in range(3):
            panel.show()
            got.append(read_colour(panel))
        assert got == [LIME, BLUE, WHITE, RED]


def test_background_does_not_interrupt(rotation):
    with rotation.connect() as panel:
        assert begin(panel) == RED
        assert read_colour(panel) == LIME
        rotation.push(png("white"), installationId="b", background=True)
        # Only the queued picture is replaced.
        assert read_colour(panel) == WHITE
        rotation.push(png("#010203"), installationId="a", background=True)
        rotation.change(brightness=61)
        assert panel.read() == {"brightness": 61}  # so the worker knows both
        panel.show()
        assert read_colour(panel) == BLUE
        panel.show()
        assert read_colour(panel) == (1, 2, 3)


def test_deleted_while_displayed(rotation):
    with rotation.connect() as panel:
        assert begin(panel) == RED
        assert read_colour(panel) == LIME
        rotation.delete("b")
        assert read_colour(panel) == BLUE
        rotation.delete("a")
        assert read_colour(panel, hurried=True) == BLUE
        panel.show()
        rotation.delete("c")
        dwell, _ = panel.read_picture(hurried=True)
        assert dwell == 15


def test_deleted_while_it_is_a_push(rotation):
    with rotation.connect() as panel:
        begin(panel)
        read_colour(panel)
        rotation.push(png("white"), installationId="d")
        assert read_colour(panel, hurried=True) == WHITE
        panel.show()
        rotation.delete("d")
        assert read_colour(panel, hurried=True) == LIME


def test_single_entry_is_sent_once(device):
    device.push(png("red"), installationId="a", background=True)
    with device.connect() as panel:
        assert begin(panel) == RED
        device.change(brightness=61)
        assert panel.read() == {"brightness": 61}
        device.push(png("white"), duration=5)
        assert read_colour(panel, hurried=True) == WHITE
        panel.show()
        assert read_colour(panel) == RED


def test_brightness_at_once(rotation):
    with rotation.connect() as panel:
        begin(panel)
        read_colour(panel)
        for percent in (0, 1, 100, 50):
            rotation.change(brightness=percent)
            assert panel.read() == {"brightness": percent}


def test_dark_panel_gets_brightness_0_and_nothing_else(rotation):
    rotation.change(sleepEnabled=True, sleepStart="12:00", sleepEnd="12:00")
    with rotation.connect() as panel:
        assert panel.read() == {"brightness": 0}
        rotation.push(png("white"), duration=45)
        rotation.push(png("#010203"), installationId="a", background=True)
        rotation.change(brightness=30)
        # Nothing that happened in the dark was sent; the push is still due.
        rotation.change(sleepEnabled=False)
        assert panel.read() == {"dwell_secs": 45}
        assert panel.read() == {"brightness": 30}
        assert colour_of(panel.read()) == WHITE
        assert panel.read() == IMMEDIATE


def test_reconnect_shows_the_rest_of_a_push(rotation):
    with rotation.connect() as panel:
        begin(panel)
        read_colour(panel)
        rotation.push(png("white"), duration=45)
        read_colour(panel, hurried=True)
        panel.show()
        rotation.change(brightness=70)
        assert panel.read() == {"brightness": 70}  # "displaying" arrived before
    with rotation.connect() as panel:
        dwell, picture = panel.read_picture(brightness=70, hurried=True)
        assert colour_of(picture) == WHITE
        assert dwell <= 45


def test_displayed_push_is_not_shown_again(rotation, database):
    with rotation.connect() as panel:
        begin(panel)
        read_colour(panel)
        rotation.push(png("white"), duration=5)
        read_colour(panel, hurried=True)
        panel.show()
        assert read_colour(panel) == LIME
    written = wait_until(lambda: database.run(
        "SELECT displayed_at > created_at FROM showing WHERE device_id = %s", rotation.id)[0][0],
        "when the push was displayed")
    assert written is True
    wait_until(lambda: database.run(
        "SELECT now() > displayed_at + interval '5 s' FROM showing WHERE device_id = %s",
        rotation.id)[0][0], "the end of the push")
    with rotation.connect() as panel:
        assert read_colour(panel, brightness=60) == LIME


def test_panel_that_never_acknowledges_is_paced(rotation):
    with rotation.connect(acknowledges=False) as panel:
        assert read_colour(panel, brightness=60) == RED
        rotation.push(png("white"), duration=5)
        assert read_colour(panel, hurried=True) == WHITE
        assert read_colour(panel) == LIME
        assert read_colour(panel) == BLUE


def test_panel_that_does_not_say_queued(rotation):
    with rotation.connect(acknowledges=False) as panel:
        assert begin(panel) == RED
        rotation.push(png("white"), duration=5)
        assert read_colour(panel, hurried=True) == WHITE
        panel.show()
        assert read_colour(panel) == LIME


def test_animation_longer_than_its_time_is_ended_by_immediate(device):
    device.push(gif(40, 1000), installationId="a", background=True)  # 40 s
    device.push(png("red"), installationId="b", background=True)
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        panel.show()
        assert read_colour(panel) == RED
        # It gets no turn by itself.
        assert panel.read() == IMMEDIATE
        panel.show()


def test_push_at_one_worker_reaches_the_panel_of_another(pair, rotation):
    with only(pair, 0):
        panel = rotation.connect(server=pair)
    with panel:
        begin(panel)
        read_colour(panel)
        for number in range(40):
            with only(pair, 1 - number % 4 // 3):
                rotation.push(png((number, 1, 1)), server=pair)
            assert read_colour(panel, hurried=True) == (number, 1, 1)
            panel.show()


def test_push_at_one_instance_reaches_the_panel_of_another(server, pair, rotation):
    with rotation.connect(server=pair) as panel:
        begin(panel)
        read_colour(panel)
        for number in range(10):
            rotation.push(png((number, 2, 2)), server=server)
            assert read_colour(panel, hurried=True) == (number, 2, 2)
            panel.show()
        rotation.delete("a")
        rotation.change(brightness=3)
        assert panel.read() == {"brightness": 3}


def test_several_panels_of_a_device_and_the_oldest_goes(rotation):
    panels = [rotation.connect() for _ in range(4)]
    try:
        for panel in panels:
            begin(panel)
            read_colour(panel)
        rotation.push(png("white"), duration=45)
        for panel in panels:
            assert read_colour(panel, hurried=True) == WHITE
            panel.show()
        panels.append(rotation.connect())
        panels[0].read_end()
        dwell, picture = panels[4].read_picture(brightness=60, hurried=True)
        assert colour_of(picture) == WHITE and dwell <= 45
    finally:
        for panel in panels:
            panel.close()


def test_disabled_and_rekeyed_devices_are_dropped_without_close(server, database, make_device):
    for change in ("disabled_at = now()", "link_key_hash = sha256('x')"):
        device = make_device()
        with device.connect() as panel:
            panel.read_picture(brightness=60)
            generation = database.run(f"UPDATE device SET {change}, generation = generation + 1 "
                                      "WHERE id = %s RETURNING generation", device.id)[0][0]
            database.run("SELECT pg_notify('displayd_hint', %s)",
                         f"device:{device.id}:{generation}")
            panel.read_end()
        assert device.poll().status == 404


def test_deleted_device_is_dropped(database, device):
    with device.connect() as panel:
        panel.read_picture(brightness=60)
        database.run("DELETE FROM device WHERE id = %s", device.id)
        database.run("SELECT pg_notify('displayd_hint', %s)", f"device:{device.id}:999")
        panel.read_end()
    assert device.poll().status == 404


def test_no_close_frame_when_the_server_stops(database):
    with Server("--rate-limit", "0", database=database.url) as server:
        device = Device(server, server.ctl)
        panels = [device.connect() for _ in range(4)]
        for panel in panels:
            panel.read_picture(brightness=60)
        server.process.send_signal(signal.SIGTERM)
        for panel in panels:
            panel.read_end()
            panel.close()
        assert server.wait() == 0


def test_last_online_is_written(server, database, device):
    database.run("UPDATE device SET last_online_at = '2020-01-01' WHERE id = %s", device.id)
    device.poll()
    wait_until(lambda: device.get()["lastOnline"] > "2020-01-02", "lastOnline")


def versions(database, *devices):
    """Transaction that last wrote each row."""
    rows = database.run("SELECT id::text, xmin::text, connected_at IS NOT NULL FROM device "
                        "WHERE id = ANY (%s::uuid[])", [device.id for device in devices])
    return {name: (xmin, has_connected) for name, xmin, has_connected in rows}


@pytest.mark.parametrize("how", ["connects", "polls"])
def test_the_first_contact_is_written_before_the_first_picture(database, make_device, how):
    """Only the contact is written then: other news of the panel has its own time, which may come between."""
    other = make_device()

    def is_other_untouched():
        device = make_device()
        before = versions(database, device, other)
        assert (before[device.id][1], before[other.id][1]) == (False, True)
        known.say(client_info={})
        if how == "polls":
            assert device.poll().status == 200
        else:
            with device.connect() as panel:
                panel.read_picture(brightness=60)
        after = versions(database, device, other)
        assert after[device.id][1]
        return after[other.id] == before[other.id]

    with other.connect() as known:
        known.read_picture(brightness=60)
        known.show()
        assert any(is_other_untouched() for _ in range(3))


def nth_colour(number):
    return (number % 250, number // 250, 7)


def is_picture(message, colour):
    return isinstance(message, bytes) and colour_of(message) == colour


def read_up_to(panel, is_wanted):
    """On a slow machine, pictures have ended and the next ones were sent meanwhile."""
    while not is_wanted(message := panel.read()):
        assert message is not None, "the server dropped it"


def test_a_thousand_panels(server, pair, database, device):
    """Each panel gets its own picture, whichever worker has it, and a change for all reaches all."""
    number = 1000
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(files[1], 8192), files[1]))
    account = database.run("SELECT account_id FROM device WHERE id = %s", device.id)[0][0]
    database.run("INSERT INTO device (id, account_id, name, serial, link_key_hash) "
                 "SELECT gen_random_uuid(), %s, 'many', 'many-' || i, "
                 "sha256(('k' || lpad(i::text, 23, '0'))::bytea) FROM generate_series(1, %s) i",
                 account, number)
    with Crowd() as crowd:
        for i in range(1, number + 1):
            crowd.connect(pair.address, f"/d/many-{i}/ws?key=k{i:023}")
        for panel in crowd.panels:
            panel.read_picture(brightness=60)
            panel.show()
        for i in range(number):
            answer = server.post(f"/v1/devices/many-{i + 1}/push", {"image": png(nth_colour(i))},
                                 key=device.key)
            assert answer.status == 200
        for i, panel in enumerate(crowd.panels):
            read_up_to(panel, lambda message: is_picture(message, nth_colour(i)))
            assert panel.read() == IMMEDIATE
        changed = database.run("UPDATE device SET brightness = 5, generation = generation + 1 "
                               "WHERE name = 'many' RETURNING id, generation")
        for device_id, generation in changed:
            database.run("SELECT pg_notify('displayd_hint', %s)",
                         f"device:{device_id}:{generation}")
        for panel in crowd.panels:
            read_up_to(panel, lambda message: message == {"brightness": 5})
