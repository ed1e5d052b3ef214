"""displayd.conf of the service is read by each program that works on the state of the service, named or
not. The programs run as root of a namespace of their own, with an empty /var/lib and an empty configuration
folder."""

import os
import re
import subprocess

import check_config
import pytest
from server import DISPLAYCTL, DISPLAYD, PATIENCE_S

STATE = "/var/lib/displayd"
# $1: contents of displayd.conf; $2: the configuration folder; "-" for none. The command follows.
SCRIPT = r"""
set -e
mount -t tmpfs tmpfs /var/lib
mount -t tmpfs tmpfs "$2"
mkdir /var/lib/displayd "$2/displayd"
[ "$1" = - ] || printf '%s\n' "$1" >"$2/displayd/displayd.conf"
printf 'rate-limit = 9\n' >"$2/other.conf"
cd /
shift 2
exec "$@"
"""
NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]


def find_file():
    text = subprocess.run([DISPLAYD, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.search(r"/\S+/displayd\.conf", text)[0]


FILE = find_file()
FOLDER = os.path.dirname(os.path.dirname(FILE))


@pytest.fixture(scope="module", autouse=True)
def _namespace():
    if not os.path.isdir(FOLDER):
        pytest.skip(f"there is no {FOLDER} on this machine")
    tried = subprocess.run([*NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", FOLDER], check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if tried.returncode:
        pytest.skip("no namespace can be had here: " + tried.stdout)


def run(settings, *command, variables=None):
    """settings: contents of the service's file. None: no file."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DISPLAYD_")}
    return subprocess.run([*NAMESPACE, "sh", "-c", SCRIPT, "sh", "-" if settings is None else settings,
                           FOLDER, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, timeout=PATIENCE_S, env=environment | (variables or {}))


def check(settings, *arguments, variables=None):
    """Settings in use: {name: line}."""
    done = run(settings, os.path.abspath(DISPLAYD), "--check-config", *arguments, variables=variables)
    assert done.returncode == 0, done.stderr
    return {name: f" {' '.join(values)} # {source}"
            for name, (values, source) in check_config.read(done.stdout).items()}


@pytest.mark.parametrize("arguments", [[], ["--state-dir", STATE], [f"--state-dir={STATE}//"]])
def test_it_is_read_for_the_state_of_the_service(arguments):
    line = check("rate-limit = 7", *arguments)["rate-limit"]
    assert " 7 " in line and FILE in line


def test_a_variable_may_name_the_state():
    assert FILE in check("rate-limit = 7", variables={"DISPLAYD_STATE_DIR": STATE})["rate-limit"]


@pytest.mark.parametrize("arguments, variables", [
    (["--state-dir", STATE + "-2"], {}),
    (["--state-dir", "/var/lib/other"], {}),
    (["--config", FOLDER + "/other.conf"], {}),
    ([], {"DISPLAYD_CONFIG": FOLDER + "/other.conf"}),
])
def test_it_is_not_read_for_others(arguments, variables):
    assert FILE not in check("rate-limit = 7", *arguments, variables=variables)["rate-limit"]


def test_there_may_be_none():
    assert "500" in check(None)["rate-limit"]


def test_flags_and_variables_win():
    assert " 8 " in check("rate-limit = 7", "--rate-limit", "8")["rate-limit"]
    assert " 8 " in check("rate-limit = 7", variables={"DISPLAYD_RATE_LIMIT": "8"})["rate-limit"]


def test_the_service_keeps_its_state_directory():
    """The service keeps its state directory, which the unit names in the command line."""
    shown = check("state-dir = /srv/elsewhere\nrate-limit = 7")
    assert STATE in shown["state-dir"] and "/srv" not in shown["state-dir"]


@pytest.mark.parametrize("arguments", [[], ["--config", FOLDER + "/displayd/displayd.conf"]])
def test_sockets_are_given_to_the_service_alone(arguments):
    """Sockets belong to the service alone, so a missing socket for TLS is not a fault of the file. A
    missing certificate is one."""
    done = run("tls-certificate = /etc/displayd/c\ntls-key = /etc/displayd/k", os.path.abspath(DISPLAYD),
               "--check-config", *arguments)
    assert done.returncode == 2
    assert "the TLS certificate /etc/displayd/c: no such file" in done.stderr


def test_a_faulty_one_is_named():
    for command in ([DISPLAYD, "--check-config"], [DISPLAYCTL, "account", "list"]):
        done = run("no-such-thing = 7", os.path.abspath(command[0]), *command[1:])
        assert done.returncode == 2
        assert f"{FILE}:1: " in done.stderr


def test_displayctl_asks_the_database_of_the_service():
    done = run("database = postgresql://nobody@127.0.0.1:1/none", os.path.abspath(DISPLAYCTL),
               "database", "show")
    assert done.returncode == 5
    assert "the database cannot be reached" in done.stderr, done.stderr


def test_displayctl_takes_the_key_of_the_service():
    """displayctl uses the key of the service: with another one it could not read a backup."""
    done = run("secret-key-file = /var/lib/no-key\ndatabase = host=/nowhere", "script", "-qec",
               os.path.abspath(DISPLAYCTL) + " database rekey", "/dev/null")
    assert "/var/lib/no-key" in done.stdout, done.stdout
