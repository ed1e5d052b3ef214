"""A passkey authenticator in software (W3C Web Authentication, ES256): what a browser sends after its user
has touched one. A test can forge every value."""

import base64
import hashlib
import json
import secrets
import struct

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

HOST = "localhost"
PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40


def text_of(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def bytes_of(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def cbor(value):
    """Encodes the types of a COSE key (RFC 8949)."""
    if isinstance(value, dict):
        return bytes([0xA0 | len(value)]) + b"".join(cbor(k) + cbor(v) for k, v in value.items())
    kind, number = (0x40, len(value)) if isinstance(value, bytes) else (0x00, value)
    if isinstance(value, int) and value < 0:
        kind, number = 0x20, -1 - value
    if number < 24:
        head = bytes([kind | number])
    elif number < 256:
        head = bytes([kind | 24, number])
    else:
        head = bytes([kind | 25]) + struct.pack(">H", number)
    return head + (value if isinstance(value, bytes) else b"")


class Passkey:
    """algorithm: -7, -8 or -257, of COSE."""

    def __init__(self, algorithm=-7, count=1):
        self.algorithm = algorithm
        self.count = count
        self.id = secrets.token_bytes(32)
        if algorithm == -7:
            self.key = ec.generate_private_key(ec.SECP256R1())
        elif algorithm == -8:
            self.key = ed25519.Ed25519PrivateKey.generate()
        else:
            self.key = rsa.generate_private_key(65537, 2048)

    def cose(self):
        public = self.key.public_key()
        if self.algorithm == -7:
            numbers = public.public_numbers()
            return cbor({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"),
                         -3: numbers.y.to_bytes(32, "big")})
        if self.algorithm == -8:
            raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
            return cbor({1: 1, 3: -8, -1: 6, -2: raw})
        return cbor({1: 3, 3: -257, -1: public.public_numbers().n.to_bytes(256, "big"),
                     -2: b"\x01\x00\x01"})

    def sign(self, data):
        if self.algorithm == -7:
            return self.key.sign(data, ec.ECDSA(hashes.SHA256()))
        if self.algorithm == -8:
            return self.key.sign(data)
        return self.key.sign(data, padding.PKCS1v15(), hashes.SHA256())

    def data(self, flags, host, tail=b""):
        return (hashlib.sha256(host.encode()).digest() + bytes([flags]) +
                struct.pack(">I", self.count) + tail)

    def creation(self, challenge, origin, flags=PRESENT | VERIFIED | HAS_KEY, host=HOST,
                 kind="webauthn.create", **more):
        credential = bytes(16) + struct.pack(">H", len(self.id)) + self.id + self.cose()
        return {"clientDataJson": client_data(kind, challenge, origin, **more),
                "authenticatorData": text_of(self.data(flags, host, credential))}

    def answer(self, challenge, origin, flags=PRESENT | VERIFIED, host=HOST, kind="webauthn.get",
               user=None, **more):
        """Each answer increases the signature count."""
        self.count += 1 if self.count else 0
        client = client_data(kind, challenge, origin, **more)
        data = self.data(flags, host)
        signed = data + hashlib.sha256(bytes_of(client)).digest()
        answer = {"credentialId": text_of(self.id), "clientDataJson": client,
                  "authenticatorData": text_of(data), "signature": text_of(self.sign(signed))}
        return answer | ({"userHandle": text_of(user)} if user else {})


def client_data(kind, challenge, origin, **more):
    members = {"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": False} | more
    return text_of(json.dumps(members).encode())
