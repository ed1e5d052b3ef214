"""A Debian of our own for tests, in which a real systemd is process 1.

    with Machine(packages) as machine:
        machine.run("systemctl", "status")

It lies in the user's cache, outside of the repository, and is made once by mmdebstrap; a test writes into
memory laid over it. What a test starts ends with it. Unavailable, with the reason, where this machine or
container cannot do that.
"""

import contextlib
import ctypes
import dataclasses
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile

from run_folder import locked
from server import PATIENCE_S, ROOT, wait_until

@dataclasses.dataclass(frozen=True)
class Debian:
    """suites: the first says which Debian it is; the others have what it has not. newer: (SUITE, PATTERNS) of
    packages that come from another suite though the first has them. is_configured: False if packages are only
    unpacked, which is quicker, and enough for programs that need no configuration."""

    suites: tuple
    packages: tuple
    newer: tuple = ()
    is_configured: bool = True


def packages(text):
    return tuple(sorted(text.split()))


# Dependencies of the packages, which are then installed without a network, and programs that the tests call.
BOOKWORM = Debian(("bookworm",), packages("""
    systemd systemd-sysv dbus ca-certificates curl esbuild libcurl4 libfido2-1 libgif7 libmosquitto1 libpq5
    libseccomp2 libsodium23 libspng0 libuv1 libyaml-0-2 postgresql-15 procps tzdata zlib1g
"""))
# Libraries of Debian 13 that programs built on Debian 12 or 13 need, sanitized ones too.
TRIXIE_LIBRARIES = """
    libasan8 libcurl4t64 libfido2-1 libgif7 libllhttp9.2 libpq5 libseccomp2 libsodium23 libspng0
    libubsan1 libuv1t64 libwebp7 libwebpdemux2 libyaml-0-2 libyyjson0 zlib1g
"""
# A Debian 12 that was upgraded, and kept its PostgreSQL.
TRIXIE = Debian(("trixie", "bookworm"), packages(TRIXIE_LIBRARIES + """
    systemd systemd-sysv dbus ca-certificates curl esbuild libmosquitto1 postgresql-15 postgresql-17 procps
    tzdata tzdata-legacy
"""))
# Enough to run programs that were built elsewhere.
UNPACKED = "base-files base-passwd bash coreutils dash passwd sed util-linux "
TRIXIE_TO_RUN = Debian(("trixie",), packages(UNPACKED + TRIXIE_LIBRARIES + "postgresql-17 tzdata"),
                       is_configured=False)
# Enough to build and run displayd and displayctl: programs built on Debian 13 need its C library.
BOOKWORM_TO_BUILD = Debian(("bookworm", "bookworm-backports", "trixie"), packages(UNPACKED + """
    findutils gcc libc6-dev meson ninja-build pkg-config python3 python3-django python3-yaml
    libgeonames0 libgeonames-common libglib2.0-bin
    libuv1-dev libpq-dev libspng-dev libgif-dev libsodium-dev libyaml-dev zlib1g-dev libseccomp-dev
    libcurl4-openssl-dev libfido2-dev libllhttp-dev libssl-dev libyyjson-dev libwebp-dev postgresql-15 tzdata
"""), (("trixie", "libllhttp* libyyjson*"), ("bookworm-backports", "libwebp* libsharpyuv*")), False)
# Nothing but apt, as in container images.
BARE = Debian(("bookworm",), packages("apt"))
BARE_TRIXIE = Debian(("trixie",), packages("apt"))
# Variables that this machine needs to reach the network. Files among their values are certificates of authorities.
WAY_OUT = re.compile(r"(https?|no|all)_proxy|GOPROXY|GOSUMDB|npm_config_registry|NODE_EXTRA_CA_CERTS|"
                     r"SSL_CERT_FILE|PIP_(CERT|INDEX_URL|EXTRA_INDEX_URL)", re.I)
