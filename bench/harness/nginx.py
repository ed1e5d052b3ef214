"""Debian's nginx, which answers with "return 200" as large as an answer of displayd."""

import os
import socket
import subprocess

from harness import cpu
from server import wait_until

# The head that nginx sends by itself; one more field fills it up to the wanted length.
HEAD = ("HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sat, 21 Nov 2026 08:00:00 GMT\r\n"
        "Content-Type: {kind}\r\nContent-Length: {length}\r\nConnection: keep-alive\r\n\r\n")
FIELD = "X-Fill: \r\n"

# No "reuseport": it spreads connections unevenly, and nginx would be slower by a third.
CONFIG = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
worker_processes {workers};
worker_rlimit_nofile 20000;
events {{
	worker_connections 8192;
}}
http {{
	access_log off;
	server_tokens off;
	keepalive_requests 1000000000;
	keepalive_timeout 1h;
	client_body_temp_path {folder}/body;
	proxy_temp_path {folder}/proxy;
	fastcgi_temp_path {folder}/fastcgi;
	uwsgi_temp_path {folder}/uwsgi;
	scgi_temp_path {folder}/scgi;
	default_type "{kind}";
	server {{
		listen 127.0.0.1:{port} backlog=4096{tls};
		location / {{
			{fill}return 200 "{body}";
		}}
	}}
}}
"""

# The first choice of displayd's in TLS 1.2 and in 1.3, with sessions as displayd has them: tickets.
TLS = """ ssl;
		ssl_certificate {certificate};
		ssl_certificate_key {key};
		ssl_protocols TLSv1.2 TLSv1.3;
		ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256;
		ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
		ssl_ecdh_curve prime256v1;
		ssl_session_cache off;
		ssl_session_timeout 8h"""


def head_length(answer):
    """Returns the size in bytes of the head of an answer of test/server.py."""
    lines = [f"HTTP/1.1 {answer.status} OK"]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    return sum(len(line) + 2 for line in lines) + 2


def fill_directive(wanted, kind, body_length):
    """Returns an add_header that makes nginx's head as long as wanted, unless it is longer anyway."""
    missing = wanted - len(HEAD.format(kind=kind, length=body_length)) - len(FIELD)
    return f'add_header X-Fill "{"x" * missing}"; ' if missing > 0 else ""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def config_text(folder, port, workers, answer, certificate=None):
    kind = answer.headers["Content-Type"]
    body = "x" * len(answer.body)
    tls = ""
    if certificate:
        tls = TLS.format(certificate=certificate.certificate, key=certificate.key)
    return CONFIG.format(folder=folder, port=port, workers=workers, kind=kind, body=body, tls=tls,
                         fill=fill_directive(head_length(answer), kind, len(body)))


class Nginx:
    """An nginx that runs from start() to stop(). workers: as many as displayd has."""

    def __init__(self, folder, answer, workers, certificate=None):
        self.folder = folder
        self.port = free_port()
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        self.config = config_text(folder, self.port, workers, answer, certificate)
        self.process = None

    def start(self):
        os.chmod(self.folder, 0o755)
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(self.config)
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "nginx", "-c", path, "-p", self.folder,
             "-e", os.path.join(self.folder, "error.log")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        wait_until(self._answers, "an answer of nginx", 30)
        return self

    def _answers(self):
        if self.process.poll() is not None:
            raise RuntimeError("nginx ended: " + self.process.stderr.read().decode()[-500:])
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def server_pids(self):
        return cpu.tree(self.process.pid)

    def stop(self):
        """SIGTERM: nginx ends at once."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process:
            self.process.stderr.close()
