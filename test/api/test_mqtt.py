"""Panels on an MQTT broker, through which Home Assistant finds them."""

import contextlib
import json
import socket
import threading

import pytest
from broker import Broker
from mqtt_stage import (base, config_of, connect, connected_account, marked, one_broker, server_that_reaches, state,
                        wait_for_state)
from panel import Panel
from served_metrics import value_of
from waiting import wait_until
from world import SECRETS, World, images

__all__ = ["connected_account", "one_broker", "server_that_reaches"]  # fixtures


def test_panels_that_come_while_it_is_connected_are_online(served, broker, account):
    """The event of a new panel may arrive before the list that contains its device."""
    assert connect(account, broker).ok()
    wait_for_state(account, "connected")
    with broker.listen() as heard, contextlib.ExitStack() as stack:
        made = [served.server.ctl("device", "create", "--account", account.email, "--name", name) for name in "abc"]
        for one in made:
            target = "/d/" + one["websocketUrl"].split("/d/", 1)[1]
            SECRETS.add(target.rpartition("key=")[2])
            stack.enter_context(Panel(served.server, None, target))
        for one in made:
            heard.wait_for(f"{base(account)}/{one['id']}/availability", b"online")


def test_metrics_know_a_connection_as_soon_as_its_account_does(start, broker):
    world = start("--rate-limit", "0", "--egress-allow", "127.0.0.1", "--admin-listen", "127.0.0.1:0")
    account = marked(world)
    assert connect(account, broker).ok()
    wait_for_state(account, "connected")
    assert value_of(world, 'displayd_mqtt_connections{state="connected"}') == 1
    assert value_of(world, 'displayd_mqtt_connections{state="failed"}') == 0


def test_a_panel_is_discovered_dimmed_and_written_on(served, broker, account):
    device = account.device(name="Küche")
    topic = f"{base(account)}/{device.id}"
    with broker.listen() as heard, Panel(served.server, device) as panel:
        assert connect(account, broker).ok()["state"] == "waiting"
        found = json.loads(heard.wait_for(config_of(device)))
        assert found["device"]["name"] == "Küche"
        assert set(found["components"]) == {
            "light", "message", "notify", "pinned", "plan", "interval", "next", "reboot", "shown", "failures",
            "wifi", "firmware", "seen", "problem", "update", "picture"}
        assert {name for name, one in found["components"].items() if "icon" in one} == {
            "message", "notify", "pinned", "plan", "interval", "next", "shown", "failures", "wifi", "firmware"}
        assert found["components"]["notify"]["command_topic"] == f"{topic}/message"
        heard.wait_for(f"{base(account)}/availability", b"online")
        heard.wait_for(f"{topic}/availability", b"online")
        assert wait_for_state(account, "connected")["error"] is None

        broker.publish(f"{topic}/light/set", '{"state":"ON","brightness":33}')
        panel.wait_for(lambda message: message == {"brightness": 33})
        light = {"state": "ON", "brightness": 33, "color_mode": "brightness"}
        wait_until(lambda: json.loads(heard.newest[f"{topic}/light"]) == light, "the light")

        picture = images.png(images.solid((1, 200, 3)))
        broker.publish(f"{topic}/push", picture)
        wait_until(lambda: images.frames_of(panel.wait_for_picture()) == images.frames_of(picture),
                   "the picture")
        broker.publish(f"{topic}/light/set", '{"state":"OFF"}')
        wait_until(lambda: json.loads(heard.newest[f"{topic}/light"])["state"] == "OFF", "darkness")


