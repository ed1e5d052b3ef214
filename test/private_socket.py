"""The private socket of a server, which displayctl uses as the operator of the machine."""

import contextlib
import http.client
import http.server
import json
import os
import socket
import socketserver
import threading

import problems
from server import PATIENCE_S, Response


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("displayd", timeout=PATIENCE_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def ask(connection, method, path, body=None, **fields):
    """Sends a request. A _ in a field's name means -."""
    headers = {name.replace("_", "-"): value for name, value in fields.items()}
    if body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(body)
    try:
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        response = Response(answer.status, answer.headers, answer.read())
        problems.check(method, path, answer.status, answer.headers["Content-Type"], response.body)
        return response
    finally:
        connection.close()


def ask_operator(server, method, path, body=None, **fields):
    return ask(Unix(os.path.join(server.state_dir, "admin.sock")), method, path, body, **fields)


BUSY = Response(503, {}, b"")


class Between(http.server.BaseHTTPRequestHandler):
    """Handles requests between displayctl and a server."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def choose(self, body):
        """Returns an answer; None: the connection is closed without one."""
        raise NotImplementedError

    def pass_on(self, body):
        """Returns the server's answer."""
        account = self.headers["Displayd-Account"]
        fields = {"Displayd_Account": account} if account else {}
        return ask_operator(self.server.running, self.command, self.path, body, **fields)

    def handle_request(self, body=None):
        answer = self.choose(body)
        if not answer:
            self.close_connection = True
            return
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def do_GET(self):
        self.handle_request()

    def do_POST(self):
        self.handle_request(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))


@contextlib.contextmanager
def serve_between(running, folder, handler, **state):
    """Serves the private socket in a state directory. handler: a kind of Between, which finds the state as
    attributes of its server. Yields this server."""
    with socketserver.ThreadingUnixStreamServer(os.path.join(folder, "admin.sock"), handler) as server:
        server.daemon_threads = True
        vars(server).update(state, running=running)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
