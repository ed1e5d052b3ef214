"""Panels on WebSockets that rest, in a thread of their own: they read, and answer pings."""

import selectors
import socket
import threading

PING, PONG = 0x89, b"\x8a\x80\0\0\0\0"
SELECT_S = 0.2


class RestingPanels:
    """add() each panel, then start(); close() ends all of them."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.is_over = False
        self.thread = threading.Thread(target=self._run)

    def add(self, address, device, key, says=b""):
        """address: of the server, with its port. says: bytes that the panel sends once it is let in."""
        connection = socket.create_connection(address)
        connection.sendall((f"GET /d/{device}/ws?key={key} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\n"
                            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                            f"Sec-WebSocket-Key: {'A' * 22}==\r\n\r\n").encode())
        if says:
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(1 << 16)
            connection.sendall(says)
        self.selector.register(connection, selectors.EVENT_READ)

    def start(self):
        self.thread.start()

    def _run(self):
        while not self.is_over:
            for ready, _ in self.selector.select(SELECT_S):
                data = ready.fileobj.recv(1 << 16)
                if not data:
                    self.selector.unregister(ready.fileobj)
                elif data[0] == PING:
                    ready.fileobj.sendall(PONG)

    def close(self):
        self.is_over = True
        if self.thread.is_alive():
            self.thread.join()
        for ready in list(self.selector.get_map().values()):
            ready.fileobj.close()
