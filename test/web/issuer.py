"""Issuers of OpenID Connect: one that says whatever a test wants, and a real one, oidc-provider of npm (test/web/oidc)."""

import base64
import contextlib
import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
import time
import urllib.parse

from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

import npm_packages

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENT = "displayd"
SECRET = "a secret: with %signs + spaces"


def code64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number64(number, size=None):
    return code64(number.to_bytes(size or (number.bit_length() + 7) // 8, "big"))


class Key:
    """A key of an issuer, which signs."""

    def __init__(self, algorithm="RS256", name="one", bits=2048):
        self.algorithm, self.name = algorithm, name
        self.private = {"RS256": lambda: rsa.generate_private_key(65537, bits),
                        "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
                        "EdDSA": ed25519.Ed25519PrivateKey.generate}[algorithm]()

    def public(self, **more):
        numbers = self.private.public_key()
        if self.algorithm == "RS256":
            found = numbers.public_numbers()
            key = {"kty": "RSA", "n": number64(found.n), "e": number64(found.e)}
        elif self.algorithm == "ES256":
            found = numbers.public_numbers()
            key = {"kty": "EC", "crv": "P-256", "x": number64(found.x, 32), "y": number64(found.y, 32)}
        else:
            raw = numbers.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
            key = {"kty": "OKP", "crv": "Ed25519", "x": code64(raw)}
        return key | {"kid": self.name, "alg": self.algorithm, "use": "sig"} | more

    def pem(self):
        return self.private.public_key().public_bytes(serialization.Encoding.PEM,
                                                      serialization.PublicFormat.SubjectPublicKeyInfo)

    def sign(self, data):
        if self.algorithm == "RS256":
            return self.private.sign(data, padding.PKCS1v15(), hashes.SHA256())
        if self.algorithm == "EdDSA":
            return self.private.sign(data)
        r, s = utils.decode_dss_signature(self.private.sign(data, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def token(header, claims, sign):
    data = f"{code64(json.dumps(header).encode())}.{code64(json.dumps(claims).encode())}"
    return f"{data}.{code64(sign(data.encode()))}"


def keyed(secret):
    """Signs as HS256 does."""
    def sign(data):
        code = hmac.HMAC(secret, hashes.SHA256())
        code.update(data)
        return code.finalize()
    return sign


class Issuer:
    """keys: that it publishes. claims: changes of the next token's. make: makes the token itself, from header and claims.
    configuration: changes of it. hold: an event that answers wait for. asked: paths, in order; forms: of the exchanges."""

    def __init__(self):
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                issuer.answer(self, None)

            def do_POST(self):
                issuer.answer(self, self.rfile.read(int(self.headers["Content-Length"])).decode())

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.keys, self.signer = [], Key()
        self.keys = [self.signer.public()]
        self.claims, self.make, self.configuration, self.status = {}, None, {}, 200
        self.hold = None
        self.headers, self.codes, self.asked, self.forms, self.bodies = {}, {}, [], [], {}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler, form):
        self.asked.append(handler.path)
        if self.hold:
            self.hold.wait(20)
        body = self.bodies.get(handler.path)
        if body is None:
            body = json.dumps({"/.well-known/openid-configuration": self.discovery, "/keys": lambda: {"keys": self.keys},
                               "/token": lambda: self.exchange(form, handler)}[handler.path]()).encode()
        handler.send_response(self.status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def discovery(self):
        return {"issuer": self.url, "authorization_endpoint": f"{self.url}/authorize?tenant=1",
                "token_endpoint": f"{self.url}/token", "jwks_uri": f"{self.url}/keys"} | self.configuration

    def exchange(self, form, handler):
        fields = dict(urllib.parse.parse_qsl(form))
        self.forms.append((fields, handler.headers["Authorization"]))
        asked = self.codes.pop(fields["code"])
        proof = code64(hashlib.sha256(fields["code_verifier"].encode()).digest())
        assert proof == asked["code_challenge"] and fields["redirect_uri"] == asked["redirect_uri"]
        header = {"alg": self.signer.algorithm, "kid": self.signer.name} | self.headers
        claims = {"iss": self.url, "aud": CLIENT, "sub": "ada", "nonce": asked["nonce"], "iat": int(time.time()),
                  "exp": int(time.time()) + 300, "email": "ada@example.org", "email_verified": True} | self.claims
        claims = {name: value for name, value in claims.items() if value is not None}
        made = self.make(header, claims) if self.make else token(header, claims, self.signer.sign)
        return {"access_token": "x", "token_type": "Bearer", "id_token": made}

    def authorize(self, url):
        """What a person's browser does there. Returns what leads back."""
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"
        assert asked["scope"].split()[0] == "openid" and asked["client_id"] == CLIENT and asked["tenant"] == "1"
        code = f"code {len(self.asked)}/{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}


@contextlib.contextmanager
def made_up():
    issuer = Issuer()
    try:
        yield issuer
    finally:
        issuer.close()


@contextlib.contextmanager
def real(redirect):
    """oidc-provider. It has one client, which may go to redirect; anybody signs in with any name."""
    modules = npm_packages.install(os.path.join(HERE, "oidc"), "oidc-provider")
    environment = npm_packages.environment() | {
        "ISSUER_MODULES": str(modules), "CLIENT": CLIENT, "SECRET": SECRET, "REDIRECT": redirect}
    with subprocess.Popen(["node", os.path.join(HERE, "oidc/issuer.mjs")], env=environment, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=sys.stderr, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.terminate()
