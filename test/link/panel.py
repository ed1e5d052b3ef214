"""A panel on a raw socket, controlled by a test: it sends and reads exactly what the test chooses."""

import base64
import json
import os
import queue
import selectors
import socket
import struct
import threading

PATIENCE_S = 120  # only a hang takes this long

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
IMMEDIATE = {"immediate": True}


class Refused(Exception):
    """The handshake was answered with a status other than 101."""

    def __init__(self, status, head, body):
        super().__init__(f"{status}\n{head}")
        self.status, self.head, self.body = status, head, body


def read_head(stream):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = stream.read(1)
        if not byte:
            raise EOFError(head)
        head += byte
    return head.decode("latin-1")


def frame(opcode, payload, fin=True, mask=b"\1\2\3\4"):
    """A masked frame of a client."""
    header = bytes([(0x80 if fin else 0) | opcode])
    if len(payload) < 126:
        header += bytes([0x80 | len(payload)])
    elif len(payload) < 65536:
        header += struct.pack(">BH", 0x80 | 126, len(payload))
    else:
        header += struct.pack(">BQ", 0x80 | 127, len(payload))
    masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
    return header + mask + masked


class Panel:
    """Connects at once. acknowledges: sends "queued" and, after show(), "displaying". wrap: wraps the
    socket in TLS."""

    def __init__(self, address, path, headers=None, acknowledges=True, receive_buffer=None,
                 wrap=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = wrap(self.socket) if wrap else self.socket
        self.stream = self.socket.makefile("rb")
        self.acknowledges = acknowledges
        self.inbox = None  # queue of messages read by a crowd
        self.count = 100  # the firmware keeps counting across connections
        fields = {"Host": "panel", "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Version": "13",
                  "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()}
        fields |= headers or {}
        self.send(f"GET {path} HTTP/1.1\r\n".encode() +
                  "".join(f"{k}: {v}\r\n" for k, v in fields.items()).encode() + b"\r\n")
        self.head = read_head(self.stream)
        status = int(self.head.split()[1])
        if status != 101:
            length = [line for line in self.head.splitlines() if line.startswith("Content-Length")]
            body = self.stream.read(int(length[0].split(":")[1])) if length else b""
            self.close()
            raise Refused(status, self.head, body)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.stream.close()
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def say(self, **members):
        self.send(frame(TEXT, json.dumps(members).encode()))

    def read_frame(self):
        """Returns (opcode, payload), or None at the end of the connection."""
        try:
            header = self.stream.read(2)
            if len(header) < 2:
                return None
            assert header[0] & 0x80, "fragmented"
            assert not header[0] & 0x70, "reserved bits"
            assert not header[1] & 0x80, "masked"
            length = header[1]
            if length == 126:
                length = struct.unpack(">H", self.stream.read(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.stream.read(8))[0]
            payload = self.stream.read(length)
            return (header[0] & 15, payload) if len(payload) == length else None
        except ConnectionResetError:
            return None

    def read(self):
        """Returns the next message: a dict or bytes; None at the end. Answers pings; a CLOSE frame
        is a fault."""
        if self.inbox:
            message = self.inbox.get(timeout=PATIENCE_S)
            if isinstance(message, Exception):
                raise message
            return message
        while True:
            got = self.read_frame()
            message = got and self.take(*got)
            if got is None or message is not None:
                return message

    def take(self, opcode, payload):
        """Returns the acknowledged message of a frame; None for a ping, which is answered."""
        if opcode == PING:
            self.send(frame(PONG, payload))
            return None
        if opcode == TEXT:
            assert len(payload) < 8192
            return json.loads(payload)
        assert opcode == BINARY, f"frame of type {opcode}"
        self.count += 1
        if self.acknowledges:
            self.say(queued=self.count)
        return payload

    def read_picture(self, brightness=None, hurried=False):
        """Reads a whole picture: dwell, brightness if it changes, binary, immediate if it is hurried.
        Returns (dwell, bytes)."""
        dwell = self.read()
        assert list(dwell) == ["dwell_secs"], dwell
        assert 1 <= dwell["dwell_secs"] <= 3600
        if brightness is not None:
            assert self.read() == {"brightness": brightness}
        picture = self.read()
        assert isinstance(picture, bytes), picture
        assert picture.startswith(b"RIFF")
        if hurried:
            assert self.read() == IMMEDIATE
        return dwell["dwell_secs"], picture

    def show(self):
        """Reports that it displays the last picture."""
        self.say(displaying=self.count)

    def read_end(self):
        """Reads to the end of the connection, which must come without a CLOSE frame."""
        while self.read() is not None:
            pass


class Crowd:
    """Panels that a thread reads continuously, like real panels: the server drops a panel that leaves pings
    unanswered, and a busy machine may need longer for many panels. read() returns received messages."""

    def __init__(self):
        self.panels = []
        self.selector = selectors.DefaultSelector()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def connect(self, address, path):
        panel = Panel(address, path)
        panel.socket.setblocking(False)
        panel.inbox = queue.SimpleQueue()
        panel.unread = panel.stream.peek()  # bytes that arrived with the head
        self.panels.append(panel)
        self.read_frames(panel)
        self.selector.register(panel.socket, selectors.EVENT_READ, panel)
        return panel

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()
        for panel in self.panels:
            panel.close()

    def run(self):
        while not self.stopped.is_set():
            for key, _ in self.selector.select(timeout=0.1):
                self.read_some(key.data)

    def read_some(self, panel):
        try:
            data = panel.socket.recv(65536)
            panel.unread += data
            self.read_frames(panel)
        except Exception as fault:  # the reader raises it
            panel.inbox.put(fault)
            data = b""
        if not data:
            self.selector.unregister(panel.socket)
            panel.inbox.put(None)

    @staticmethod
    def read_frames(panel):
        """Takes all complete frames off the unread bytes."""
        while True:
            head = struct.Struct(">BBH" if panel.unread[1:2] == b"\x7e" else ">BB")
            if len(panel.unread) < head.size:
                return
            first, second, *length = head.unpack_from(panel.unread)
            assert first & 0xf0 == 0x80 and second <= 126, "fragmented, reserved, masked or huge"
            end = head.size + (length[0] if length else second)
            if len(panel.unread) < end:
                return
            message = panel.take(first & 15, panel.unread[head.size:end])
            panel.unread = panel.unread[end:]
            if message is not None:
                panel.inbox.put(message)
