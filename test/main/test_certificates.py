"""Messages to operators about certificates, keys and the options that name them."""

import os
import subprocess

import certificates
import pytest
from conftest import displayd
from cryptography import x509
from server import DISPLAYD, PATIENCE_S


class Pair:
    """A certificate and key that a test damages."""

    def __init__(self, folder):
        self.folder = folder
        self.made = certificates.make(folder, "own")

    def replace(self, **options):
        self.made = certificates.make(self.folder, "other", **options)

    def write(self, of_key, data):
        with open(self.made.key if of_key else self.made.certificate, "wb") as file:
            file.write(data)


def swap(pair):
    pair.made.certificate, pair.made.key = pair.made.key, pair.made.certificate


def not_its_key(pair):
    key = certificates.make(pair.folder, "second").key
    pair.made.key = key


def wrong_order(pair):
    issuer = certificates.make(pair.folder, "issuer")
    pair.made = certificates.make(pair.folder, "leaf", issuer=issuer)
    pair.made.write([issuer, pair.made])


FAULTS = {
    "missing certificate": (lambda pair: os.unlink(pair.made.certificate), "no such file"),
    "missing key": (lambda pair: os.unlink(pair.made.key), "no such file"),
    "folder": (lambda pair: setattr(pair.made, "key", pair.folder), "is a folder"),
    "empty": (lambda pair: pair.write(False, b""), "is empty"),
    "too large": (lambda pair: pair.write(False, pair.made.pem() * 200), "larger than 64 KiB"),
    "no PEM": (lambda pair: pair.write(False, bytes(range(256))), "no certificate in PEM form"),
    "no PEM key": (lambda pair: pair.write(True, b"secret"), "no key in PEM form"),
    "swapped": (swap, "contains a key and no certificate: are the two files mixed up?"),
    "damaged": (lambda pair: pair.write(False, pair.made.pem().replace(b"M", b"N")), "is damaged"),
    "damaged key": (lambda pair: pair.write(True, pair.made.key_pem().replace(b"M", b"N")),
                    "is damaged"),
    "not its key": (not_its_key, "does not belong to the certificate"),
    "encrypted": (lambda pair: pair.made.write_key(b"word"), "is encrypted"),
    "wrong order": (wrong_order, "is in the wrong order: the server's own certificate"),
    "curve": (lambda pair: pair.replace(key="brainpool"), "on a curve that clients do not support"),
    "kind": (lambda pair: pair.replace(key="ed25519"), "has an unsupported type"),
    "RSA too small": (lambda pair: pair.replace(key="rsa1024"), "is an RSA key of 1024 bits"),
    "usage": (lambda pair: pair.replace(extensions=[x509.ExtendedKeyUsage(
        [x509.ExtendedKeyUsageOID.CLIENT_AUTH])]), "is not for servers"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_sentence(folder, name):
    pair = Pair(folder)
    spoil, expected = FAULTS[name]
    spoil(pair)
    code, _, log = displayd("--state-dir", folder + "/state", "--tls-listen", "127.0.0.1:0",
                            *pair.made.options)
    assert code == 2
    assert expected in log
    assert "secret" not in log


@pytest.mark.parametrize("of_key", [True, False])
def test_a_file_that_may_not_be_read(folder, of_key):
    """Root can read any file, so another user tries."""
    pair = Pair(folder)
    os.chmod(folder, 0o755)
    for path in (pair.made.key, pair.made.certificate):
        os.chmod(path, 0o644)
    denied = pair.made.key if of_key else pair.made.certificate
    os.chmod(denied, 0o000)
    os.mkdir(folder + "/state", 0o700)
    if os.getuid() == 0:
        os.chown(folder + "/state", 65534, 65534)
    as_other = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    done = subprocess.run([*(as_other if os.getuid() == 0 else ()), DISPLAYD, "--state-dir",
                           folder + "/state", "--tls-listen", "127.0.0.1:0", *pair.made.options],
                          capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    if os.getuid() == 0 and done.returncode in (126, 127):
        pytest.skip("another user may not start displayd from its build folder")
    assert done.returncode == 2, done.stderr
    assert denied in done.stderr and "this user may not read it" in done.stderr


@pytest.mark.parametrize("arguments,expected", [
    (["--tls-listen", "127.0.0.1:0"],
     "--tls-listen needs a --tls-certificate and its --tls-key"),
    (["--tls-certificate", "a", "--tls-key", "b"], "--tls-certificate needs a --tls-listen"),
    (["--tls-listen", "127.0.0.1:0", "--tls-certificate", "a"],
     "--tls-certificate is given 1 times, but --tls-key 0 times"),
    (["--listen", "127.0.0.1:7", "--tls-listen", "127.0.0.1:7", "--tls-certificate", "a",
      "--tls-key", "b"], "--tls-listen is given twice"),
])
def test_options_that_do_not_fit(folder, arguments, expected):
    code, _, said = displayd("--state-dir", folder, *arguments)
    assert code == 2
    assert expected in said


WARNINGS = {
    "expired": (lambda pair: pair.replace(days=(-3, -1)), "has expired"),
    "not yet": (lambda pair: pair.replace(days=(1, 3)), "is not valid yet"),
    "chain": (lambda pair: pair.made.write([pair.made, certificates.make(pair.folder, "x")]),
              "has a broken chain"),
    "key for everybody": (lambda pair: os.chmod(pair.made.key, 0o604),
                          "key file readable by every user"),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_warnings(folder, launch, name):
    """displayd warns about these certificates, but starts."""
    pair = Pair(folder)
    spoil, expected = WARNINGS[name]
    spoil(pair)
    server = launch("--tls-listen", "127.0.0.1:0", *pair.made.options, workers=1, listen=None)
    server.launch()
    server.wait_for_log("scheme=https")
    server.wait_for_log(expected)