def test_the_firmware_is_updated(served, broker, account):
    device = account.device()
    topic = f"{base(account)}/{device.id}"
    served.sql("DELETE FROM firmware_image")
    served.sql("INSERT INTO firmware_image (id, slot, board, version, chip, project, sha256, size_bytes, content) VALUES "
               "(gen_random_uuid(), 1, 'tronbyt_s3', '1.6.6', 'esp32s3', 'firmware', repeat('0', 64), 1, 'x')")
    served.sql("UPDATE device SET board = 'tronbyt_s3' WHERE id = %s", device.id)
    with broker.listen() as heard, Panel(served.server, device) as panel:
        panel.wait_for_picture()
        panel.says({"client_info": {"firmware_version": "v1.5.2"}})
        connect(account, broker).ok()

        def state(**wanted):
            def is_told():
                return f"{topic}/update" in heard.newest and json.loads(heard.newest[f"{topic}/update"]) == wanted
            wait_until(is_told, f"{wanted}")

        state(in_progress=False, installed_version="1.5.2", latest_version="1.6.6")
        broker.publish(f"{topic}/update/set", "INSTALL")
        assert "/firmware/" in panel.wait_for(lambda message: isinstance(message, dict) and "ota_url" in message)["ota_url"]
        state(in_progress=True, installed_version="1.5.2", latest_version="1.6.6")
        panel.says({"client_info": {"firmware_version": "1.6.6"}})
        state(in_progress=False, installed_version="1.6.6", latest_version="1.6.6")


def test_a_device_without_a_panel_sleeps(served, broker, account):
    """The light is off though no panel says what it shows."""
    device = account.device(brightness=40)
    topic = f"{base(account)}/{device.id}"
    with broker.listen() as heard:
        connect(account, broker).ok()
        for call, wanted in (("sleep", "OFF"), ("wake", "ON"), ("sleep", "OFF")):
            wait_until(lambda: f"{topic}/light" in heard.newest, "the light")
            account.request("POST", f"/v1/devices/{device.id}/{call}").ok()
            wait_until(lambda wanted=wanted: json.loads(heard.newest[f"{topic}/light"])["state"] == wanted, wanted)
        broker.publish(f"{topic}/light/set", '{"state":"ON"}')
        wait_until(lambda: json.loads(heard.newest[f"{topic}/light"])["state"] == "ON", "the light")


def test_the_controls(served, broker, account):
    """Each control is used once, and its state checked."""
    device = account.device()
    for name in ("clock", "a+b/c"[:3]):
        assert device.push(images.png(images.solid((9, 9, 200))), installationId=name, background=True).ok() == {}
    topic = f"{base(account)}/{device.id}"
    with broker.listen() as heard, Panel(served.server, device):
        connect(account, broker).ok()
        heard.wait_for(f"{topic}/availability", b"online")
        found = json.loads(heard.newest[config_of(device)])["components"]
        assert found["entry_a%2Bb"]["name"] == "a+b"
        assert found["pinned"]["options"] == ["Rotation", "clock", "a+b"]
        heard.wait_for(f"{topic}/entries/clock", b"ON")
        heard.wait_for(f"{topic}/pinned", b"Rotation")
        for name, payload, wanted in (
                ("interval", "30", b"30"), ("plan", "ON", b"ON"), ("plan", "OFF", b"OFF"),
                ("pinned", "a+b", b"a+b"), ("pinned", "Rotation", b"Rotation"),
                ("entries/a%2Bb", "OFF", b"OFF")):
            broker.publish(f"{topic}/{name}/set", payload)
            heard.wait_for(f"{topic}/{name}", wanted)
        broker.publish(f"{topic}/next/set", "PRESS")
        picture = heard.wait_for(f"{topic}/picture")
        assert picture.startswith(b"\x89PNG")
        assert heard.wait_for(f"{topic}/failures") == b"0"
        assert json.loads(heard.wait_for(f"{topic}/problem")) == {"state": "OFF", "entry": None, "reason": None}
        assert heard.wait_for(f"{topic}/wifi")
        assert heard.wait_for(f"{topic}/seen").endswith(b"Z")

        assert device.delete("clock").ok() == {}
        heard.wait_for(f"{topic}/entries/clock", b"")
        gone = [json.loads(data)["components"].get("entry_clock") for name, data, _ in heard.messages
                if name == config_of(device) and data]
        assert {"platform": "switch"} in gone and gone[-1] is None
        heard.wait_for(f"{topic}/availability", b"online")
    with broker.listen() as heard:
        assert heard.wait_for(f"{topic}/availability") in (b"online", b"offline")  # retained