MAKE_S = 1800
MADE = ("build", ".git", "state", "subprojects/webapp/node_modules", "subprojects/mbedtls", "subprojects/quickjs")
SYSTEMD = "exec /lib/systemd/systemd --system --unit=multi-user.target"
NOTHING = "exec sleep infinity"
# Enters a control group named as the empty folder $1, then runs the rest. Two systemd in one group would take the
# processes of the other's units for their own.
OWN_GROUP = r"""
set -e
mount --make-rprivate /
mount -t cgroup2 cgroup2 "$1"
mkdir "$1/${1##*/}"
echo 0 >"$1/${1##*/}/cgroup.procs"
umount "$1"
shift
exec "$@"
"""
# Removes that group. Fails while one of its processes is still ending.
NO_GROUP = r"""
mount -t cgroup2 cgroup2 "$1" || exit 0
[ ! -d "$1/${1##*/}" ] || find "$1/${1##*/}" -depth -type d -exec rmdir {} +
"""
# Lays an empty folder $2 in memory over the folder $1, then runs the program $3.
BOOT = r"""
set -e
mount -t tmpfs tmpfs "$2"
mkdir "$2/upper" "$2/work" "$2/root"
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
cd "$2/root"
mount -t proc proc proc
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
# Devices of its own: what systemd does to them it does not do to those of this machine.
mount -t tmpfs -o mode=755 tmpfs dev
for node in full null random tty urandom zero; do
	touch "dev/$node"
	mount --bind "/dev/$node" "dev/$node"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ip link set lo up
pivot_root . mnt
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . \
	sh -c "umount -l /mnt; $3"
"""


class Unavailable(Exception):
    """Why such a machine cannot run here."""


def suite_of_this_machine():
    with open("/etc/os-release", encoding="utf-8") as file:
        return re.search(r"^VERSION_CODENAME=(.*)$", file.read(), re.M)[1]


def of_this_machine():
    """Whether packages made here can be installed: those of Debian 13 do not run on Debian 12."""
    return TRIXIE if suite_of_this_machine() == "trixie" else BOOKWORM


def cache_folder():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(home, "displayd")


def mirror():
    script = "say() { :; }; fail() { exit 1; }; . tools/apt.sh; debian_mirror"
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise Unavailable("no mirror of Debian is known here")
    return done.stdout.strip()


def make_root_folder(debian, fresh):
    # Prevent the package from making a cluster.
    hook = ('mkdir -p "$1/etc/postgresql-common/createcluster.d" && echo "create_main_cluster = false" '
            '>"$1/etc/postgresql-common/createcluster.d/none.conf"')
    sources = [f"deb {mirror()} {suite} main" for suite in debian.suites]
    pins = "".join(f"Package: {patterns}\nPin: release n={suite}\nPin-Priority: 990\n\n"
                   f"Package: *\nPin: release n={suite}\nPin-Priority: 1\n\n" for suite, patterns in debian.newer)
    # Both commands of this file end if the test is killed.
    command = ["setpriv", "--pdeathsig", "TERM", "mmdebstrap", "--quiet",
               "--variant=" + ("minbase" if debian.is_configured else "extract"),
               "--dpkgopt=force-unsafe-io", '--aptopt=Acquire::Languages "none"',
               "--include=" + ",".join(debian.packages),
               f'--setup-hook=printf %s {shlex.quote(pins)} >"$1/etc/apt/preferences.d/newer"',
               "--essential-hook=" + hook, debian.suites[0], fresh, *sources]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=MAKE_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"no Debian can be made in {MAKE_S} s") from error
    if done.returncode:
        raise Unavailable("no Debian can be made: " + done.stdout[-300:])
    if not debian.is_configured:
        for name in ("mnt", "srv"):
            os.mkdir(os.path.join(fresh, name))
        for name in ("passwd", "group"):
            shutil.copy(os.path.join(fresh, f"usr/share/base-passwd/{name}.master"),
                        os.path.join(fresh, "etc", name))
    os.chmod(fresh, 0o755)


def root_folder(debian):
    """Path of its root folder, which is made if missing."""
    if os.getuid() != 0:
        raise Unavailable("only root makes a Debian of its own")
    if not shutil.which("mmdebstrap"):
        raise Unavailable("mmdebstrap is not installed")
    name = hashlib.sha256(repr(debian).encode()).hexdigest()[:16]
    path = os.path.join(cache_folder(), f"{debian.suites[0]}-{name}")
    os.makedirs(cache_folder(), exist_ok=True)
    # A parallel test or run waits for the first; leftovers of a killed one are removed.
    with locked(path + ".lock"):
        if not os.path.exists(path):
            fresh = path + ".new"
            shutil.rmtree(fresh, ignore_errors=True)
            try:
                make_root_folder(debian, fresh)
                os.rename(fresh, path)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
    return path


