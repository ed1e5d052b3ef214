"""displayd --check-config, and rejected settings."""

import os

import certificates
import check_config
from conftest import displayd


def test_check_config(folder):
    path = os.path.join(folder, "displayd.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# ours\nworkers = 3\ndatabase = postgresql://u:hunter2@db.example/panels\n")
    code, text, errors = displayd("--check-config", "--config", path, "--rate-limit", "0",
                                  DISPLAYD_LOG_LEVEL="warn")
    assert (code, errors) == (0, "")
    shown = check_config.read(text)
    assert shown["workers"] == (["3"], f"{path}:2")
    assert shown["rate-limit"] == (["0"], "--rate-limit")
    assert shown["log-level"] == (["warn"], "DISPLAYD_LOG_LEVEL")
    assert shown["listen"] == (["127.0.0.1:8080"], "default")
    assert "hunter2" not in text and "password=****" in text and "db.example" in text


def pasted(folder, text):
    path = os.path.join(folder, "pasted.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return displayd("--check-config", "--config", path)


def test_what_is_checked_can_be_pasted_back(folder):
    given = ["--rate-limit", "0", "--listen", "127.0.0.1:1", "--listen", "[::1]:2", "--state-dir", folder + "/a b",
             "--trust-proxy", "unix", "--database", "host=db.example password='' options='-c a=b'"]
    code, text, _ = displayd("--check-config", *given)
    again = pasted(folder, text)
    assert (code, again[0], again[2]) == (0, 0, "")

    def values(text):
        return {name: values for name, (values, _) in check_config.read(text).items()}
    assert values(again[1]) == values(text)
    # A default stays a default: a socket of systemd replaces it.
    assert "\n#registration = invite\n" in text and "\nlisten = [::1]:2\n" in text


def test_a_hidden_password_is_not_pasted_back(folder):
    _, text, _ = displayd("--check-config", "--database", "postgresql://u:hunter2@db.example/x")
    code, _, errors = pasted(folder, text)
    assert code == 2 and "write the password itself" in errors


def write(folder, name, text, mode=0o600):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8", opener=lambda *name: os.open(*name, mode)) as file:
        file.write(text)
    return path


def test_check_config_opens_the_files(folder):
    good = certificates.make(folder, "good")
    token = write(folder, "token", "t" * 40)
    key = write(folder, "key", "0f" * 32)
    listen = ["--tls-listen", "127.0.0.1:0"]
    code, text, errors = displayd("--check-config", *listen, *good.options, "--metrics-token-file", token,
                                  "--secret-key-file", key)
    assert (code, errors) == (0, "") and f"# {good.certificate}: for " in text
    damaged = write(folder, "damaged", "no key")
    for options in ([*listen, "--tls-certificate", good.certificate, "--tls-key", folder + "/none"],
                    [*listen, "--tls-certificate", damaged, "--tls-key", good.key],
                    ["--metrics-token-file", folder + "/none"], ["--metrics-token-file", damaged],
                    ["--secret-key-file", folder + "/none"], ["--secret-key-file", damaged],
                    ["--database", f"host=db.example sslrootcert={folder}/none"]):
        code, text, errors = displayd("--check-config", *options)
        assert (code, text) == (2, ""), options
        named = folder + "/none" if any("/none" in word for word in options) else damaged
        assert named in errors


def test_check_config_advises_a_fast_key(folder):
    fast = certificates.make(folder, "fast")
    advice = "# no certificate with an ECDSA key on P-256: "
    for kind in ("rsa", "p384"):
        slow = certificates.make(folder, kind, key=kind)
        listen = ["--check-config", "--tls-listen", "127.0.0.1:0", *slow.options]
        code, text, _ = displayd(*listen)
        assert code == 0 and advice in text
        code, text, _ = displayd(*listen, *fast.options)
        assert code == 0 and advice not in text


def test_a_comment_behind_a_value(folder):
    path = write(folder, "displayd.conf", "registration = invite  # for now\n")
    code, _, errors = displayd("--check-config", "--config", path)
    assert code == 2
    assert f"{path}:1: a comment needs a line of its own" in errors and '"registration"' in errors


def test_variables_that_mean_nothing():
    for options in ([], ["--check-config"]):
        code, _, errors = displayd(*options, DISPLAYD_RATE_LIMITS="7")
        assert code == 2
        assert errors == "displayd: there is no variable DISPLAYD_RATE_LIMITS; did you mean DISPLAYD_RATE_LIMIT?\n"
    assert displayd("--check-config", DISPLAYD_NONSENSE="")[0] == 2
    # Variables of programs that use displayd, and of Kubernetes, are ignored.
    assert displayd("--check-config", DISPLAYD_URL="http://a", DISPLAYD_KEY="k", DISPLAYD_SERVICE_HOST="10.0.0.1",
                    DISPLAYD_PORT="tcp://10.0.0.1:80", DISPLAYD_PORT_80_TCP_PORT="80",
                    DISPLAYD_ADMIN_SERVICE_HOST="10.0.0.2", DISPLAYD_ADMIN_SERVICE_PORT_HTTP="80",
                    DISPLAYD_ADMIN_PORT="tcp://10.0.0.2:80", DISPLAYD_ADMIN_PORT_80_TCP="x")[0] == 0
    assert displayd("--help", DISPLAYD_NONSENSE="1")[0] == 0
