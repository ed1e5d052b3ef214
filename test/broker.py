"""A real MQTT broker, mosquitto, and clients of it.

    with Broker() as broker:                  # a user "panels" with the password "secret"
        with broker.listen("#") as heard:     # mosquitto_sub
            broker.publish("a/b", b"payload")
            heard.wait_for("a/b", b"payload")
"""

import contextlib
import os
import signal
import subprocess
import threading

from ports import free_port
from run_folder import new_folder
from waiting import wait_until

USER, PASSWORD = "panels", "secret"
OBSERVER = "observer"
MOSQUITTO = "/usr/sbin/mosquitto"
CLOSE_WAIT = "08"  # as written in /proc/net/tcp
UP = "test/up"  # a retained message of each broker


class Heard:
    """The messages that a client has received: the newest payload of each topic, and all messages in
    order. Within the context it has those retained so far, and hears each later one."""

    def __init__(self, broker, pattern):
        self.is_subscribed = threading.Event()
        self.newest = {}
        self.messages = []  # (topic, payload, whether retained)
        self.process = subprocess.Popen(
            ["mosquitto_sub", *broker.client_options(OBSERVER), "-t", pattern, "-t", UP, "-F", "%r %t %x"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        for line in self.process.stdout:
            retained, topic, payload = line.rstrip("\n").split(" ", 2)
            if topic == UP:
                self.is_subscribed.set()
                continue
            data = bytes.fromhex(payload)
            self.messages.append((topic, data, retained == "1"))
            self.newest[topic] = data

    def __enter__(self):
        wait_until(self.is_subscribed.is_set, "a subscription")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.thread.join()
        self.process.stdout.close()

    def wait_for(self, topic, payload=None):
        """Waits until the topic has the payload."""
        def look():
            found = self.newest.get(topic)
            return found is not None and (payload is None or found == payload)

        try:
            wait_until(look, f"{topic} {payload}")
        except TimeoutError as error:
            raise TimeoutError(f"{error}; there are {self.newest}") from error
        return self.newest[topic]


class Broker:
    """lines: more lines of its configuration."""

    def __init__(self, lines=(), password=PASSWORD):
        self.folder = new_folder("displayd-broker-")
        os.chmod(self.folder, 0o755)
        self.port = free_port()
        self.lines = lines
        self.process = None
        passwords = os.path.join(self.folder, "passwords")
        for user in (USER, OBSERVER):
            subprocess.run(["mosquitto_passwd", *(["-c"] if user == USER else []), "-b", passwords, user,
                            password if user == USER else PASSWORD], check=True, capture_output=True)
        os.chmod(passwords, 0o644)
        self.path = os.path.join(self.folder, "mosquitto.conf")
        with open(self.path, "w", encoding="ascii") as file:
            file.write("\n".join([f"listener {self.port} 127.0.0.1", "allow_anonymous false",
                                  f"password_file {passwords}", "max_queued_messages 100000",
                                  *lines, ""]))

    @property
    def url(self):
        return f"mqtt://127.0.0.1:{self.port}"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        path = os.path.join(self.folder, "log")
        with open(path, "ab") as log:
            self.process = subprocess.Popen([MOSQUITTO, "-c", self.path], stdout=log, stderr=log)
        wait_until(lambda: self._answers() or self.process.poll() is not None, "a broker that answers")
        if self.process.poll() is not None:
            with open(path, encoding="utf-8", errors="replace") as log:
                raise RuntimeError(f"the broker has ended:\n{log.read()}")

    def _answers(self):
        return subprocess.run(
            ["mosquitto_pub", *self.client_options(OBSERVER), "-t", UP, "-m", "1", "-r", "-q", "1"],
            capture_output=True, check=False).returncode == 0

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    @contextlib.contextmanager
    def paused(self):
        """Stops the broker: it reads nothing meanwhile, but connections stay open."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def connections(self):
        """Of each client: whether its end is closed, and the number of bytes that the broker has not read."""
        with open("/proc/net/tcp", encoding="ascii") as file:
            rows = [line.split() for line in list(file)[1:]]
        return [(row[3] == CLOSE_WAIT, int(row[4].split(":")[1], 16)) for row in rows
                if row[1].endswith(f":{self.port:04X}")]

    def client_options(self, user=OBSERVER):
        return ["-h", "127.0.0.1", "-p", str(self.port), "-u", user, "-P", PASSWORD]

    def listen(self, pattern="#"):
        return Heard(self, pattern)

    def publish(self, topic, payload, retained=False, times=1):
        data = payload if isinstance(payload, bytes) else str(payload).encode()
        subprocess.run(["mosquitto_pub", *self.client_options(), "-t", topic, "-s" if data else "-n", "-q", "1",
                        *(["-r"] if retained else []), *(["--repeat", str(times)] if times > 1 else [])],
                       input=data, check=True, capture_output=True)