def test_wrong_commands_are_told(broker, account):
    device = account.device()
    topic = f"{base(account)}/{device.id}"
    with broker.listen(f"{base(account)}/#") as heard:
        connect(account, broker).ok()
        heard.wait_for(f"{topic}/availability", b"offline")
        for name, payload, wanted in (
                ("light/set", "ON", {"command": "light", "status": 400, "code": "body_invalid"}),
                ("interval/set", "1", {"command": "interval", "status": 400, "code": "body_invalid"}),
                ("push", b"no picture", {"command": "push", "status": 400, "code": "body_invalid"}),
                ("message", '{"text":""}', {"command": "message", "status": 400, "code": "body_invalid"})):
            broker.publish(f"{topic}/{name}", payload)
            error = wait_until(lambda wanted=wanted: (
                found := json.loads(heard.newest.get(f"{topic}/error", b"{}"))
            ).items() >= wanted.items() and found, f"{wanted}")
            assert error["detail"]


def test_a_retained_command_is_ignored(served, broker, account):
    device = account.device()
    topic = f"{base(account)}/{device.id}"
    broker.publish(f"{topic}/interval/set", "77", retained=True)
    with broker.listen(f"{base(account)}/#") as heard:
        connect(account, broker).ok()
        heard.wait_for(f"{topic}/interval", b"15")
        broker.publish(f"{topic}/plan/set", "ON")  # arrives after it
        heard.wait_for(f"{topic}/plan", b"ON")
        assert (topic + "/interval", b"77", False) not in heard.messages
    assert device.get().ok()["scheduleInterval"] == 15


def test_a_removed_device_disappears(served, broker, account):
    device = account.device()
    with broker.listen() as heard:
        connect(account, broker).ok()
        heard.wait_for(f"{base(account)}/{device.id}/availability", b"offline")
        assert heard.newest[config_of(device)]
        served.server.ctl("device", "remove", device.id, "--yes", json_output=False)
        heard.wait_for(config_of(device), b"")


def test_a_device_whose_removal_nobody_tells_disappears(served, broker, account):
    """A statement without hints removes it: the bridge requests the list of devices each half minute."""
    device = account.device()
    with broker.listen() as heard:
        connect(account, broker).ok()
        heard.wait_for(f"{base(account)}/{device.id}/availability", b"offline")
        served.sql("DELETE FROM device WHERE id = %s", device.id)
        heard.wait_for(config_of(device), b"")


def test_what_was_removed_meanwhile_disappears(served, broker, account):
    """Topics of a removed device and of a removed entry, which an earlier session left on the broker, are cleared."""
    device = account.device()
    topic = f"{base(account)}/{device.id}"
    gone = "01234567-0000-7000-8000-000000000000"
    left = {f"{base(account)}/{gone}/{last}" for last in ("availability", "light", "entries/a", "picture")}
    left |= {f"homeassistant/device/displayd_{gone}/config", f"{topic}/entries/b"}
    for name in left:
        broker.publish(name, "online", retained=True)
    with broker.listen() as heard:
        connect(account, broker).ok()
        for name in left:
            heard.wait_for(name, b"")
        heard.wait_for(f"{topic}/availability", b"offline")
        assert any(name == config_of(device) and b'"entry_b"' in data for name, data, _ in heard.messages)


def test_a_removed_connection_takes_its_panels_away(broker, account):
    device = account.device()
    with broker.listen() as heard:
        connect(account, broker).ok()
        heard.wait_for(f"{base(account)}/{device.id}/availability", b"offline")
        assert account.request("DELETE", "/v1/account/mqtt").ok() == {}
        heard.wait_for(config_of(device), b"")
        heard.wait_for(f"{base(account)}/availability", b"offline")
    assert state(account) == {"url": None, "username": None, "hasPassword": False, "isOfInstance": False,
                              "state": "none", "since": None, "error": None}
    assert account.request("DELETE", "/v1/account/mqtt").problem(404)


