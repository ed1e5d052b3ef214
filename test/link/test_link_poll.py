"""GET /d/{deviceId}/next."""

import io

import pytest
from conftest import colour_of, only, png, wait_until
from PIL import Image

def names(answer):
    return [name for name, _ in answer.headers.items()]


def assert_refused(answer):
    assert answer.status == 404
    assert answer.headers["Content-Type"] == "image/webp"
    assert int(answer.headers["Content-Length"]) == len(answer.body) < 1000
    with Image.open(io.BytesIO(answer.body)) as image:
        assert image.size == (64, 32)
        image.load()


def test_answer_is_what_firmware_looks_for(device):
    device.push(png("red"), installationId="one", background=True)
    answer = device.poll(headers={"User-Agent": "ESP32 HTTP Client/1.0",
                                  "X-Firmware-Version": "1.5.0"})
    assert answer.status == 200
    for name in ("Content-Type", "Content-Length", "Tronbyt-Brightness", "Tronbyt-Dwell-Secs"):
        assert names(answer).count(name) == 1, "in exactly this case"
    assert answer.headers["Content-Type"] == "image/webp"
    assert answer.headers["Tronbyt-Brightness"] == "60"
    assert answer.headers["Tronbyt-Dwell-Secs"] == "15"
    assert answer.headers["Content-Length"] == str(len(answer.body))
    assert colour_of(answer.body) == (255, 0, 0)


def test_nothing_to_show(device):
    answer = device.poll()
    assert answer.status == 200
    assert answer.headers["Tronbyt-Brightness"] == "60"
    assert 1 <= int(answer.headers["Tronbyt-Dwell-Secs"]) <= 299
    colour_of(answer.body)


@pytest.mark.parametrize("form", ["id", "upper", "serial", "colons", "dashes", "bare", "mixed",
                                  "encoded"])
def test_forms_of_the_device(server, make_device, form):
    number = {"id": 0, "upper": 1, "serial": 2, "colons": 3, "dashes": 4, "bare": 5, "mixed": 6,
              "encoded": 7}[form]
    mac = f"a0:b1:c2:d3:e4:f{number}"
    device = make_device(serial=f"Serial-{number}", mac=mac)
    name = {"id": device.id, "upper": device.id.upper(), "serial": f"Serial-{number}",
            "colons": mac, "dashes": mac.replace(":", "-"), "bare": mac.replace(":", ""),
            "mixed": mac.upper(), "encoded": mac.replace(":", "%3A")}[form]
    for _ in range(3):
        assert server.get(device.path("next", device=name)).status == 200
    assert_refused(server.get(device.path("next", device=name, key="x" * 24)))


def test_key_as_bearer_or_in_the_query(server, device):
    path = f"/d/{device.id}/next"
    assert server.get(path, key=device.link_key).status == 200
    assert server.get(path, headers={"authorization": f"bearer {device.link_key}"}).status == 200
    assert server.get(f"{path}?a=b&key={device.link_key}&c=d").status == 200
    assert server.get(f"{path}?key={device.link_key}", key="nonsense").status == 200


def test_what_is_not_known_is_404_with_a_picture(server, device, make_device):
    other = make_device()
    path = f"/d/{device.id}/next"
    key = device.link_key
    wrong = "A" + key[1:] if key[0] != "A" else "B" + key[1:]
    for bad in (path, f"{path}?key=", f"{path}?key={wrong}", f"{path}?key={key}x",
                f"{path}?key={key[:-1]}", f"{path}?key={device.key}",
                f"{path}?key={other.link_key}", f"/d/{other.id}/next?key={key}",
                f"/d/0190163d-8694-739b-aea5-966c26f8ad91/next?key={key}",
                f"/d/ff:ff:ff:ff:ff:ff/next?key={key}", f"/d/no-such-serial/next?key={key}",
                f"/d/%20/next?key={key}", f"{path}?key=" + "k" * 5000):
        assert_refused(server.get(bad))
    for authorization in ("Basic abc", "Bearer", "Bearer ", f"Bearer {wrong}", f"Bearer {device.key}",
                          f"Token {key}"):
        assert_refused(server.get(path, headers={"Authorization": authorization}))


def test_device_key_opens_nothing_else(server, device):
    for path in ("/v1/account/", "/v1/devices", f"/v1/devices/{device.id}"):
        assert server.get(path, key=device.link_key).status == 401
        assert server.get(f"{path}?key={device.link_key}").status == 401


def test_disabled_device(pair, database, device):
    for _ in range(12):
        assert device.poll(server=pair).status == 200
    generation = database.run("UPDATE device SET disabled_at = now(), generation = generation + 1 "
                              "WHERE id = %s RETURNING generation", device.id)[0][0]
    database.run("SELECT pg_notify('displayd_hint', %s)", f"device:{device.id}:{generation}")
    # Each worker learns it by itself.
    wait_until(lambda: all(device.poll(server=pair).status == 404 for _ in range(12)),
               "a disabled device")
    assert_refused(device.poll(server=pair))


