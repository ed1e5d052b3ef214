"""A server under test and a client that sends raw bytes; if HTTP_TEST_TLS is set, both use TLS."""

import array
import atexit
import fcntl
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import termios

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from waiting import wait_until  # noqa: E402

SERVER = os.environ.get("HTTP_TEST_SERVER", "build/http/test/http/http_test_server")

class TlsSocket(ssl.SSLSocket):
    """A TLS socket that behaves like a plain one."""

    def recv(self, *arguments):
        try:
            return super().recv(*arguments)
        except ssl.SSLWantReadError:
            raise BlockingIOError() from None
        except ssl.SSLEOFError:
            raise ConnectionResetError() from None

    def send(self, *arguments):
        try:
            return super().send(*arguments)
        except ssl.SSLWantWriteError:
            raise BlockingIOError() from None
        except ssl.SSLEOFError:
            raise BrokenPipeError() from None

    def shutdown(self, how):
        socket.socket.shutdown(self, how)


def make_tls():
    """The file of a certificate with its key, and a client's TLS context."""
    folder = tempfile.mkdtemp(prefix="displayd-http-")
    atexit.register(shutil.rmtree, folder)
    path = os.path.join(folder, "both.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", path + ".key", "-out", path], check=True, capture_output=True)
    with open(path, "ab") as both, open(path + ".key", "rb") as key:
        both.write(key.read())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.sslsocket_class = TlsSocket
    return path, context


TLS_FILE, TLS = make_tls() if os.environ.get("HTTP_TEST_TLS") else (None, None)
PATIENCE = 60  # seconds; only a hang takes this long


class Answer:
    def __init__(self, status, reason, fields, body):
        self.status = status
        self.reason = reason
        self.fields = fields  # a list of (name, value)
        self.body = body
        self.chunks = None  # lengths of the chunks of a body

    def __getitem__(self, name):
        values = [v for n, v in self.fields if n.lower() == name.lower()]
        assert len(values) == 1, (name, self.fields)
        return values[0]

    def __contains__(self, name):
        return any(n.lower() == name.lower() for n, _ in self.fields)


class Client:
    """source: local address of the client; port: None for the server's first."""

    def __init__(self, server, source="127.0.0.1", port=None):
        if server.path:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.settimeout(PATIENCE)
            self.socket.connect(server.path)
        else:
            self.socket = socket.create_connection(("127.0.0.1", port or server.port),
                                                   PATIENCE, (source, 0))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if TLS and not port:  # the operator's listener has no TLS
            self.socket = TLS.wrap_socket(self.socket, suppress_ragged_eofs=False)
        self.is_unix = bool(server.path)
        self.buffer = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def send_piece(self, data):
        """Sends, and waits until the server has read all of it (unix sockets only)."""
        assert self.is_unix
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return
        left = array.array("i", [0])

        def is_read():
            fcntl.ioctl(self.socket, termios.TIOCOUTQ, left)
            return left[0] == 0

        wait_until(is_read, "that it is read", pause_s=0)

    def end(self):
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """Closes with a RST (TCP only)."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def fill(self):
        data = self.socket.recv(1 << 20)
        self.buffer += data
        return bool(data)

    def nothing(self):
        """Checks that nothing can be read."""
        self.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            self.socket.recv(1)
        self.socket.settimeout(PATIENCE)

    def take(self, size):
        while len(self.buffer) < size:
            assert self.fill(), f"connection ended in {self.buffer!r}"
        data = bytes(self.buffer[:size])
        del self.buffer[:size]
        return data

    def answer(self, method="GET"):
        while b"\r\n\r\n" not in self.buffer:
            assert self.fill(), f"connection ended in {self.buffer!r}"
        head = self.take(self.buffer.index(b"\r\n\r\n") + 4)[:-4]
        lines = head.decode("latin-1").split("\r\n")
        version, status, reason = lines[0].split(" ", 2)
        assert version == "HTTP/1.1"
        fields = [tuple(line.split(": ", 1)) for line in lines[1:]]
        length = [int(v) for n, v in fields if n == "Content-Length"]
        assert len(length) <= 1
        has_body = method != "HEAD" and length
        body = self.take(length[0]) if has_body else b""
        answer = Answer(int(status), reason, fields, body)
        if "Transfer-Encoding" in answer:
            assert answer["Transfer-Encoding"] == "chunked" and not length
            answer.chunks = []
        return answer

    def line(self):
        while b"\r\n" not in self.buffer:
            assert self.fill(), f"connection ended in {self.buffer!r}"
        return self.take(self.buffer.index(b"\r\n") + 2)[:-2]

    def chunk(self):
        """The next chunk of a body; empty for its end."""
        size = self.line()
        assert size == b"%x" % int(size, 16)
        data = self.take(int(size, 16))
        assert self.take(2) == b"\r\n"
        return data

    def streamed(self):
        """An answer with all of its chunks."""
        answer = self.answer()
        while data := self.chunk():
            answer.chunks.append(len(data))
            answer.body += data
        return answer

    def ended(self):
        """Waits for the end. Returns all bytes before it."""
        try:
            while self.fill():
                pass
        except ConnectionResetError:
            self.buffer += b"<reset>"
        return self.take(len(self.buffer))

    def get(self, target, method="GET"):
        self.send(f"{method} {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        return self.answer(method)


class Server:
    def __init__(self, *options, path=None, **popen):
        arguments = [SERVER, *options] + (["--unix", path] if path else [])
        arguments += ["--tls", TLS_FILE] if TLS else []
        self.path = path
        self.error = None  # its output there, after its end
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **popen
        )
        line = self.process.stdout.readline().split()
        assert line, self.process.stderr.read()
        self.port = int(line[1]) if line[0] == "port" else None
        self.admin_port = None
        if "--admin" in options:
            self.admin_port = int(self.process.stdout.readline().split()[1])

    def client(self, **options):
        return Client(self, **options)

    def stats(self):
        with self.client() as client:
            return json.loads(client.get("/stats").body)

    def wait_until_stopped(self):
        """Waits until the process is stopped (SIGSTOP)."""
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)

    def release(self):
        """Releases the waiting handlers."""
        with self.client() as client:
            assert client.get("/release").status == 200

    def wait_for(self, condition):
        """Waits until the condition is true of the statistics."""
        def found():
            stats = self.stats()
            return condition(stats) and stats

        return wait_until(found, "such statistics")

    def stop(self, number=signal.SIGTERM):
        """Returns its standard error, after a check that it ended without leak or finding."""
        if self.error is None:
            if number:
                self.process.send_signal(number)
            _, self.error = self.process.communicate(timeout=PATIENCE)
        error = self.error
        assert self.process.returncode == 0, error
        assert "ERROR: " not in error and "runtime error" not in error, error
        return error


@pytest.fixture
def start(tmp_path):
    """Starts servers with options; all are stopped and checked."""
    servers = []

    def run(*options, unix=False, **popen):
        path = str(tmp_path / f"socket{len(servers)}") if unix else None
        servers.append(Server(*options, path=path, **popen))
        return servers[-1]

    yield run
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def server():
    server = Server("--linger-ms", "60000")
    yield server
    server.stop(signal.SIGINT)


@pytest.fixture(scope="module")
def unix_server(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("http") / "socket")
    server = Server("--linger-ms", "60000", path=path)
    yield server
    server.stop(signal.SIGINT)
