"""A receiver of webhooks: stores messages, and gives the answers that a test chose. It checks signatures by
the rules of Standard Webhooks, without our code."""

import base64
import hashlib
import hmac
import http.server
import json
import threading

from waiting import wait_until


def signature(secret, message_id, timestamp, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


class Message:
    def __init__(self, path, fields, body):
        self.path, self.fields, self.body = path, fields, body
        self.id = fields["webhook-id"]
        said = json.loads(body)
        assert set(said) == {"type", "timestamp", "events"} and said["type"] == "events"
        self.events = said["events"]

    def is_signed_with(self, secret):
        return self.is_signed_with_all(secret)

    def is_signed_with_all(self, *secrets):
        return self.fields["webhook-signature"].split(" ") == [
            signature(secret, self.id, self.fields["webhook-timestamp"], self.body) for secret in secrets]

    def kinds(self):
        return [event["type"] for event in self.events]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, fields = self.server.receiver.take(Message(self.path, self.headers, body))
        self.send_response(status)
        for name, value in {"Content-Length": "0", **fields}.items():
            self.send_header(name, value)
        self.end_headers()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True


class Receiver:
    def __init__(self):
        self.lock = threading.Lock()
        self.messages = []
        self.answers = []  # statuses for the next messages; then 204
        self.always = 204
        self.port = 0
        self.http = None

    def __enter__(self):
        self.open()
        return self

    def __exit__(self, *_):
        self.close()

    def open(self):
        self.http = Server(("127.0.0.1", self.port), Handler)
        self.port = self.http.server_address[1]
        self.http.receiver = self
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        if self.http:
            self.http.shutdown()
            self.http.server_close()
        self.http = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/hook"

    def take(self, message):
        with self.lock:
            answer = self.answers.pop(0) if self.answers else self.always
            self.messages.append((answer, message))
        return answer if isinstance(answer, tuple) else (answer, {})

    def seen(self):
        """All messages."""
        with self.lock:
            return [message for _, message in self.messages]

    def taken(self):
        """Messages that were answered with success."""
        with self.lock:
            return [message for answer, message in self.messages if answer == 204]

    def events(self):
        """Returns the events that have arrived, each message once."""
        known, found = set(), []
        for message in self.taken():
            if message.id not in known:
                known.add(message.id)
                found += message.events
        return found

    def wait_for(self, count):
        wait_until(lambda: len(self.events()) >= count, f"{count} events")
        return self.events()