def enter(namespace):
    """Moves the calling thread alone: Python 3.11 has no os.setns()."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.setns(namespace.fileno(), 0):
        raise OSError(ctypes.get_errno(), "a namespace cannot be entered")


class Machine:
    """first: the program of process 1. The machine has no network, unless it shares the host's."""

    def __init__(self, first=SYSTEMD, debian=BOOKWORM, shares_network=False):
        self.first = first
        self.debian = debian
        self.shares_network = shares_network
        self.variables = {}

    def __enter__(self):
        lower = root_folder(self.debian)
        self.folder = tempfile.mkdtemp(prefix="displayd-machine-")
        command = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--ipc", "--uts",
                   *([] if self.shares_network else ["--net"]), "--fork", "--kill-child", "bash", "-c", OWN_GROUP,
                   "group", self.folder, "unshare", "--cgroup", "bash", "-c", BOOT, "boot", lower, self.folder,
                   self.first]
        self.log = open(self.folder + ".log", "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log)
        try:
            wait_until(self._is_up, "a process 1 that has started")
        except TimeoutError as error:
            self.__exit__()
            raise Unavailable("no systemd starts here: " + str(error)) from error
        if self.shares_network:
            self._find_way_out()
        return self

    def _find_way_out(self):
        self.put("/etc/resolv.conf", "/etc/resolv.conf")
        for name, value in os.environ.items():
            if not WAY_OUT.fullmatch(name):
                continue
            self.variables[name] = value
            if os.path.isfile(value):
                self.variables[name] = "/srv/" + name
                self.put(value, self.variables[name])
        done = self.run("apt-get", "-o", "APT::Update::Error-Mode=any", "update", check=False, patience_s=MAKE_S)
        if "Reading package lists" not in done or "\nE: " in done:
            self.__exit__()
            raise Unavailable("no mirror of Debian can be reached: " + done[-300:])

    def _is_up(self):
        if self.process.poll() is not None:
            self.log.seek(0)
            text = self.log.read()
            self.__exit__()
            raise Unavailable("no systemd starts here: " + text.strip()[-300:])
        if self.first_process() is None:
            return False
        if self.first != SYSTEMD:
            return True
        # "degraded": a unit of Debian fails because its device is missing.
        done = self.run("systemctl", "is-system-running", check=False)
        return done.strip() in ("running", "degraded")

    def first_process(self):
        """ID of process 1, or None until it has executed its program: before that it still sees the files
        of the host."""
        pid = self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
        if not children:
            return None
        with open(f"/proc/{children[0]}/cmdline", encoding="utf-8", errors="replace") as file:
            is_first = file.read().split("\0")[0] == self.first.split()[1]
        return children[0] if is_first else None

    def inside(self, *command):
        """The command as it is run from outside."""
        first = self.first_process()
        assert first, "the machine is gone"
        return ["nsenter", "-t", first, "-m", "-p", "-i", "-u", "-n", "-C", "env", "-i",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/", "DEBIAN_FRONTEND=noninteractive",
                "LC_ALL=C.UTF-8", *(f"{name}={value}" for name, value in self.variables.items()), *command]

    def run(self, *command, check=True, stdin=None, patience_s=PATIENCE_S):
        """Runs the command. Returns its output, errors included."""
        done = subprocess.run(self.inside(*command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, input=stdin, timeout=patience_s, check=False)
        assert done.returncode == 0 or not check, (command, done.stdout)
        return done.stdout

    @contextlib.contextmanager
    def network(self):
        """Sockets that the calling thread makes meanwhile are in the network of the machine."""
        with open("/proc/thread-self/ns/net", "rb") as own, \
                open(f"/proc/{self.first_process()}/ns/net", "rb") as other:
            enter(other)
            try:
                yield
            finally:
                enter(own)

    def put(self, source, target):
        """Copies a file of the host into the machine, with its mode."""
        mode = oct(os.stat(source).st_mode & 0o777)[2:]
        script = 'mkdir -p "$(dirname "$1")" && cat >"$1" && chmod "$2" "$1"'
        with open(source, "rb") as file:
            subprocess.run(self.inside("sh", "-c", script, "sh", target, mode), stdin=file, check=True)

    def get(self, target, *command):
        """Writes the output of the command into a file of the host."""
        with open(target, "wb") as file:
            subprocess.run(self.inside(*command), stdin=subprocess.DEVNULL, stdout=file, check=True)

    def put_tree(self, target):
        """Copies the repository into a new folder, without built or fetched files."""
        pack = ["tar", "-C", ROOT, "-cf", "-", *("--exclude=./" + name for name in MADE), "."]
        with subprocess.Popen(pack, stdout=subprocess.PIPE) as process:
            subprocess.run(self.inside("sh", "-c", 'mkdir -p "$1" && tar -C "$1" --no-same-owner -xf -', "sh", target),
                           stdin=process.stdout, check=True)
        assert process.returncode == 0

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        command = ["unshare", "--mount", "sh", "-c", NO_GROUP, "sh", self.folder]
        wait_until(lambda: subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0,
                   "the end of the machine's processes")
        self.log.close()
        os.unlink(self.folder + ".log")
        shutil.rmtree(self.folder, ignore_errors=True)
