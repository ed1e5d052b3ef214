"""Findings of testssl in a TLS listener's protocols, ciphers, forward secrecy and vulnerabilities, and
its remarks on the test's certificates, which docs/security_tests.yaml lists."""

import json
import os
import shutil
import subprocess

import certificates
import pytest
import tls
import yaml
from server import ROOT

TESTSSL = shutil.which("testssl")
SECTIONS = "-p", "-s", "-f", "-U"
# Findings about testssl itself, not about the server. On a busy machine its client leaves before the ticket
# arrives, and cannot resume; test_tls.py tests that.
OF_ITS_OWN = {"engine_problem", "scanTime", "sessionresumption_ticket"}


def listed():
    """Remarks on certificates in docs/security_tests.yaml, with their severity."""
    with open(os.path.join(ROOT, "docs/security_tests.yaml"), encoding="utf-8") as file:
        return set(yaml.safe_load(file)["testssl"].items())


@pytest.fixture
def look(launch, folder):
    """Runs testssl on these sections. Returns its code and its findings by name."""
    both = [certificates.make(folder, key, key=key) for key in ("ec", "rsa")]
    pairs = [option for one in both for option in one.options]
    server = launch("--tls-listen", "127.0.0.1:0", *pairs, workers=1).start()

    def run(*sections):
        path = os.path.join(folder, "found.json")
        done = subprocess.run(
            [TESTSSL, "--quiet", "--color", "0", "--warnings", "off", "--ip", "127.0.0.1",
             "--jsonfile", path, *sections, f"localhost:{tls.port_of(server)}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False, timeout=800)
        with open(path, encoding="utf-8") as file:
            return done.returncode, {found["id"]: found for found in json.load(file)}

    return run


@pytest.mark.skipif(not TESTSSL, reason="testssl.sh is not installed")
def test_it_finds_nothing(look):
    code, findings = look(*SECTIONS)
    assert code == 0
    bad = [found for name, found in findings.items()
           if found["severity"] not in ("OK", "INFO") and name not in OF_ITS_OWN]
    assert not bad
    # The check took place.
    for name in ("TLS1_2", "TLS1_3", "cipherlist_STRONG", "heartbleed", "secure_client_renego"):
        assert findings[name]["severity"] == "OK", findings[name]


@pytest.mark.skipif(not TESTSSL, reason="testssl.sh is not installed")
def test_what_it_says_of_the_certificates(look):
    """No names are resolved, since a resolver may be missing here."""
    _, findings = look("-S", "--nodns", "none")
    # Names of a second certificate's findings end with its number.
    bad = {(name.split(" ")[0], found["severity"]) for name, found in findings.items()
           if found["severity"] not in ("OK", "INFO") and name not in OF_ITS_OWN}
    assert bad == listed()
