"""The bridge by itself: TLS, which addresses it reaches, and what it does without a worker."""

import os
import socket
import ssl
import subprocess

import pytest
from bridge_process import ACCOUNT, Api, Bridge, SlowBroker, device_id
from broker import PASSWORD, USER, Broker
from ports import free_port
from run_folder import readable_folder
from waiting import wait_until

NAME = "localhost"


def certificate(folder, name):
    """A certificate that signs itself, and its key."""
    paths = [os.path.join(folder, f"{name}.{kind}") for kind in ("crt", "key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                    "-addext", f"subjectAltName=DNS:{name}", "-out", paths[0], "-keyout", paths[1]],
                   check=True, capture_output=True)
    os.chmod(paths[1], 0o644)
    return paths


class TlsBroker(Broker):
    """Beside the plain listener one with TLS, at tls_port."""

    def __init__(self, folder, name=NAME):
        self.certificate, key = certificate(folder, name)
        self.tls_port = free_port()
        super().__init__([f"listener {self.tls_port}", f"certfile {self.certificate}", f"keyfile {key}"])


@pytest.fixture(name="folder")
def folder_for_the_broker():
    with readable_folder("displayd-mqtt-") as path:
        yield path


def test_tls(folder):
    with TlsBroker(folder) as broker, \
            Bridge("--allow", "127.0.0.1", "--allow", "::1", "--certificates", broker.certificate,
                   readable=[folder]) as bridge, broker.listen("displayd/#") as heard:
        assert bridge.hello["engine"] == "MQTT"
        bridge.open(broker.tls_port, host=NAME, tls=True, user=USER, password=PASSWORD)
        assert bridge.state() == {"account": ACCOUNT}
        heard.wait_for(f"displayd/{ACCOUNT}/availability", b"online")
        bridge.say({"close": ACCOUNT, "forget": False})
        heard.wait_for(f"displayd/{ACCOUNT}/availability", b"offline")


@pytest.mark.parametrize("name, trusted", [("other.example.org", True), (NAME, False)])
def test_tls_of_somebody_else(folder, name, trusted):
    """Another name, or a certificate of nobody who is trusted."""
    with TlsBroker(folder, name) as broker, \
            Bridge("--allow", "127.0.0.1", "--allow", "::1",
                   *(["--certificates", broker.certificate] if trusted else []), readable=[folder]) as bridge:
        bridge.open(broker.tls_port, host=NAME, tls=True, user=USER, password=PASSWORD)
        assert "TLS" in bridge.state()["error"]


def test_a_broker_chooses_no_group(folder):
    """One of 10,000 bits takes half a second of a loop that serves all accounts."""
    crt, key = certificate(folder, NAME)
    group = os.path.join(folder, "group.pem")
    subprocess.run(["openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048",
                    "-out", group], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(crt, key)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("DHE-RSA-AES128-GCM-SHA256")
    context.load_dh_params(group)
    with socket.create_server(("127.0.0.1", 0)) as listener, \
            Bridge("--allow", "127.0.0.1", "--certificates", crt, readable=[folder]) as bridge:
        bridge.open(listener.getsockname()[1], host=NAME, tls=True, user=USER, password=PASSWORD)
        with listener.accept()[0] as peer, pytest.raises(ssl.SSLError, match="NO_SHARED_CIPHER"):
            context.wrap_socket(peer, server_side=True)


NOT_MARKED = 4


@pytest.mark.parametrize("members, what", [
    ({"host": "127.0.0.2"}, ["--egress-allow"]), ({"lacks": 2}, ["Instance"]), ({"lacks": NOT_MARKED}, ["Accounts"]),
    ({"lacks": 6, "host": "127.0.0.2"}, ["--egress-allow", "Instance", "Accounts"]),
    ({"lacks": NOT_MARKED, "host": "localhost"}, ["Accounts"])])
def test_what_is_missing_is_named(members, what):
    with Broker() as broker, Bridge("--allow", "127.0.0.1") as bridge:
        bridge.open(broker.port, **{"user": USER, "password": PASSWORD, **members})
        error = bridge.state()["error"]
        assert error.startswith("the broker's address is not public: ")
        assert [word for word in ("--egress-allow", "Instance", "Accounts") if word in error] == what


def test_addresses():
    with Broker() as broker, Bridge("--allow", "127.0.0.1") as bridge:
        for members, is_reached in (({}, True), ({"lacks": NOT_MARKED}, False), ({"all": True, "lacks": NOT_MARKED}, True),
                                    ({"host": "::1"}, False), ({"host": "::ffff:127.0.0.1"}, True),
                                    ({"host": "0"}, False)):
            bridge.open(broker.port, **{"user": USER, "password": PASSWORD, **members})
            state = bridge.state()
            assert ("error" not in state) == is_reached, (members, state)
            assert is_reached or "not public" in state["error"] or members == {"host": "0"}
            bridge.say({"close": ACCOUNT, "forget": False})


def test_it_needs_a_socket_and_goes_on_without(folder):
    """The API of a worker that never answers: the session stays."""
    with Broker() as broker, Bridge("--allow", "127.0.0.1") as bridge, broker.listen("displayd/#") as heard:
        bridge.open(broker.port, user=USER, password=PASSWORD)
        heard.wait_for(f"displayd/{ACCOUNT}/availability", b"online")
        words = [bridge.word() for _ in range(4)]
        assert {"needs": ACCOUNT} in words
        assert {"state": {"account": ACCOUNT}} in words


def test_what_a_worker_never_says():
    """Its link ends; others stay."""
    with Bridge() as bridge:
        bridge.say({"what": 1})
        assert bridge.lines.readline() == b""


MOST = 1000  # BRIDGE_CONNECTIONS_MAX


def test_too_many_connections():
    """One too many is given back, and has a place when another one has ended."""
    accounts = [f"{number:08x}" + ACCOUNT[8:] for number in range(MOST + 1)]
    with Bridge("--allow", "127.0.0.1") as bridge:
        port = free_port()
        for account in accounts:
            bridge.open(port, account=account)
        words = [bridge.word() for _ in range(4)]
        while not any("gone" in word for word in words):
            words.append(bridge.word())
        assert [word for word in words if "gone" in word] == [{"gone": accounts[-1]}]
        assert {"state": {"account": accounts[-1], "error": "too many connections are open"}} in words
        bridge.say({"close": accounts[0], "forget": False})
        state = {}
        while state.get("account") != accounts[-1] or "answers" not in state["error"]:
            bridge.open(port, account=accounts[-1])
            state = bridge.state()


def test_farewells_take_no_places():
    """Brokers acknowledge nothing: a connection that ends waits, and another one has its place at once."""
    accounts = [f"{number:08x}" + ACCOUNT[8:] for number in range(MOST + 1)]
    with SlowBroker() as broker, Bridge("--allow", "127.0.0.1") as bridge:
        for begin in range(0, MOST, 50):
            for account in accounts[begin:begin + 50]:
                bridge.open(broker.port, account=account)
            states = [bridge.state() for _ in range(50)]
            assert not [state for state in states if "error" in state]
        bridge.say({"close": accounts[0], "forget": False})
        bridge.open(broker.port, account=accounts[MOST])
        assert bridge.state() == {"account": accounts[MOST]}


def test_offline_is_published_when_there_is_room():
    """A slow broker: messages wait when the connection is closed, and the last one of all still says it."""
    with SlowBroker() as broker, Bridge("--allow", "127.0.0.1") as bridge:
        api = Api(bridge, devices=20, entries=100)
        bridge.open(broker.port)
        wait_until(lambda: api.has_answered_all, "all that there is to publish", patience_s=20)
        bridge.say({"close": ACCOUNT, "forget": False})
        wait_until(lambda: not api.open, "the end of its calls, which its farewell follows")
        packets = broker.read_all()
        topic, payload = f"displayd/{ACCOUNT}/availability".encode(), b"offline"
        said = [number for number, (kind, body) in enumerate(packets)
                if kind >> 4 == 3 and topic in body and body.endswith(payload)]
        left = [number for number, (kind, _) in enumerate(packets) if kind >> 4 == 14]
        assert said and (not left or said[-1] < left[0]), (said, left, len(packets))


def test_an_event_before_the_list():
    """What it says of a device is kept, and not said again."""
    with Broker() as broker, Bridge("--allow", "127.0.0.1") as bridge, broker.listen("displayd/#") as heard:
        Api(bridge, devices=2, entries=0, events=[
            ("online", {"deviceId": device_id(1), "isOnline": True}),
            ("shown", {"deviceId": device_id(1), "kind": "night"})])
        bridge.open(broker.port, user=USER, password=PASSWORD)
        heard.wait_for(f"displayd/{ACCOUNT}/{device_id(0)}/availability", b"offline")
        heard.wait_for(f"displayd/{ACCOUNT}/{device_id(1)}/availability", b"online")
        assert heard.newest[f"displayd/{ACCOUNT}/{device_id(1)}/shown"] == b"night"


def test_few_sockets_for_many_calls():
    """One for the calls, which come one after another, and one for the stream of events."""
    with Broker() as broker, Bridge("--allow", "127.0.0.1") as bridge, broker.listen("displayd/#") as heard:
        api = Api(bridge, devices=10, entries=1)
        bridge.open(broker.port, user=USER, password=PASSWORD)
        for device in api.devices:
            heard.wait_for(f"displayd/{ACCOUNT}/{device}/availability", b"offline")
        assert len(api.asked) >= 22 and api.given == 2


def test_late_events_of_removed_devices():
    """Another list is asked for, once, and nothing is published of them."""
    gone = [device_id(number) for number in range(50, 60)]
    with Broker() as broker, Bridge("--allow", "127.0.0.1") as bridge, broker.listen("displayd/#") as heard:
        api = Api(bridge, devices=2, entries=0, events=[
            *[("online", {"deviceId": device, "isOnline": True}) for device in gone],
            ("online", {"deviceId": device_id(1), "isOnline": True})])
        bridge.open(broker.port, user=USER, password=PASSWORD)
        heard.wait_for(f"displayd/{ACCOUNT}/{device_id(1)}/availability", b"online")
        wait_until(lambda: api.has_answered_all, "all of the devices that are there")
        assert api.asked.count("/v1/devices") == 2 and not any(device in path for path in api.asked for device in gone)
        heard.wait_for(f"displayd/{ACCOUNT}/{device_id(0)}/availability", b"offline")
        assert not any(device in topic for topic, *_ in heard.messages for device in gone)
