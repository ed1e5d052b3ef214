"""Shared parts of the panel's tests: the panel as a process, and a server under the test's control.

Nothing here measures time. TIMEOUT_S only ends a test that would hang."""

import hashlib
import io
import json
import os
import pathlib
import queue
import socket
import ssl
import subprocess
import threading

from PIL import Image
from websockets.frames import Opcode
from websockets.server import ServerConnection

TIMEOUT_S = float(os.environ.get("PANEL_TEST_TIMEOUT_S", "60"))
PROGRAM = os.environ["DISPLAYPANEL"]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def still(*colour):
    """A lossless WebP of one colour."""
    return encode([Image.new("RGB", (64, 32), colour)])


def encode(images, duration_ms=100, **options):
    file = io.BytesIO()
    images[0].save(
        file,
        "WEBP",
        lossless=True,
        save_all=len(images) > 1,
        append_images=images[1:],
        duration=duration_ms,
        **options,
    )
    return file.getvalue()


def animation(colours, duration_ms=100):
    return encode([Image.new("RGB", (64, 32), c) for c in colours], duration_ms)


class Panel:
    """A running panel whose events can be waited for."""

    def __init__(self, *arguments, command=(), **options):
        self.events = []
        self.unread = queue.Queue()
        self.process = subprocess.Popen(
            [*command, PROGRAM, *arguments, "--events", "-"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.unread.put(json.loads(line))
        self.unread.put(None)

    def next(self):
        event = self.unread.get(timeout=TIMEOUT_S)
        assert event is not None, f"the panel ended: {self.process.stderr.read()}"
        self.events.append(event)
        return event

    def wait(self, name, **fields):
        """The next event of that name with those values; earlier ones are passed over."""
        while True:
            event = self.next()
            if event["event"] == name and fields.items() <= event.items():
                return event

    def names(self):
        return [event["event"] for event in self.events]

    def finish(self):
        """Waits until the panel ends by itself. Gives its exit code."""
        try:
            self.process.wait(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self.reader.join(timeout=TIMEOUT_S)
        while not self.unread.empty():
            event = self.unread.get()
            if event:
                self.events.append(event)
        assert "Sanitizer" not in (text := self.process.stderr.read()), text
        return self.process.returncode

    def stop(self):
        if self.process.stdout.closed:
            return self.process.returncode
        if self.process.poll() is None:
            self.process.terminate()
        code = self.finish()
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class Connection:
    """A WebSocket connection of a panel, server side, spoken by the websockets library."""

    def __init__(self, stream):
        self.stream = stream
        self.stream.settimeout(TIMEOUT_S)
        self.protocol = ServerConnection()
        self.received = []
        self.closed = False
        self.request = self._take()

    def _take(self):
        while not self.received:
            data = self.stream.recv(65536)
            if not data:
                self.closed = True
                return None
            self.protocol.receive_data(data)
            self.flush()
            self.received += self.protocol.events_received()
        return self.received.pop(0)

    def flush(self):
        for data in self.protocol.data_to_send():
            if data:
                self.stream.sendall(data)

    def accept(self):
        self.protocol.send_response(self.protocol.accept(self.request))
        self.flush()
        return self

    def send(self, **message):
        self.protocol.send_text(json.dumps(message).encode())
        self.flush()

    def picture(self, data):
        self.protocol.send_binary(data)
        self.flush()

    def take_frame(self):
        """The next frame that is no pong of ours."""
        return self._take()

    def take_text(self):
        while True:
            frame = self._take()
            assert frame is not None, "the panel closed the connection"
            if frame.opcode == Opcode.TEXT:
                return json.loads(frame.data)

    def take_end(self):
        """Waits until the panel's end is closed."""
        try:
            while self._take():
                pass
        except ConnectionError:
            pass

    def drop(self):
        """Closes TCP without a CLOSE frame."""
        self.stream.close()


class Server:
    """Listens; every connection is accepted by the test itself."""

    def __init__(self, host="127.0.0.1", context=None):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.create_server((host, 0), family=family)
        self.listener.settimeout(TIMEOUT_S)
        self.context = context
        self.port = self.listener.getsockname()[1]
        self.host = f"[{host}]" if ":" in host else host
        self.streams = []

    def url(self, scheme="ws", path="/d/one/ws?key=secret", host=None):
        return f"{scheme}://{host or self.host}:{self.port}{path}"

    def take_stream(self):
        stream, _ = self.listener.accept()
        stream.settimeout(TIMEOUT_S)
        if self.context:
            stream = self.context.wrap_socket(stream, server_side=True)
        self.streams.append(stream)
        return stream

    def take(self):
        """The next panel, up to its upgrade request."""
        return Connection(self.take_stream())

    def close(self):
        for stream in self.streams:
            stream.close()
        self.listener.close()


def take_request(stream):
    """The head of an HTTP request as a list of lines."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = stream.recv(65536)
        assert piece, "no whole request came"
        data += piece
    head, rest = data.split(b"\r\n\r\n", 1)
    assert rest == b""
    return head.decode().split("\r\n")


def answer(stream, body, status="200 OK", **headers):
    lines = [f"HTTP/1.1 {status}", "Content-Type: image/webp", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    stream.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    stream.close()


def frames_of(directory):
    """The pictures that the panel wrote, oldest first."""
    names = sorted(pathlib.Path(directory).glob("[0-9]*.png"))
    return [Image.open(name).convert("RGB") for name in names]


def make_certificate(directory, name, names, authority=None, key="ec"):
    """A key (ec or rsa) and certificate for these subject alternative names; signed by itself
    unless an authority (a file name without its ending) is named."""
    base = pathlib.Path(directory) / name
    bits = "ec_paramgen_curve:P-256" if key == "ec" else "rsa_keygen_bits:2048"
    command = ["openssl", "req", "-x509", "-newkey", key, "-pkeyopt", bits]
    command += ["-nodes", "-days", "2", "-subj", f"/CN={name}", "-keyout", f"{base}.key"]
    command += ["-out", f"{base}.pem", "-addext", f"subjectAltName={names}"]
    if authority:
        command += ["-CA", f"{authority}.pem", "-CAkey", f"{authority}.key"]
        command += ["-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run(command, check=True, capture_output=True)
    return str(base)


def tls_context(base):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{base}.pem", f"{base}.key")
    return context
