"""Certificates for tests."""

import datetime
import ipaddress
import mmap
import os

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

KEYS = {
    "ec": lambda: ec.generate_private_key(ec.SECP256R1()),
    "p384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "brainpool": lambda: ec.generate_private_key(ec.BrainpoolP256R1()),
    "ed25519": ed25519.Ed25519PrivateKey.generate,
    "rsa": lambda: rsa.generate_private_key(65537, 2048),
    "rsa1024": lambda: rsa.generate_private_key(65537, 1024),
}
DAY = datetime.timedelta(days=1)


class Certificate:
    """A certificate and its key, in files."""

    def __init__(self, folder, name, made, key):
        self.made = made
        self.secret = key
        self.certificate = os.path.join(folder, name + ".pem")
        self.key = os.path.join(folder, name + ".key")
        self.write([self])
        self.write_key()

    @property
    def options(self):
        """Options of displayd."""
        return "--tls-certificate", self.certificate, "--tls-key", self.key

    def pem(self):
        return self.made.public_bytes(serialization.Encoding.PEM)

    def key_pem(self, password=None):
        protection = serialization.NoEncryption()
        if password:
            protection = serialization.BestAvailableEncryption(password)
        return self.secret.private_bytes(serialization.Encoding.PEM,
                                         serialization.PrivateFormat.PKCS8, protection)

    def write(self, chain):
        """Writes this certificate and key into the files."""
        with open(self.certificate, "wb") as file:
            file.write(b"".join(one.pem() for one in chain))

    def write_key(self, password=None):
        with open(self.key, "wb") as file:
            os.chmod(self.key, 0o600)
            file.write(self.key_pem(password))

    def is_in_memory(self, pid):
        """Whether the key is in memory that this supervisor shares with its workers."""
        folder = f"/proc/{pid}/fd"
        for path in (os.path.join(folder, name) for name in os.listdir(folder)):
            if not os.readlink(path).startswith("/memfd:displayd-shared"):
                continue
            with open(path, "rb") as file, \
                    mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory:
                return memory.find(self.key_pem()) >= 0
        raise LookupError("the supervisor has no such memory")


def names_of(texts):
    for text in texts:
        try:
            yield x509.IPAddress(ipaddress.ip_address(text))
        except ValueError:
            yield x509.DNSName(text)


def make(folder, name, names=("localhost", "127.0.0.1"), key="ec", issuer=None, days=(-1, 2),
         extensions=()):
    """Makes a self-signed certificate, unless an issuer is given. names: alternative names. days: first and
    last day of its validity, counted from now."""
    secret = KEYS[key]()
    now = datetime.datetime.utcnow()
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    builder = (x509.CertificateBuilder().subject_name(subject)
               .issuer_name(issuer.made.subject if issuer else subject)
               .public_key(secret.public_key()).serial_number(x509.random_serial_number())
               .not_valid_before(now + days[0] * DAY).not_valid_after(now + days[1] * DAY)
               .add_extension(x509.BasicConstraints(ca=not issuer, path_length=None), True))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(list(names_of(names))), False)
    for extension in extensions:
        builder = builder.add_extension(extension, False)
    signer = issuer.secret if issuer else secret
    is_plain = isinstance(signer, ed25519.Ed25519PrivateKey)
    return Certificate(folder, name, builder.sign(signer, None if is_plain else hashes.SHA256()),
                       secret)