def test_a_connection_that_is_removed_and_set_again_is_the_new_one(broker, account):
    """Also if the worker that holds it looks only afterwards."""
    assert connect(account, broker).ok()
    wait_for_state(account, "connected")
    with Broker() as other, other.listen() as heard:
        assert account.request("DELETE", "/v1/account/mqtt").ok() == {}
        assert connect(account, other).ok()
        heard.wait_for(f"{base(account)}/availability", b"online")


def test_a_slow_broker_takes_all_topics_away(served, account):
    """A removed connection ends once the broker has read its last message."""
    device = account.device()
    with Broker() as broker, broker.listen() as heard:
        connect(account, broker).ok()
        heard.wait_for(f"{base(account)}/{device.id}/availability", b"offline")
        with broker.paused():
            assert account.request("DELETE", "/v1/account/mqtt").ok() == {}
            wait_until(lambda: any(unread > 1000 for _, unread in broker.connections()), "messages")
            assert not any(is_closed for is_closed, _ in broker.connections())
        heard.wait_for(config_of(device), b"")
        heard.wait_for(f"{base(account)}/availability", b"offline")


def test_the_broker_goes_and_comes(served, account):
    device = account.device()
    with Broker() as broker:
        connect(account, broker).ok()
        with broker.listen() as heard:
            heard.wait_for(f"{base(account)}/{device.id}/availability")
        broker.stop()
        assert "broker" in wait_for_state(account, "failed")["error"] or state(account)["error"]
        broker.start()
        with broker.listen() as heard:
            heard.wait_for(config_of(device))
            heard.wait_for(f"{base(account)}/availability", b"online")
        assert wait_for_state(account, "connected")["error"] is None


def test_the_last_will(postgres, broker):
    with World(postgres.create_database(), "--egress-allow", "127.0.0.1") as world:
        account = marked(world)
        with broker.listen() as heard:
            connect(account, broker).ok()
            heard.wait_for(f"{base(account)}/availability", b"online")
            world.server.kill()
            heard.wait_for(f"{base(account)}/availability", b"offline")


def test_another_worker_takes_over(served, broker, account):
    """The lease of a killed worker ends."""
    device = account.device()
    with broker.listen(f"{base(account)}/#") as heard:
        connect(account, broker).ok()
        heard.wait_for(f"{base(account)}/{device.id}/availability")
        wait_for_state(account, "connected")
        for pid in served.workers():
            served.kill_worker(pid)
        heard.wait_for(f"{base(account)}/availability", b"offline")
        heard.wait_for(f"{base(account)}/availability", b"online")


def test_a_local_address_is_refused(postgres, broker):
    with World(postgres.create_database()) as world:
        account = marked(world)
        for url in (broker.url, f"MQTT://localhost:{broker.port}", f"mqtt://[::1]:{broker.port}"):
            assert connect(account, broker, url=url).problem(400)["code"] == "local_not_listed"


def test_only_marked_accounts_reach_what_is_open(served, broker):
    """Unmarked accounts cannot reach local addresses, nor can marked ones if administrators have disabled
    that. The mark counts from the next lease on."""
    account = served.account()
    assert connect(account, broker).problem(400)["code"] == "local_not_opened"
    served.sql("UPDATE account SET reaches_local = true WHERE id = %s", account.id)
    connect(account, broker).ok()
    wait_for_state(account, "connected")
    served.sql("UPDATE account SET reaches_local = false WHERE id = %s", account.id)
    assert wait_for_state(account, "failed")["error"] == (
        "the broker's address is not public: an administrator can open local addresses to this account: "
        "Administration, Accounts")
    served.sql("UPDATE account SET reaches_local = true WHERE id = %s", account.id)
    wait_for_state(account, "connected")
    served.sql("UPDATE site SET apps_reach_local = false")
    try:
        assert wait_for_state(account, "failed")["error"] == (
            "the broker's address is not public: an administrator has closed local addresses: Administration, Instance")
    finally:
        served.sql("UPDATE site SET apps_reach_local = true")
    account.request("DELETE", "/v1/account/mqtt").ok()