def test_head_changes_nothing(device):
    for name, colour in (("a", "red"), ("b", "lime"), ("c", "blue")):
        device.push(png(colour), installationId=name, background=True)
    seen = []
    for _ in range(6):
        for _ in range(4):  # less than a full round
            head = device.poll("HEAD")
            assert head.status == 200 and head.body == b""
            assert head.headers["Tronbyt-Brightness"] == "60"
        answer = device.poll()
        assert head.headers["Content-Length"] == answer.headers["Content-Length"]
        seen.append(colour_of(answer.body))
    assert seen == [(255, 0, 0), (0, 255, 0), (0, 0, 255)] * 2


BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
VISITORS = [
    {"User-Agent": BROWSER, "Accept": "text/html,application/xhtml+xml,*/*;q=0.8"},
    {"User-Agent": BROWSER, "Accept": "image/avif,image/webp,*/*", "Referer": "http://home.example/"},
    {"User-Agent": "x", "Sec-Fetch-Mode": "no-cors"}, {"User-Agent": "x", "Accept-Language": "de"},
    {"User-Agent": "Uptime-Kuma/1.23.16", "Accept": "*/*"},
    {"User-Agent": "Blackbox Exporter/0.25.0"}, {"User-Agent": "kube-probe/1.31"},
    {"User-Agent": "check_http/v2.4 (monitoring-plugins 2.4)"}, {"User-Agent": "Zabbix 7.0.3"},
    {"User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"},
    {"User-Agent": "TelegramBot (like TwitterBot)"},
    {"User-Agent": "HomeAssistant/2026.2.1 httpx/0.28.1 Python/3.13"}]
# Home-made panels send the name of their library, or none.
PANELS = [{"User-Agent": "ESP32 HTTP Client/1.0", "X-Firmware-Version": "1.6.6"}, {},
          {"User-Agent": "ESP32 HTTP Client/1.0"}, {"User-Agent": "cpp-httplib/0.20.0", "Accept": "*/*"},
          {"User-Agent": "python-requests/2.32.3", "Accept": "*/*", "Accept-Encoding": "gzip, deflate"},
          {"User-Agent": "curl/8.5.0", "Accept": "*/*"}, {"User-Agent": "Go-http-client/1.1"},
          {"User-Agent": "Adafruit CircuitPython"}, {"User-Agent": "tronberry/1.0"},
          {"User-Agent": BROWSER, "X-Firmware-Version": "1.0"}]


def test_visitors_do_not_turn_the_rotation(device, database):
    """A browser tab or a monitor gets the next picture, but does not count as a panel."""
    database.run("UPDATE device SET last_online_at = last_online_at - interval '1 day' WHERE id = %s", device.id)
    for name, colour in (("a", "red"), ("b", "lime")):
        device.push(png(colour), installationId=name, background=True)
    [(before,)] = database.run("SELECT last_online_at FROM device WHERE id = %s", device.id)
    for headers in VISITORS:
        answer = device.poll(headers=headers)
        assert (answer.status, answer.headers["Content-Type"]) == (200, "image/webp"), headers
        assert colour_of(answer.body) == (255, 0, 0), headers
    assert database.run("SELECT last_online_at FROM device WHERE id = %s", device.id) == [(before,)]
    for headers, wanted in zip(PANELS, [(255, 0, 0), (0, 255, 0)] * len(PANELS)):
        assert colour_of(device.poll(headers=headers).body) == wanted, headers
    wait_until(lambda: database.run("SELECT last_online_at FROM device WHERE id = %s", device.id) > [(before,)],
               "that the panel was seen")


def test_a_visitor_displays_no_push(device):
    """A push that a tab has shown is still sent to the panel."""
    device.push(png("red"), installationId="a", background=True)
    device.push(png("blue"))
    for _ in range(3):
        assert colour_of(device.poll(headers=VISITORS[0]).body) == (0, 0, 255)
    assert [colour_of(device.poll().body) for _ in range(2)] == [(0, 0, 255), (255, 0, 0)]


