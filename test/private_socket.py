"""The private socket of a server, which displayctl uses as the operator of the machine."""

import http.client
import json
import os
import socket

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
        return Response(answer.status, answer.headers, answer.read())
    finally:
        connection.close()


def ask_operator(server, method, path, body=None, **fields):
    return ask(Unix(os.path.join(server.state_dir, "admin.sock")), method, path, body, **fields)
