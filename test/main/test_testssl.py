"""What testssl finds in a TLS listener's protocols, ciphers, forward secrecy and vulnerabilities."""

import json
import os
import shutil
import subprocess

import certificates
import pytest
import tls

TESTSSL = shutil.which("testssl")
SECTIONS = "-p", "-s", "-f", "-U"
# Of the program itself, not of the server.
OF_ITS_OWN = {"engine_problem", "scanTime"}


@pytest.mark.skipif(not TESTSSL, reason="testssl.sh is not installed")
def test_it_finds_nothing(launch, folder):
    both = [certificates.make(folder, key, key=key) for key in ("ec", "rsa")]
    pairs = [option for one in both for option in one.options]
    server = launch("--tls-listen", "127.0.0.1:0", *pairs, workers=1).start()
    path = os.path.join(folder, "found.json")
    subprocess.run([TESTSSL, "--quiet", "--color", "0", "--warnings", "off", "--ip", "127.0.0.1",
                    "--jsonfile", path, *SECTIONS, f"localhost:{tls.port_of(server)}"],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=800)
    with open(path, encoding="utf-8") as file:
        findings = {found["id"]: found for found in json.load(file)}
    bad = [found for name, found in findings.items()
           if found["severity"] not in ("OK", "INFO") and name not in OF_ITS_OWN]
    assert not bad
    # It has looked.
    for name in ("TLS1_2", "TLS1_3", "cipherlist_STRONG", "heartbleed", "secure_client_renego"):
        assert findings[name]["severity"] == "OK", findings[name]
