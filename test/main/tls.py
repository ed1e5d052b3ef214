"""Clients of a displayd with a TLS listener."""

import json
import re
import socket
import ssl
import subprocess

from server import DISPLAYCTL, PATIENCE_S, Response

REQUEST = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"


def port_of(server, count=0):
    """Port of its TLS listener, from the log."""
    return int(re.findall(r"port=(\d+) (?:role=public )?scheme=https", server.log())[count])


def context(*trusted, version=None, ciphers=None, curve=None, protocols=None):
    """TLS context of a client. trusted: certificates, each of which is its own authority."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for certificate in trusted:
        made.load_verify_locations(certificate.certificate)
    if not trusted:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    if version:
        made.minimum_version = made.maximum_version = version
    if ciphers:
        made.set_ciphers(ciphers)
    if curve:
        made.set_ecdh_curve(curve)
    if protocols:
        made.set_alpn_protocols(protocols)
    return made


def raw(port, address="127.0.0.1"):
    return socket.create_connection((address, port), timeout=PATIENCE_S)


def connect(port, made, name="localhost", session=None):
    return made.wrap_socket(raw(port), server_hostname=name, session=session,
                            suppress_ragged_eofs=False)


def read_answer(stream):
    """Reads an answer with a Content-Length."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = stream.recv(65536)
        assert piece, data
        data += piece
    head, body = data.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    while len(body) < length:
        body += stream.recv(65536)
    return Response(int(head.split()[1]), None, body)


def ask(stream, path="/livez"):
    stream.sendall(REQUEST % path.encode())
    return read_answer(stream)


def panel_shows(url, authority):
    """A panel in the terminal shows a picture over its first connection. authority: file of the certificate
    that the panel trusts."""
    command = [DISPLAYCTL, "panel", "--url", url, "--events", "-", "--ca", authority]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True) as panel:
        try:
            for line in panel.stdout:
                event = json.loads(line)
                assert event["event"] != "closed", event
                if event["event"] == "displaying":
                    return
            raise AssertionError("the panel has ended")
        finally:
            panel.terminate()
            panel.stdout.read()


class Piecewise:
    """A handshake whose bytes the test transfers."""

    def __init__(self, made, name="localhost"):
        self.incoming = ssl.MemoryBIO()
        self.outgoing = ssl.MemoryBIO()
        self.object = made.wrap_bio(self.incoming, self.outgoing, server_hostname=name)

    def step(self):
        """Next bytes of the client; the second value is True once the handshake is done."""
        try:
            self.object.do_handshake()
            return self.outgoing.read(), True
        except ssl.SSLWantReadError:
            return self.outgoing.read(), False

    def run(self, stream, send):
        """Runs the whole handshake over a socket; send(stream, data) may split the bytes."""
        while True:
            data, is_done = self.step()
            if data:
                send(stream, data)
            if is_done:
                return
            received = stream.recv(65536)
            assert received, "the server has ended the handshake"
            self.incoming.write(received)

    def ask(self, stream, path="/livez"):
        self.object.write(REQUEST % path.encode())
        stream.sendall(self.outgoing.read())
        data = b""
        while b"\r\n\r\n" not in data:
            try:
                data += self.object.read(65536)
            except ssl.SSLWantReadError:
                self.incoming.write(stream.recv(65536))
        return int(data.split()[1])


def record(head, body):
    """A record with the kind and the version of another record's head."""
    return head[:3] + len(body).to_bytes(2, "big") + body


def split_first_record(data, size):
    """Splits the first record in two: its first bytes, and the rest."""
    return record(data, data[5:5 + size]), record(data, data[5 + size:])


def split_records(data, most):
    """The same messages in records of at most this many bytes."""
    result = b""
    while data:
        head, length = data[:5], int.from_bytes(data[3:5], "big")
        body, data = data[5:5 + length], data[5 + length:]
        for at in range(0, len(body), most):
            result += record(head, body[at:at + most])
    return result
