"""The egress as a process, its clients, and the servers that they ask for something."""

import contextlib
import gzip
import http.server
import json
import os
import pathlib
import socket
import ssl
import struct
import subprocess
import tempfile
import threading

LAUNCHER = os.environ["SANDBOX_LAUNCH"]
PROGRAM = os.environ["EGRESS"]
LOCAL = ("--allow", "127.0.0.0/8", "--allow", "::1")
DATA = "384M"  # as main/program.c has it


@contextlib.contextmanager
def certificate_of_localhost():
    """Paths of a certificate and its key that all users can read. Each pytest that starts on the machine closes
    pytest's own folders to other users again."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{name}" for name in ("cert.pem", "key.pem")]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", paths[0], "-keyout",
                        paths[1]], check=True, capture_output=True)
        os.chmod(paths[0], 0o644)
        for parent in pathlib.Path(folder, "cert.pem").parents:
            with contextlib.suppress(PermissionError):
                os.chmod(parent, os.stat(parent).st_mode | 0o055)
        yield paths


def tls_context(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context


class Client:
    """Each is another account, unless the request names one."""
    count = 0

    def __init__(self, link):
        Client.count += 1
        self.account = f"account-{Client.count}"
        self.link = link
        self.link.settimeout(60)
        self.last = 0
        self.hello, _ = self.receive()

    def read(self, size):
        data = b""
        while len(data) < size:
            piece = self.link.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def receive(self):
        head, body = struct.unpack(">II", self.read(8))
        return json.loads(self.read(head)), self.read(body)

    def send(self, url, body=b"", **members):
        self.last += 1
        fetch = {"id": self.last, "scope": "app", "account": self.account, "method": "GET",
                 "url": url} | members
        head = json.dumps({"fetch": fetch}).encode()
        self.link.sendall(struct.pack(">II", len(head), len(body)) + head + body)
        return self.last

    def ask(self, url, body=b"", **members):
        sent = self.send(url, body, **members)
        head, body = self.receive()
        assert head["fetch"]["id"] == sent
        return head["fetch"], body

    def error(self, url, **members):
        return self.ask(url, **members)[0]["error"]


class Egress:
    def __init__(self, *options, launch=("--network", "--data", DATA), environment=None):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        os.set_inheritable(theirs.fileno(), True)
        command = [*([LAUNCHER, *launch] if launch else []), PROGRAM, *options]

        def place_control():
            os.dup2(theirs.fileno(), 3)

        self.process = subprocess.Popen(command, preexec_fn=place_control, pass_fds=[3],
                                        env=environment)
        theirs.close()

    def connect(self):
        mine, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self.control, [b"c"], [theirs.fileno()])
        return Client(mine)

    def close(self):
        self.control.close()
        assert self.process.wait(timeout=60) == 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        server = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with server.lock:
            server.seen.append((self.command, self.path, dict(self.headers), body))
        path = self.path.partition("?")[0]
        if path == "/slow":
            server.gate.wait(30)
        if path == "/to":
            self.reply(302, b"moved", Location=self.path.partition("?")[2])
        elif path == "/to-large":  # a redirect whose own body is large
            self.reply(302, bytes(8 << 20), Location=self.path.partition("?")[2])
        elif path == "/to-coded":
            self.reply(302, b"moved", Content_Encoding="gzip", Location=self.path.partition("?")[2])
        elif path == "/keep":  # a redirect that keeps the method and the body
            self.reply(307, b"moved", Location=self.path.partition("?")[2])
        elif path == "/large":
            self.reply(200, bytes(int(self.path.partition("?")[2])))
        elif path == "/trailer":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("X-One", "1")
            self.end_headers()
            self.wfile.write(b"5\r\nhello\r\n0\r\nHTTP/1.1 200: no\r\n\r\n")
        elif path == "/continue":
            self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nX-Much: %s\r\n\r\n" % (b"x" * 60000) * 50)
            self.reply(200, b"much")
        elif path == "/held":
            server.gate.wait(30)
            self.reply(200, bytes(int(self.path.partition("?")[2])))
        elif path == "/bomb":
            self.reply(200, gzip.compress(bytes(64 << 20)), Content_Encoding="gzip")
        elif path == "/packed":
            self.reply(200, gzip.compress(b"unpacked"), Content_Encoding="gzip")
        elif path == "/coded":
            name, _, coding = self.path.partition("?")[2].partition("=")
            self.reply(200, b"coded", **{name: coding})
        elif path == "/many":
            self.reply(200, b"", **{f"X-{i}": "x" * 1000 for i in range(90)})
        elif path == "/kept":
            self.reply(200, str(len(server.seen)).encode(), Cache_Control="max-age=60")
        elif path == "/status":
            self.reply(int(self.path.partition("?")[2]), b"status")
        else:
            self.reply(200, b"hello", Set_Cookie="a=b", X_One="1")

    do_POST = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address="127.0.0.1"):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        # All of 127.0.0.0/8, so that it can be many hosts.
        super().__init__(("0.0.0.0" if address == "127.0.0.1" else address, 0), Handler)
        self.seen, self.lock, self.gate = [], threading.Lock(), threading.Event()
        host = f"[{address}]" if ":" in address else address
        self.url = f"http://{host}:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def at(self, number):
        """The URL of another host, one of a few hundred."""
        return f"http://127.0.1.{number % 250 + 1}:{self.server_address[1]}"

    def count(self, path):
        with self.lock:
            return sum(seen[1] == path for seen in self.seen)


class Flood:
    """A server that answers each connection with the begin and then the rest, again and again; without a rest it closes
    the connection."""
    PATIENCE_S = 60

    def __init__(self, begin, rest):
        self.begin, self.rest = begin, rest
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.is_over = False
        self.sent = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=[self.listener.accept()[0]], daemon=True).start()

    def _serve(self, peer):
        with peer, contextlib.suppress(OSError):
            peer.settimeout(self.PATIENCE_S)
            peer.recv(65536)
            peer.sendall(self.begin)
            while self.rest and not self.is_over:
                peer.sendall(self.rest)
                self.sent += len(self.rest)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