def test_a_port_of_another_service_is_refused(broker, account):
    """A port of another service is refused without a connection."""
    with socket.create_server(("127.0.0.1", 6667)):
        connect(account, broker, url="mqtt://127.0.0.1:6667").ok()
        assert wait_for_state(account, "failed")["error"] == "the broker's port belongs to another service"


def test_closed_and_silent_ports_look_alike(broker, account):
    """The error is the same for everything that is not a broker."""
    told = set()
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    connect(account, broker, url=f"mqtt://127.0.0.1:{port}").ok()
    told.add(wait_for_state(account, "failed")["error"])
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect(account, broker, url=f"mqtt://127.0.0.1:{server.getsockname()[1]}").ok()
        peer, _ = server.accept()
        peer.close()
        told.add(wait_for_state(account, "failed")["error"])
    assert told == {"no MQTT broker answers there"}


def test_a_wrong_password(broker, account):
    account.device()
    connect(account, broker, password="wrong").ok()
    error = wait_for_state(account, "failed")["error"]
    assert "password" in error
    line, = [line for line in account.world.server.log().splitlines() if f"account={account.id}" in line
             and 'msg="not connected to the broker, trying again"' in line]
    assert error in line


@pytest.mark.parametrize("members, fault", [
    ({"url": "http://a"}, "/url"), ({"url": "mqtt://"}, "/url"), ({"url": "mqtt://a:0"}, "/url"),
    ({"url": "mqtt://a:65536"}, "/url"), ({"url": "mqtt://a/b"}, "/url"), ({"url": "mqtt://u@a"}, "/url"),
    ({"url": "mqtt://" + 300 * "a"}, "/url"), ({"username": ""}, "/username"),
    ({"username": 257 * "u"}, "/username"), ({"password": 257 * "p"}, "/password"),
    ({"password": "a\nb"}, "/password"), ({"username": None}, "/username"), ({"more": 1}, "/more")])
def test_what_a_connection_must_be(broker, account, members, fault):
    assert fault in connect(account, broker, **members).faults()


def test_changes_are_in_the_audit_log(served, broker, account):
    """Changes by the owner and by displayctl are logged with the broker, without its password."""
    url = f"mqtts://{account.id}.example.org"
    connect(account, broker, url=url).ok()
    served.server.ctl("mqtt", "update", "--account", account.email, "--url", url)
    served.server.ctl("mqtt", "remove", "--account", account.email)
    account.request("DELETE", "/v1/account/mqtt").problem(404)
    connect(account, broker, url=url).ok()
    account.request("DELETE", "/v1/account/mqtt").ok()
    assert served.sql("SELECT actor, action, count(*) FROM audit_entry WHERE target = %s GROUP BY 1, 2 ORDER BY 1, 2",
                      url) == sorted([
        (account.email, "mqtt.remove", 1), (account.email, "mqtt.update", 2),
        ("displayctl", "mqtt.remove", 1), ("displayctl", "mqtt.update", 1)])


def test_a_password_needs_a_user(account):
    answer = account.request("PUT", "/v1/account/mqtt", body=b'{"url":"mqtt://a","password":"p"}')
    assert "/password" in answer.faults()


def test_the_password_is_never_given_back(served, broker, account):
    secret = "s3cret-" + account.id
    answer = connect(account, broker, password=secret)
    assert answer.ok()["hasPassword"] is True
    assert secret not in json.dumps(state(account))
    [[stored]] = served.sql("SELECT password FROM mqtt_connection WHERE account_id = %s", account.id)
    assert secret.encode() not in bytes(stored)
    assert secret not in served.server.log()