def test_rotation_is_one_for_all_workers(pair, device):
    """Each poll has a connection of its own and reaches any worker."""
    colours = [(i * 20 + 10, 0, 0) for i in range(7)]
    for i, colour in enumerate(colours):
        device.push(png(colour), installationId=f"e{i}", background=True)
    got = []
    for i in range(70):
        with only(pair, i // 3 % 2):
            got.append(colour_of(device.poll(server=pair).body))
    assert got == colours * 10


def test_push_is_next_and_once(device):
    device.push(png("red"), installationId="a", background=True)
    device.push(png("lime"), installationId="b", background=True)
    assert colour_of(device.poll().body) == (255, 0, 0)
    device.push(png("blue"), duration=30)
    answer = device.poll()
    assert colour_of(answer.body) == (0, 0, 255)
    assert answer.headers["Tronbyt-Dwell-Secs"] == "30"
    got = [colour_of(device.poll().body) for _ in range(6)]
    assert got == [(0, 255, 0), (255, 0, 0)] * 3


def test_pushed_entry_is_next_and_stays(device):
    device.change(scheduleInterval=40)
    device.push(png("red"), installationId="a", background=True)
    device.push(png("lime"), installationId="b")
    answer = device.poll()
    assert colour_of(answer.body) == (0, 255, 0)
    assert answer.headers["Tronbyt-Dwell-Secs"] == "40"
    assert [colour_of(device.poll().body) for _ in range(3)] == \
        [(255, 0, 0), (0, 255, 0), (255, 0, 0)]


def test_pushed_entry_that_would_be_next_is_shown_once(device):
    for colour in ("red", "lime"):
        device.push(png(colour), installationId=colour, background=True)
    assert colour_of(device.poll().body) == (255, 0, 0)
    device.push(png("blue"), installationId="lime")
    assert [colour_of(device.poll().body) for _ in range(4)] == \
        [(0, 0, 255), (255, 0, 0)] * 2


def test_only_the_newest_push_is_shown(device):
    for colour in ("red", "lime", "blue"):
        device.push(png(colour))
    assert colour_of(device.poll().body) == (0, 0, 255)
    for _ in range(4):
        assert colour_of(device.poll().body) != (0, 0, 255)


def test_push_that_nobody_fetched_lapses(database, device):
    device.push(png("red"), installationId="a", background=True)
    for interval, age, is_shown in ((15, 50, True), (15, 61, False), (40, 70, True),
                                    (40, 81, False)):
        device.change(scheduleInterval=interval)
        device.push(png("blue"), duration=45)
        # Move the push into the past.
        generation = database.run(
            "WITH old AS (UPDATE showing SET created_at = now() - %s * interval '1 second', "
            "push_generation = push_generation + 1 WHERE device_id = %s) "
            "UPDATE device SET generation = generation + 1 WHERE id = %s RETURNING generation",
            age, device.id, device.id)[0][0]
        database.run("SELECT pg_notify('displayd_hint', %s)", f"device:{device.id}:{generation}")
        # The API's change makes the worker read the changes of the statements above.
        device.change(name=f"Desk {age}")
        expected = (0, 0, 255) if is_shown else (255, 0, 0)
        assert colour_of(device.poll().body) == expected
        assert colour_of(device.poll().body) == (255, 0, 0)


def test_long_interval_is_told_in_parts(device):
    device.change(scheduleInterval=700)
    device.push(png("red"), installationId="a", background=True)
    device.push(png("lime"), installationId="b", background=True)
    for colour in ((255, 0, 0), (0, 255, 0), (255, 0, 0)):
        dwell = 0
        while dwell < 700:
            answer = device.poll()
            assert colour_of(answer.body) == colour
            assert 1 <= int(answer.headers["Tronbyt-Dwell-Secs"]) <= 299
            dwell += int(answer.headers["Tronbyt-Dwell-Secs"])
        assert dwell == 700


def test_dark_device_is_told_so_and_keeps_its_place(device):
    device.push(png("red"), installationId="a", background=True)
    device.push(png("lime"), installationId="b", background=True)
    assert colour_of(device.poll().body) == (255, 0, 0)
    for dark in ({"brightness": 0}, {"brightness": 50, "sleepEnabled": True,
                                     "sleepStart": "10:00", "sleepEnd": "10:00"}):
        device.change(**dark)
        answer = device.poll()
        assert answer.status == 200
        assert answer.headers["Tronbyt-Brightness"] == "0"
        assert 1 <= int(answer.headers["Tronbyt-Dwell-Secs"]) <= 299
        colour_of(answer.body)
    device.change(sleepEnabled=False)
    answer = device.poll()
    assert answer.headers["Tronbyt-Brightness"] == "50"
    assert colour_of(answer.body) == (0, 255, 0)


def test_deleted_entry_is_not_served(device):
    for name, colour in (("a", "red"), ("b", "lime")):
        device.push(png(colour), installationId=name, background=True)
    device.poll()
    device.delete("b")
    assert [colour_of(device.poll().body) for _ in range(3)] == [(255, 0, 0)] * 3
    device.delete("a")
    assert device.poll().status == 200


def test_other_methods(server, device):
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        answer = server.request(method, device.path("next"))
        assert answer.status == 405
        assert "GET" in answer.headers["Allow"]


def test_key_is_in_no_log(server, device):
    device.poll()
    server.get(f"/d/{device.id}/next", key=device.link_key)
    server.get(f"/d/{device.id}/next?key={device.key}")
    log = server.log()
    assert device.id in log
    assert device.link_key not in log and device.key not in log
