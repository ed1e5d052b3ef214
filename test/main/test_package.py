"""The Debian packages on a plain Debian 12, or 13 if the tests run there: installed, configured, upgraded,
removed and purged, with a real systemd that applies all restrictions of the unit. The tests stand in this
order."""

import glob
import json
import os
import re
import shutil
import subprocess

import debian
import images
import pytest
from packages import CANNOT_FETCH, install, make_packages
from PIL import Image
from server import ROOT, wait_until

CONFIGURATION = "/etc/displayd/displayd.conf"
APT_S = 1200
RED = ('load("render.star", "render")\n'
       "def main():\n    return render.Root(child = render.Box(color = '#f00'))\n")


# A replacement of the program that fails its check, so it cannot take over from another one. It can only
# start by itself.
UNFIT = """#!/bin/sh
case "$*" in *--check-upgrade*) echo "this one does not take over" >&2; exit 1;; esac
exec /usr/bin/displayd.fit "$@"
"""


def newer(package, folder, name="later", is_unfit=False):
    """The same package with a higher version."""
    tree, made = os.path.join(folder, "tree"), os.path.join(folder, f"{name}-{os.path.basename(package)}")
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    path = os.path.join(tree, "DEBIAN/control")
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^Version: (\S+)", rf"Version: \1+{name}", file.read(), flags=re.M)
    text = re.sub(r"displayctl \(= (\S+)\)", rf"displayctl (= \1+{name})", text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    program = os.path.join(tree, "usr/bin/displayd")
    if is_unfit and os.path.exists(program):
        os.rename(program, program + ".fit")
        with open(program, "w", encoding="utf-8") as file:
            file.write(UNFIT)
        os.chmod(program, 0o755)
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "-b", tree, made], check=True,
                   stdout=subprocess.DEVNULL)
    return made


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    return make_packages(tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module")
def machine():
    try:
        with debian.Machine(debian=debian.of_this_machine()) as made:
            yield made
    except debian.Unavailable as why:
        pytest.skip(str(why))


def status(machine, path="/readyz", *options):
    return machine.run("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", *options,
                       "http://127.0.0.1:8080" + path, check=False)


def wait_until_ready(machine):
    wait_until(lambda: status(machine) == "200", "a ready displayd")


def show(machine, name):
    return machine.run("systemctl", "show", "-P", name, "displayd.service").strip()


def push(machine, folder, *options):
    """Pushes a red picture to a new device of an account, by the installed displayctl. Returns the colours that its panel
    gets."""
    picture, shown = os.path.join(folder, "red.png"), os.path.join(folder, "shown.webp")
    with open(picture, "wb") as file:
        file.write(images.png(images.solid((255, 0, 0))))
    machine.put(picture, "/srv/red.png")
    device = machine.run("displayctl", *options, "device", "create", "--account", "ada@example.org", "--name", "Wall")
    machine.run("displayctl", *options, "push", "Wall", "/srv/red.png")
    machine.get(shown, "curl", "-sf", re.search(r"^pollUrl\s+(\S+)", device, re.M)[1])
    with Image.open(shown) as made:
        return made.convert("RGB").getcolors()


def test_lintian(packages):
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    done = subprocess.run(["lintian", "--fail-on", "error,warning", *packages], capture_output=True,
                          text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout


def test_without_a_network(tmp_path):
    """Without a network, installed files stay."""
    if os.getuid() != 0:
        pytest.skip("only root takes the network away")
    before = sorted(glob.glob(os.path.join(ROOT, "build/package/libraries/*/versions")))
    done = subprocess.run(["unshare", "--net", "tools/package", "--newer", "--output", str(tmp_path)], cwd=ROOT,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode == 0:
        pytest.skip("this Debian has all the libraries itself")
    assert done.returncode == CANNOT_FETCH, done.stderr
    assert done.stderr.endswith("what is to be fetched cannot be had\n")
    assert sorted(glob.glob(os.path.join(ROOT, "build/package/libraries/*/versions"))) == before


def test_static_parts_are_named(packages):
    """Static libraries are listed: Debian's updates do not fix them, so readers of an advisory must find
    the packages that contain them."""
    for package in packages:
        fields = subprocess.run(["dpkg-deb", "-f", package, "Static-Built-Using", "Depends"], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        wanted = ["mbedtls"] + ["quickjs-ng"] * ("displayd_" in package)
        if "libllhttp" not in fields:
            wanted += ["libwebp", "node-undici", "yyjson"]  # llhttp comes with the source of Node's undici
        named = re.search(r"^Static-Built-Using: (.*)$", fields, re.M)[1]
        found = re.findall(r"(\S+) \(= [\d.]+\S+\)(?:, |$)", named)
        assert sorted(found) == sorted(wanted), fields


def test_certificates_of_authorities_come_along(packages):
    """Certificates of authorities are installed too, since both programs make connections by https."""
    for package in packages:
        fields = subprocess.run(["dpkg-deb", "-f", package, "Depends", "Recommends"], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        assert "ca-certificates" in fields, package


def test_calls_of_the_library_are_checked(packages):
    """Library calls are checked at the level of the compiler, as in meson.build; flags of dpkg come after
    ours and would override them."""
    if os.environ.get("PACKAGES"):
        pytest.skip("these packages were not made here")
    architecture = subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()
    path = os.path.join(ROOT, "build/package", architecture, "packages/compile_commands.json")
    with open(path, encoding="utf-8") as file:
        levels = {re.findall(r"-D_FORTIFY_SOURCE=(\d)", one["command"])[-1] for one in json.load(file)}
    compiled = subprocess.run(["gcc", "-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3", "-dM", "-E", "-include",
                               "features.h", "-"], input="", capture_output=True, text=True, check=True)
    assert levels == {re.search(r"__USE_FORTIFY_LEVEL (\d)", compiled.stdout)[1]}


def test_what_apt_installs(packages, tmp_path):
    """On a Debian with nothing else, the command of docs/operate.md brings PostgreSQL's programs without a cluster, no
    Node.js, and all that displayd needs to show a picture."""
    with open(os.path.join(ROOT, "docs/operate.md"), encoding="utf-8") as file:
        command = re.search(r"^sudo (apt install .*\.deb)$", file.read(), re.M)[1]
    bare = debian.BARE_TRIXIE if debian.of_this_machine() is debian.TRIXIE else debian.BARE
    try:
        with debian.Machine(debian.NOTHING, bare, shares_network=True) as made:
            for package in packages:
                made.put(package, "/srv/build/package/" + os.path.basename(package))
            made.run("rm", "-r", "/etc/postgresql-common")  # debian.py's own
            made.run("sh", "-c", "cd /srv && " + command.replace("apt", "apt-get -y", 1), patience_s=APT_S)
            assert made.run("pg_lsclusters", "--no-header") == ""
            assert made.run("sh", "-c", "ls /usr/lib/postgresql/*/bin/initdb | wc -l") == "1\n"
            assert made.run("ls", "-A", "/etc/postgresql-common/createcluster.d") == ""
            assert "nodejs" not in made.run("dpkg-query", "-W")
            made.run("apt-get", "-y", "install", "--no-install-recommends", "curl", patience_s=APT_S)
            of_server = ["--state-dir", "/srv/state"]
            made.run("sh", "-c", "displayd --state-dir /srv/state --listen 127.0.0.1:0 >/srv/log 2>&1 &")
            wait_until(lambda: "url" in made.run("ls", "/srv/state", check=False), "a displayd that listens")
            made.run("displayctl", *of_server, "account", "create", "ada@example.org", "--name", "Ada")
            assert push(made, str(tmp_path), *of_server) == [(64 * 32, (255, 0, 0))]
    except debian.Unavailable as why:
        pytest.skip(str(why))


def test_for_which_processors_there_are_packages():
    done = subprocess.run(["tools/package", "--architecture", "sparc"], cwd=ROOT, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 1 and done.stderr.endswith("and arm64\n")


def test_install(machine, packages):
    install(machine, packages)
    wait_until_ready(machine)
    assert show(machine, "ActiveState") == "active"
    assert show(machine, "StatusText") == "http://127.0.0.1:8080"
    assert machine.run("stat", "-c", "%U %G %a", "/var/lib/displayd").strip() == "displayd displayd 700"
    assert machine.run("systemctl", "is-enabled", "displayd.service").strip() == "enabled"
    assert machine.run("systemctl", "is-enabled", "displayd.socket", check=False).strip() == "disabled"


def test_documents(machine):
    """Documents are installed as in the sources, so that their links work."""
    folder = "/usr/share/doc/displayd"
    for name in ("README.md", "docs/operate.md", "docs/deploy/nginx.conf", "share/prometheus/displayd.rules.yml",
                 "share/grafana/displayd.json", "include/base/limits.h"):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            assert machine.run("cat", f"{folder}/{name}") == file.read()
    packed = machine.run("find", folder, "-name", "*.gz", "-printf", "%f\n").split()
    assert [name for name in packed if not name.startswith("changelog.")] == []


def test_a_faulty_reload_fails(machine):
    machine.run("sh", "-c", f"echo 'rate-limit = many' >>{CONFIGURATION}")
    told = machine.run("sh", "-c", "systemctl reload displayd.service; echo ended with $?", check=False)
    assert "ended with 1" in told
    assert show(machine, "ActiveState") == "active" and status(machine) == "200"
    shown = machine.run("systemctl", "status", "displayd.service", check=False)
    assert "rate-limit must be" in shown
    # The supervisor, PostgreSQL and the processes that they started each have a short line.
    assert max(map(len, machine.run("systemctl", "status", "-l", "-n", "0", "displayd.service").splitlines())) < 240
    machine.run("sed", "-i", "/many$/d", CONFIGURATION)
    machine.run("systemctl", "reload", "displayd.service")


def test_what_the_unit_takes_away(machine):
    """No process of the unit has a capability, and each has at least the filter of systemd."""
    text = machine.run("sh", "-c", "cd /proc; for p in $(cat /sys/fs/cgroup/system.slice/displayd.service/"
                       "cgroup.procs); do cat $p/status; done")
    fields = re.findall(r"^(Uid|CapPrm|CapBnd|NoNewPrivs|Seccomp):\s+(\S+)", text, re.M)
    user = machine.run("id", "-u", "displayd").strip()
    assert len(fields) > 5 * 6
    wanted = {"Uid": user, "CapPrm": "0" * 16, "CapBnd": "0" * 16, "NoNewPrivs": "1", "Seccomp": "2"}
    assert {name: value for name, value in fields if value != wanted[name]} == {}
    text = machine.run("journalctl", "-u", "displayd", "-o", "cat")
    assert "workers run in a sandbox" in text and 'layers="no_new_privs landlock seccomp"' in text
    for words in ("Permission denied", "Operation not permitted", "Read-only file system",
                  "ended unexpectedly"):
        assert words not in text, text


def test_displayctl_beside_it(machine):
    """Root and the user of the service run displayctl commands."""
    machine.run("displayctl", "account", "create", "ada@example.org", "--name", "Ada")
    text = machine.run("setpriv", "--reuid=displayd", "--regid=displayd", "--clear-groups", "displayctl",
                       "--state-dir", "/var/lib/displayd", "account", "list")
    assert "ada@example.org" in text


def test_a_push(machine, tmp_path):
    assert push(machine, str(tmp_path)) == [(64 * 32, (255, 0, 0))]


def test_apps_are_rendered(machine):
    if "render-starlark" not in machine.run("dpkg", "-L", "displayd"):
        pytest.skip("these packages were built without it")
    device = machine.run("displayctl", "device", "create", "--account", "ada@example.org", "--name", "Desk")
    url = re.search(r"^pollUrl\s+(\S+)", device, re.M)[1]
    machine.run("sh", "-c", "mkdir -p /srv/red && cat >/srv/red/red.star", stdin=RED)
    machine.run("sh", "-c", "cat >/srv/red/manifest.yaml",
                stdin="---\nid: red\nname: Red\nsummary: Red\ndesc: Red.\nauthor: Ada\n")
    machine.run("displayctl", "app", "import", "/srv/red", "--account", "ada@example.org")
    machine.run("displayctl", "installation", "create", "--device", url.split("/")[4], "--app", "red")
    machine.run("sh", "-c", f"curl -s '{url}' >/srv/before")
    wait_until(lambda: machine.run("sh", "-c", f"curl -s '{url}' | cmp -s - /srv/before || echo other"),
               "a picture of the app")


def test_the_watchdog(machine):
    """The watchdog kills and restarts a supervisor that hangs."""
    machine.run("mkdir", "-p", "/run/systemd/system/displayd.service.d")
    machine.run("sh", "-c", "cat >/run/systemd/system/displayd.service.d/watchdog.conf",
                stdin="[Service]\nWatchdogSec=2\nRestart=on-failure\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "displayd")
    before = show(machine, "MainPID")
    machine.run("kill", "-STOP", before)
    wait_until(lambda: show(machine, "NRestarts") == "1", "a new start")
    wait_until_ready(machine)
    assert show(machine, "MainPID") != before
    machine.run("rm", "-r", "/run/systemd/system/displayd.service.d")
    machine.run("systemctl", "daemon-reload")


def test_the_socket_for_a_proxy(machine):
    """Only the proxy's user reaches the socket. Addresses of displayd.conf are listened on, too."""
    machine.run("systemctl", "stop", "displayd")
    machine.run("sh", "-c", f"printf 'listen = 127.0.0.1:8080\\ntrust-proxy = unix\\n' >>{CONFIGURATION}")
    machine.run("systemctl", "start", "displayd.socket", "displayd.service")
    wait_until_ready(machine)
    ask = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", "/run/displayd.sock",
           "http://localhost/livez"]
    proxy = ["setpriv", "--reuid=www-data", "--regid=www-data", "--groups", "displayd-proxy", *ask]
    assert machine.run(*proxy) == "200"
    stranger = ["setpriv", "--reuid=www-data", "--regid=www-data", "--clear-groups", *ask]
    assert machine.run(*stranger, check=False) == "000"


def read_block(kind):
    with open(os.path.join(ROOT, "docs/operate.md"), encoding="utf-8") as file:
        return re.search(rf"^```{kind}\n(.*?)^```", file.read(), re.M | re.S)[1]


def test_sockets_of_several_kinds_and_a_renewed_certificate(machine):
    """Several sockets and a renewal hook work as described in docs/operate.md."""
    machine.run("sh", "-c", "cat >/etc/systemd/system/displayd-tls.socket", stdin=read_block("systemd"))
    admin = read_block("systemd").replace("=443", "=127.0.0.1:9180").replace("=tls", "=admin")
    machine.run("sh", "-c", "cat >/etc/systemd/system/displayd-admin.socket", stdin=admin)
    machine.run("sh", "-c", "mkdir -p -m 700 /srv/live; cat >/srv/hook; chmod 755 /srv/hook", stdin=read_block("shell"))

    def renew(number):
        machine.run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-subj", "/CN=panels.example.org", "-set_serial", number, "-addext",
                    "subjectAltName=DNS:panels.example.org", "-keyout", "/srv/live/privkey.pem", "-out",
                    "/srv/live/fullchain.pem")
        machine.run("env", "RENEWED_LINEAGE=/srv/live", "/srv/hook")

    def serial():
        return machine.run("sh", "-c", "openssl s_client -connect 127.0.0.1:443 </dev/null 2>/dev/null | "
                           "openssl x509 -noout -serial", check=False)

    renew("0x4711")
    machine.run("systemctl", "stop", "displayd")
    machine.run("sh", "-c", f"printf '%s\\n' 'tls-certificate = /etc/displayd/fullchain.pem' "
                f"'tls-key = /etc/displayd/privkey.pem' >>{CONFIGURATION}")
    machine.run("systemctl", "start", "displayd-tls.socket", "displayd-admin.socket", "displayd.service")
    wait_until_ready(machine)
    wait_until(lambda: "4711" in serial(), "the certificate")
    ask = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}"]
    assert machine.run(*ask, "http://127.0.0.1:9180/metrics") == "200"
    assert machine.run(*ask, "--unix-socket", "/run/displayd.sock", "http://localhost/metrics") != "200"
    renew("0x4712")
    wait_until(lambda: "4712" in serial(), "the renewed certificate")
    machine.run("systemctl", "stop", "displayd.service", "displayd-tls.socket", "displayd-admin.socket")
    machine.run("rm", "/etc/systemd/system/displayd-tls.socket", "/etc/systemd/system/displayd-admin.socket")
    machine.run("sed", "-i", "/^tls-/d", CONFIGURATION)
    machine.run("rm", "/etc/displayd/fullchain.pem", "/etc/displayd/privkey.pem")
    machine.run("systemctl", "daemon-reload")


def test_what_root_had_before(machine):
    """A state directory of a displayd that root started, whose PostgreSQL ran as another user, is taken over."""
    machine.run("systemctl", "stop", "displayd.socket", "displayd.service")
    machine.run("chown", "-R", "root:root", "/var/lib/displayd")
    machine.run("chown", "-R", "displayd-db:displayd-db", "/var/lib/displayd/postgres/data")
    machine.run("systemctl", "start", "displayd.service")
    wait_until_ready(machine)
    assert "ada@example.org" in machine.run("displayctl", "account", "list")


def test_restored_by_root(machine):
    """Files that root restores belong to the service, which starts with them, whether or not there was a
    state before."""
    machine.run("displayctl", "backup", "/srv/all.backup")
    for prepare in ("true", "find /var/lib/displayd -mindepth 1 -delete"):
        machine.run("systemctl", "stop", "displayd.socket", "displayd.service")
        machine.run("sh", "-c", prepare)
        machine.run("displayctl", "restore", "--replace", "--yes", "/srv/all.backup")
        machine.run("systemctl", "start", "displayd.service")
        wait_until_ready(machine)
        assert "ada@example.org" in machine.run("displayctl", "account", "list")


# Sends requests one after another, each with a connection of its own, and counts failures.
ASK = """
rm -f /srv/enough; all=0; bad=0
until [ -e /srv/enough ]; do
	all=$((all + 1))
	curl -sf -o /dev/null http://127.0.0.1:8080/readyz || bad=$((bad + 1))
done
echo "$all $bad"
"""


def test_upgrade(machine, packages, tmp_path):
    """The new program replaces the old one without losing a request. Configuration and stored data are kept."""
    machine.run("sh", "-c", f"echo 'rate-limit = 7' >>{CONFIGURATION}")
    machine.run("systemctl", "stop", "displayd.service")
    machine.run("systemctl", "start", "displayd.socket", "displayd.service")
    wait_until_ready(machine)
    before = show(machine, "MainPID")
    asking = subprocess.Popen(machine.inside("sh", "-c", ASK), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True)
    said = install(machine, [newer(package, str(tmp_path)) for package in packages])
    machine.run("touch", "/srv/enough")
    asked, unanswered = map(int, asking.communicate()[0].split())
    assert asked > 0 and unanswered == 0, said
    assert show(machine, "MainPID") == before, said
    assert show(machine, "ActiveState") == "active"
    # The old program has exited.
    assert machine.run("readlink", f"/proc/{before}/exe").strip() == "/usr/bin/displayd"
    assert "+later" in machine.run("dpkg-query", "-W", "displayd")
    # displayd.conf is found without being named.
    assert re.search(r"displayd\.conf:\d+\nrate-limit = 7\n", machine.run("displayd", "--check-config"))
    assert machine.run("systemctl", "is-active", "displayd.socket").strip() == "active"
    assert "ada@example.org" in machine.run("displayctl", "account", "list")


def test_upgrade_to_one_that_cannot_take_over(machine, packages, tmp_path):
    """A server that cannot take over is restarted."""
    before = show(machine, "MainPID")
    said = install(machine, [newer(package, str(tmp_path), "unfit", is_unfit=True) for package in packages])
    assert "this one does not take over" in said and "restarted instead" in said
    wait_until_ready(machine)
    pid = show(machine, "MainPID")
    assert pid != before
    assert machine.run("readlink", f"/proc/{pid}/exe").strip() == "/usr/bin/displayd.fit"


def test_remove_and_purge(machine):
    machine.run("sh", "-c", "cat >/etc/systemd/system/displayd-tls.socket",
                stdin=read_block("systemd").replace("=443", "=127.0.0.1:8443").replace("=tls", "=http"))
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "stop", "displayd.service")
    machine.run("systemctl", "enable", "--now", "displayd-tls.socket")
    machine.run("systemctl", "start", "displayd.service")
    wait_until_ready(machine)
    machine.run("dpkg", "-r", "displayd")
    assert status(machine) == "000"
    assert machine.run("systemctl", "is-active", "displayd-tls.socket", check=False).strip() == "inactive"
    assert machine.run("systemctl", "is-active", "displayd.socket", check=False).strip() == "inactive"
    machine.run("test", "-e", CONFIGURATION, "-a", "-e", "/var/lib/displayd/postgres/data")
    hook = "/etc/letsencrypt/renewal-hooks/deploy/displayd"
    kept = ["/etc/systemd/system/displayd-tls.socket", "/etc/displayd/secret-key", "/etc/displayd/.old-key", "/etc/cron.d/displayd", hook]
    machine.run("mkdir", "-p", "/etc/cron.d", os.path.dirname(hook), "/srv/elsewhere")
    machine.run("touch", "/etc/displayd/metrics-token", *kept)
    # A state directory on a disk of its own is a mount point or a link.
    machine.run("sh", "-c", "mv /var/lib/displayd /srv/elsewhere && ln -s /srv/elsewhere/displayd /var/lib/displayd")
    machine.run("mount", "--bind", "/srv/elsewhere/displayd", "/srv/elsewhere/displayd")
    told = machine.run("sh", "-c", "dpkg --purge displayd displayctl 2>&1")
    assert machine.run("ls", "-A", "/srv/elsewhere/displayd") == ""
    for left in ["/var/lib/displayd", *kept]:
        assert f"displayd: {left} is left" in told
    assert "the users displayd and displayd-db" in told and "metrics-token" not in told
    assert machine.run("ls", "-A", "/etc/displayd").split() == [".old-key", "secret-key"]
    left = machine.run("systemctl", "list-unit-files", "displayd*", check=False)
    assert "1 unit files" in left and re.search(r"displayd-tls.socket +disabled", left)
