"""A Debian of its own, made by mmdebstrap, in which packages are made and tried, and which becomes an image. It shares the
network of this machine and uses its mirror. Only root makes one."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Variables that this machine needs to reach the network. Files among their values are certificates of authorities.
WAY_OUT = re.compile(r"(https?|no|all)_proxy|GOPROXY|GOSUMDB|npm_config_registry|NODE_EXTRA_CA_CERTS|"
                     r"SSL_CERT_FILE|PIP_(CERT|INDEX_URL|EXTRA_INDEX_URL)|DEBIAN_SNAPSHOTS", re.I)
BINFMT = "/proc/sys/fs/binfmt_misc"
EMULATORS = {"arm64": "qemu-aarch64", "amd64": "qemu-x86_64"}
# In namespaces of its own, so that no mount and no process remains. pivot_root(8), not chroot alone: programs inside make
# further namespaces, which need a root that is mounted.
ENTER = r"""
set -e
cd "$1"
shift
mount --make-rprivate /
mount --bind . .
cd "$PWD"
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs tmpfs run
pivot_root . .
umount -l .
cd /
exec "$@"
"""
# Runs what mmdebstrap would run in a root of its own: packages do not start services.
NO_SERVICES = 'printf "#!/bin/sh\\nexit 101\\n" >"$1/usr/sbin/policy-rc.d" && chmod 755 "$1/usr/sbin/policy-rc.d"'


class Failed(Exception):
    """A step in such a Debian has failed; the text says which one, with the end of its output."""


def shell_function(name):
    """Returns what a function of tools/apt.sh prints."""
    script = f'say() {{ :; }}; fail() {{ echo "$1" >&2; exit 1; }}; . tools/apt.sh; {name}'
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, text=True, capture_output=True, check=False)
    if done.returncode:
        raise Failed(f"no mirror of Debian is known: {done.stderr.strip()}")
    return done.stdout.strip()


def sources_of(suite):
    mirror, security = shell_function("debian_mirror"), shell_function("security_mirror")
    return [f"deb {mirror} {suite} main", f"deb {mirror} {suite}-updates main",
            *([f"deb {security} {suite}-security main"] if security else [])]


def is_emulated(architecture):
    own = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    return architecture != own


def can_run(architecture):
    """Whether programs of the architecture run here, by an emulator that the kernel calls if need be."""
    return not is_emulated(architecture) or pathlib.Path(BINFMT, EMULATORS[architecture]).exists()


class Root:
    """Makes the Debian in a temporary folder, and removes it at the end of the context. log: a file that is open to be
    written; it gets all output. copied_from: a root folder, if it is to be a copy of that."""

    def __init__(self, suite, architecture, log, packages=("ca-certificates",), copied_from=None):
        self.suite, self.architecture, self.log = suite, architecture, log
        self.packages, self.copied_from = packages, copied_from
        self.variables = {"HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
                          "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}

    def __enter__(self):
        if os.getuid():
            raise Failed("only root makes a Debian of its own")
        if not can_run(self.architecture):
            raise Failed(f"programs for {self.architecture} do not run here: install qemu-user-static")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="displayd-release-", dir="/var/tmp"))
        self.path = self.folder / "root"
        try:
            self._make()
            self.path.chmod(0o755)
            self._find_way_out()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _make(self):
        if self.copied_from:
            self._command("no copy can be made", ["cp", "-a", "--reflink=auto", self.copied_from, self.path])
            return
        self._command(f"no Debian of {self.suite} can be made", [
            "mmdebstrap", "--quiet", "--variant=minbase", f"--architectures={self.architecture}",
            "--dpkgopt=force-unsafe-io", '--aptopt=Acquire::Languages "none"',
            "--include=" + ",".join(self.packages), "--customize-hook=" + NO_SERVICES,
            self.suite, str(self.path), *sources_of(self.suite)])

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def _command(self, what, command, **options):
        before = self.log.tell()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, check=False,
                              **options)
        if done.returncode:
            self.log.flush()
            said = pathlib.Path(self.log.name).read_bytes()[before:].decode(errors="replace")
            raise Failed(f"{what}: {said.strip()[-1500:]}; all of the output is in {self.log.name}")

    def _find_way_out(self):
        if os.path.exists("/etc/resolv.conf"):
            self.put("/etc/resolv.conf", "/etc/resolv.conf")
        for name, value in os.environ.items():
            if WAY_OUT.fullmatch(name):
                self.variables[name] = value
                if os.path.isfile(value):
                    self.variables[name] = f"/etc/ssl/of-release-{name}"
                    self.put(value, self.variables[name])

    def run(self, *command):
        """Runs a command in it, and ends what it leaves behind. Raises Failed."""
        variables = [f"{name}={value}" for name, value in self.variables.items()]
        self._command(f"{' '.join(command)[:200]} failed in {self.suite}", [
            "unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", ENTER, "enter", str(self.path),
            "env", "-i", *variables, *command])

    def inside(self, path):
        """Returns where a path of it is on this machine."""
        return self.path / str(path).lstrip("/")

    def put(self, source, target):
        target = self.inside(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_symlink():
            target.unlink()
        shutil.copy(source, target)
