"""What a broker may declare and send: its account's session ends for it, and nobody else's."""

import contextlib
import os
import socket
import ssl
import threading
import time

import pytest
from bridge_process import ACCOUNT, CONNACK, Api, Bridge, FloodingBroker, SlowBroker, device_id, publish_packet
from broker import PASSWORD, USER, Broker
from run_folder import readable_folder
from test_bridge import NAME, certificate
from waiting import wait_until

VICTIM = "0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4bb"
MEBIBYTE = 1 << 20
# A session may have 16 MiB; the rest is the process itself, and memory that the C library keeps.
MOST = 40 * MEBIBYTE
MANY_MOST = 512 * MEBIBYTE
HOSTILE = 200  # accounts
LOOPS, LOOKUPS = 4, 16  # threads at most: LOOPS_MAX, LOOKUP_THREADS_MAX


def peak_bytes(bridge):
    with open(f"/proc/{bridge.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))


def numbered(packet, number):
    """A packet of QoS 1 or 2 with a number of its own."""
    at = packet.index(b"\x00\x01", 2 + 2 + len(ACCOUNT))
    return packet[:at] + (number % 65535 + 1).to_bytes(2, "big") + packet[at + 2:]


def cpu_s(bridge):
    """Seconds of the processor that the bridge has used."""
    with open(f"/proc/{bridge.process.pid}/stat", encoding="ascii") as stat:
        used = stat.read().rsplit(")", 1)[1].split()
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


def threads(bridge):
    return len(os.listdir(f"/proc/{bridge.process.pid}/task"))


def sockets(bridge):
    folder, count = f"/proc/{bridge.process.pid}/fd", 0
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            count += os.readlink(os.path.join(folder, name)).startswith("socket:")
    return count


def topic(last, number=0):
    return f"displayd/{ACCOUNT}/{device_id(number)}/{last}"


def uuid(number):
    return f"{number:08x}{ACCOUNT[8:]}"


def unreleased(number):
    return numbered(publish_packet(topic("push"), bytes(1000), first=0x34), number)


def announced(_):
    return publish_packet(topic("push"), announced=255 << 20)


def announced_in_part(_):
    """As much as a session may have, most of which comes."""
    return publish_packet(topic("push"), bytes(11 << 20), announced=14 << 20)


def left_over(number):
    """Retained topics of entries of devices that never were."""
    device, entry = divmod(number, 200)
    return b"".join(publish_packet(f"displayd/{ACCOUNT}/{uuid(device)}/{last}", b"online", first=0x31)
                    for last in ("availability", f"entries/{entry:03}" + 90 * "x"))


def large(number):
    return numbered(publish_packet(topic("push"), bytes(MEBIBYTE - 100), first=0x32), number)


@contextlib.contextmanager
def victim(bridge):
    """Another account, whose connection works all the time."""
    with Broker() as broker, broker.listen("displayd/#") as heard:
        bridge.open(broker.port, account=VICTIM, user=USER, password=PASSWORD)
        heard.wait_for(f"displayd/{VICTIM}/availability", b"online")
        yield
        assert not any(payload == b"offline" for where, payload, _ in heard.messages if VICTIM in where)
        bridge.say({"close": VICTIM, "forget": False})
        heard.wait_for(f"displayd/{VICTIM}/availability", b"offline")


def error_of(bridge):
    """The next reason why a session has ended, which is not that of the victim."""
    while True:
        state = bridge.state()
        if "error" in state:
            assert state["account"] != VICTIM, state
            return state["error"]


@pytest.mark.parametrize("make, reason", [
    (unreleased, "QoS 2"),
    (announced, "memory"),
    (left_over, "memory"),
])
def test_a_broker_cannot_fill_the_bridge(make, reason):
    """Messages that are never released, one of which much is announced, retained ones of devices that never were."""
    with FloodingBroker(make) as hostile, Bridge("--allow", "127.0.0.1") as bridge, victim(bridge):
        bridge.open(hostile.port)
        for _ in range(2):
            assert reason in error_of(bridge)
        assert peak_bytes(bridge) < MOST


def test_commands_that_wait_are_bounded():
    """The session goes on: those that find no place are dropped."""
    with FloodingBroker(large) as hostile, Bridge("--allow", "127.0.0.1") as bridge, victim(bridge):
        Api(bridge, devices=1, entries=1)
        bridge.open(hostile.port)
        wait_until(lambda: hostile.sent > 64 * MEBIBYTE, "commands")
        assert peak_bytes(bridge) < MOST


def test_many_brokers_cannot_fill_the_bridge():
    """As many accounts as it connects."""
    with FloodingBroker(announced_in_part) as hostile, Bridge("--allow", "127.0.0.1") as bridge, victim(bridge):
        for number in range(39):
            bridge.open(hostile.port, account=uuid(number))
        for _ in range(3 * 39):
            assert "memory" in error_of(bridge)
        assert peak_bytes(bridge) < MANY_MOST


STEPS = ("closes at once", "closes after CONNECT", "never answers", "closes in the CONNACK", "drips", "closes after CONNACK")


class StepBroker(SlowBroker):
    """A broker that fails at a step."""

    def __init__(self, step):
        self.step = step
        self.greeted = 0
        super().__init__()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.listener.accept()
                self.peers.append(peer)
                self.greeted += 1
                if self.step == "closes at once":
                    peer.close()
                    continue
                threading.Thread(target=self._talk, args=[peer], daemon=True).start()

    def talk(self, peer):
        peer.recv(4096)
        if self.step in ("never answers", "closes after CONNECT"):
            answer = b""
        else:
            answer = CONNACK if self.step == "closes after CONNACK" else CONNACK[:3]
        for number in range(len(answer)):
            peer.sendall(answer[number:number + 1])
            if self.step == "drips":
                time.sleep(1)
        if self.step.startswith("closes"):
            peer.close()


@pytest.mark.parametrize("step", STEPS)
def test_brokers_that_fail_at_a_step(step):
    """Two hundred accounts of such brokers share threads with others, which go on, and newly connect."""
    with StepBroker(step) as hostile, Bridge("--allow", "127.0.0.1") as bridge, victim(bridge), Broker() as broker, \
            broker.listen("displayd/#") as heard:
        for number in range(HOSTILE):
            bridge.open(hostile.port, account=uuid(number))
        wait_until(lambda: hostile.greeted >= HOSTILE, "connections of all")
        bridge.open(broker.port, account=ACCOUNT, user=USER, password=PASSWORD)
        heard.wait_for(f"displayd/{ACCOUNT}/availability", b"online")
        assert threads(bridge) <= 1 + LOOPS


def test_names_that_are_not_found():
    """They take their turns in a few threads."""
    with Bridge("--allow", "127.0.0.1", "--allow", "::1") as bridge, victim(bridge), Broker() as broker, \
            broker.listen("displayd/#") as heard:
        for number in range(HOSTILE):
            bridge.open(broker.port, host=f"name-{number}.invalid", account=uuid(number))
        assert "resolved" in error_of(bridge)
        bridge.open(broker.port, host=NAME, account=ACCOUNT, user=USER, password=PASSWORD)
        heard.wait_for(f"displayd/{ACCOUNT}/availability", b"online")
        assert threads(bridge) <= 1 + LOOPS + LOOKUPS


class TicketBroker(SlowBroker):
    """A broker with TLS that sends tickets for later sessions without end (RFC 8446, 4.6.1), and nothing else."""

    def __init__(self, paths):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*paths)
        self.context.num_tickets = 1 << 30
        self.sent = 0
        super().__init__()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.listener.accept()
                self.peers.append(peer)
                near, far = socket.socketpair()
                for does, *arguments in ((self._shake_hands, near), (self._pass_on, far, peer),
                                         (self._pass_on, peer, far)):
                    threading.Thread(target=does, args=arguments, daemon=True).start()

    def _shake_hands(self, near):
        with contextlib.suppress(OSError):
            self.context.wrap_socket(near, server_side=True)

    def _pass_on(self, one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                other.sendall(data)
                self.sent += len(data)


class RecordBroker(FloodingBroker):
    """It sends records of TLS in place of a handshake."""

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.listener.accept()
                self.peers.append(peer)
                threading.Thread(target=self._talk, args=[peer], daemon=True).start()


@pytest.fixture(name="paths")
def certificate_of_localhost():
    with readable_folder("displayd-mqtt-") as folder:
        yield certificate(folder, NAME)


def requests_for_a_hello(_):
    return 40 * (b"\x16\x03\x03\x40\x00" + bytes(16384))


@pytest.mark.parametrize("kind", ["tickets", "requests for a hello"])
def test_records_without_end_keep_no_connection(paths, kind):
    """OpenSSL reads them one after the other, without a look at whether the account still wants its connection."""
    broker = TicketBroker(paths) if kind == "tickets" else RecordBroker(requests_for_a_hello)
    with broker as hostile, Bridge("--allow", "127.0.0.1", "--allow", "::1", "--certificates", paths[0],
                                   readable=[os.path.dirname(paths[0])]) as bridge, victim(bridge):
        before = sockets(bridge)
        bridge.open(hostile.port, host=NAME, tls=True)
        wait_until(lambda: hostile.sent > 16 * MEBIBYTE, "records")
        bridge.say({"close": ACCOUNT, "forget": False})
        wait_until(lambda: sockets(bridge) == before, "the end of the connection")


def test_a_broker_takes_a_part_of_the_processor():
    """Whatever it sends: after a second in reserve, an eighth of a core."""
    with FloodingBroker(lambda _: 100 * publish_packet(topic("nothing"), bytes(100))) as hostile, \
            Bridge("--allow", "127.0.0.1") as bridge, victim(bridge):
        bridge.open(hostile.port)
        wait_until(lambda: cpu_s(bridge) > 1.2, "a session that has used its reserve")
        began, before = time.monotonic(), cpu_s(bridge)
        wait_until(lambda: cpu_s(bridge) > before + 0.5, "more of the processor")
        assert time.monotonic() - began > 2