def test_a_flood_of_commands_has_limits(served, broker, account):
    """Excess commands are dropped and reported; other accounts are served meanwhile."""
    device, other = account.device(), served.account()
    topic, body = f"{base(account)}/{device.id}", images.png(images.gradient(3))
    watched = other.device()
    with broker.listen(f"{base(account)}/#") as heard:
        connect(account, broker).ok()
        heard.wait_for(f"{topic}/availability")
        broker.publish(f"{topic}/push", body, times=3000)
        for number in range(20):
            assert watched.push(images.png(images.solid((number, 1, 1)))).ok() == {}
        wait_until(lambda: any(name == f"{topic}/error" and b"dropped" in data
                               for name, data, _ in heard.messages), "a dropped command")
        broker.publish(f"{topic}/interval/set", "40")
        wait_until(lambda: heard.newest[f"{topic}/interval"] == b"40" or
                   broker.publish(f"{topic}/interval/set", "40"), "a command after the flood", pause_s=1)


CONNACK = b"\x20\x02\x00\x00"


def publish_packet(topic, payload, is_retained=False):
    body = len(topic).to_bytes(2, "big") + topic + payload
    size, length = len(body), b""
    while size > 127:
        length += bytes([size % 128 | 128])
        size //= 128
    return (b"\x31" if is_retained else b"\x30") + length + bytes([size]) + body


def garbage(_):
    return bytes(range(256)) * 64


def huge(_):
    """A message whose header claims 256 MiB."""
    return CONNACK + b"\x30\xff\xff\xff\x7f" + b"\x00\x05topic" + 100_000 * b"x"


def endless(account):
    """Topics of unknown panels, invalid ones, and long ones."""
    names = [f"displayd/{account.id}/{number:08x}-0000-0000-0000-000000000000/light/set".encode()
             for number in range(2000)]
    names += [b"", b"/", b"displayd/+/#", 60_000 * b"a", b"\xff\xfe", f"displayd/{account.id}/".encode() + 500 * b"/x"]
    return CONNACK + 20 * b"".join(publish_packet(name, b"{}") for name in names)


def connacks(_):
    return 100_000 * CONNACK


def leftovers(account):
    """Topics of 5,000 unknown panels, each as if an earlier session had left it."""
    names = [f"displayd/{account.id}/{number:08x}-0000-0000-0000-000000000000/availability".encode()
             for number in range(5000)]
    return CONNACK + b"".join(publish_packet(name, 500 * b"x", is_retained=True) for name in names)


@pytest.mark.parametrize("talk", [garbage, huge, endless, connacks, leftovers])
def test_a_hostile_broker_harms_nobody(served, broker, account, talk):
    """The broker sends arbitrary data again and again; the connection of another account stays."""
    other = marked(served)
    device = other.device()
    with socket.create_server(("127.0.0.1", 0)) as server, broker.listen(f"{base(other)}/#") as heard:
        met = []

        def serve():
            while True:
                try:
                    peer, _ = server.accept()
                except OSError:
                    return
                with peer:
                    met.append(1)
                    try:
                        peer.settimeout(5)
                        peer.recv(1000)
                        peer.sendall(talk(account))
                    except OSError:
                        pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        connect(other, broker).ok()
        heard.wait_for(f"{base(other)}/{device.id}/availability")
        account.device()
        connect(account, broker, url=f"mqtt://127.0.0.1:{server.getsockname()[1]}").ok()
        wait_until(lambda: len(met) >= 2, "two connections")
        broker.publish(f"{base(other)}/{device.id}/interval/set", "50")
        heard.wait_for(f"{base(other)}/{device.id}/interval", b"50")
        assert (f"{base(other)}/availability", b"offline", False) not in heard.messages
        server.shutdown(socket.SHUT_RDWR)
    other.request("DELETE", "/v1/account/mqtt").ok()
