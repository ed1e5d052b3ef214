"""A panel's end of the WebSocket, for measuring: on raw bytes, without a library that takes time."""

import base64
import json
import os
import socket
import struct
import urllib.parse

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
PATIENCE_S = 30


class PanelSocket:
    """Connects, reports itself as the firmware does, and returns complete messages."""

    def __init__(self, websocket_url, mac="02:00:00:00:00:01"):
        url = urllib.parse.urlsplit(websocket_url)
        self.socket = socket.create_connection((url.hostname, url.port or 80), timeout=PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = bytearray()
        self.counter = 0
        target = url.path + (f"?{url.query}" if url.query else "")
        self.socket.sendall(
            f"GET {target} HTTP/1.1\r\nHost: {url.netloc}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n".encode()
        )
        head = self._take_head()
        if not head.startswith(b"HTTP/1.1 101 "):
            raise ConnectionError(f"no panel is let in: {head.splitlines()[0].decode()}")
        info = {"firmware_version": "1.6.6", "firmware_type": "bench", "protocol_version": 1}
        self.send({"client_info": info | {"mac": mac}})

    def _receive(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed a panel's connection")
        self.input += data

    def _take_head(self):
        while b"\r\n\r\n" not in self.input:
            self._receive()
        head, _, rest = bytes(self.input).partition(b"\r\n\r\n")
        self.input = bytearray(rest)
        return head

    def fileno(self):
        return self.socket.fileno()

    def send(self, message):
        self._send_frame(TEXT, json.dumps(message, separators=(",", ":")).encode())

    def _send_frame(self, opcode, payload):
        mask = os.urandom(4)
        head = bytes([0x80 | opcode])
        if len(payload) < 126:
            head += bytes([0x80 | len(payload)])
        else:
            head += bytes([0x80 | 126]) + struct.pack("!H", len(payload))
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.socket.sendall(head + mask + masked)

    def _take_frame(self):
        """Returns the next complete received frame: opcode and payload, or None."""
        if len(self.input) < 2:
            return None
        length, start = self.input[1] & 0x7F, 2
        if length == 126 and len(self.input) >= 4:
            length, start = struct.unpack_from("!H", self.input, 2)[0], 4
        elif length == 127 and len(self.input) >= 10:
            length, start = struct.unpack_from("!Q", self.input, 2)[0], 10
        elif length > 125:
            return None
        if len(self.input) < start + length:
            return None
        frame = self.input[0] & 0x0F, bytes(self.input[start : start + length])
        del self.input[: start + length]
        return frame

    def waiting(self):
        """Returns the messages received already, without a system call."""
        while frame := self._take_frame():
            if frame[0] == PING:
                self._send_frame(PONG, frame[1])
            elif frame[0] == CLOSE:
                raise ConnectionError("the server sent a CLOSE frame")
            elif frame[0] in (TEXT, BINARY):
                yield frame

    def messages(self):
        """Reads once. Returns the whole messages received: (opcode, payload). Answers pings."""
        self._receive()
        return self.waiting()

    def acknowledge(self):
        """Acknowledges the received picture as the firmware does: queued, and displayed."""
        self.counter += 1
        self.send({"queued": self.counter})
        self.send({"displaying": self.counter})

    def wait_for_picture(self):
        """Waits for the next picture and acknowledges it."""
        messages = self.waiting()
        while True:
            for opcode, payload in messages:
                if opcode == BINARY:
                    self.acknowledge()
                    return payload
            messages = self.messages()

    def close(self):
        self.socket.close()
