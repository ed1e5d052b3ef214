"""The container image of a release, as an archive in OCI's format that podman, docker and skopeo load. Its files are a
Debian made by mmdebstrap in which the steps of the Containerfile's last stage run; buildah writes the archive, without a
daemon and without an image from elsewhere."""

import json
import pathlib
import re
import shlex
import subprocess
import tarfile
import tempfile

from releasing.roots import Failed, Root

# What the steps leave that differs in each run, names this machine's network, or is read by nobody in a container.
LEFT_OUT = ("etc/apt/sources.list", "etc/apt/sources.list.d", "etc/resolv.conf", "etc/hostname", "var/cache/ldconfig/aux-cache",
            "var/cache/apt", "var/lib/apt/lists", "var/log", "usr/sbin/policy-rc.d", "packages", "tmp", "run", "dev", "proc",
            "sys", "root", "usr/share/man", "usr/share/locale", "usr/share/info")
KEPT_FOLDERS = {"etc/apt/sources.list.d": 0o755, "var/cache/apt": 0o755, "var/lib/apt/lists": 0o755, "var/log": 0o755,
                "tmp": 0o1777, "run": 0o755, "dev": 0o755, "proc": 0o555, "sys": 0o555, "root": 0o700}
SIZE_MAX = 250_000_000
# Instructions, and the option of "buildah config" for each.
OPTIONS = {"USER": "--user", "VOLUME": "--volume", "EXPOSE": "--port", "STOPSIGNAL": "--stop-signal",
           "ENTRYPOINT": "--entrypoint"}


def read_stages(path):
    """Returns [[(instruction, argument), ...], ...]: one list for each FROM of a Containerfile."""
    text = re.sub(r"\\\n", " ", pathlib.Path(path).read_text())
    stages = []
    for name, argument in (line.split(None, 1) for line in text.splitlines() if line.strip() and line[0] != "#"):
        if name == "FROM":
            stages.append([])
        stages[-1].append((name, argument.strip()))
    return stages


def settings_of(stage):
    """Returns the arguments of "buildah config". An image in OCI's format has no health check: compose.yaml has it."""
    words = []
    for name, argument in stage:
        if name in OPTIONS:
            words += [OPTIONS[name], argument]
        elif name == "ENV":
            words += [word for pair in shlex.split(argument) for word in ("--env", pair)]
    return words


def steps_of(stage):
    return [argument for name, argument in stage if name == "RUN"]


def entry_of(tar, file, path, seconds):
    entry = tar.gettarinfo(file, path)
    entry.uname = entry.gname = ""
    entry.mtime = min(int(entry.mtime), seconds)
    return entry


def write_files(folder, seconds, output):
    """Writes the files of a root folder as a tar, sorted. Those that differ in each run are left out."""
    with tarfile.open(output, "w", format=tarfile.GNU_FORMAT) as tar:
        for file in sorted(folder.rglob("*")):
            path = str(file.relative_to(folder))
            if path in KEPT_FOLDERS:
                entry = entry_of(tar, file, path, seconds)
                entry.mode, entry.mtime = KEPT_FOLDERS[path], seconds
                tar.addfile(entry)
                continue
            if file.is_socket() or any(path == left or path.startswith(left + "/") for left in LEFT_OUT):
                continue
            entry = entry_of(tar, file, path, seconds)
            if entry.isreg():
                with open(file, "rb") as data:
                    tar.addfile(entry, data)
            else:
                tar.addfile(entry)


def pack(folder, seconds, output):
    """Writes the folder of an OCI layout as an archive."""
    with tarfile.open(output, "w", format=tarfile.GNU_FORMAT) as tar:
        for file in sorted(folder.rglob("*")):
            entry = tar.gettarinfo(file, str(file.relative_to(folder)))
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime, entry.mode = seconds, 0o755 if file.is_dir() else 0o644
            if file.is_file():
                with open(file, "rb") as data:
                    tar.addfile(entry, data)


class Buildah:
    """buildah with its storage in a folder, without a network."""

    def __init__(self, folder):
        self.folder = folder
        self.policy = folder / "policy.json"
        self.policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')

    def __call__(self, *words):
        storage = ["--root", self.folder / "root", "--runroot", self.folder / "run", "--storage-driver", "vfs"]
        done = subprocess.run(["unshare", "--net", "buildah", *map(str, [*storage, *words])], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            raise Failed(f"buildah {words[0]} failed: {done.stderr.strip()[-1500:]}")
        return done.stdout.strip()


def write_image(folder, tar, architecture, stage, name, seconds):
    """Returns a folder in OCI's layout."""
    buildah, layout = Buildah(folder), folder / "layout"
    container = buildah("from", "--arch", architecture, "scratch").splitlines()[-1]
    buildah("add", "--quiet", container, tar, "/")
    buildah("config", "--arch", architecture, "--os", "linux", "--created-by", "displayd", *settings_of(stage), container)
    buildah("commit", "--signature-policy", buildah.policy, "--quiet", "--format", "oci", "--disable-compression=false",
            "--timestamp", seconds, "--rm", container, f"oci:{layout}:{name}")
    return layout


def fill(root, packages, steps, seconds):
    """Runs the steps in a root that gets the packages, as the Containerfile copies them."""
    root.variables["SOURCE_DATE_EPOCH"] = str(seconds)
    for package in packages:
        root.put(package, f"/packages/{pathlib.Path(package).name}")
    for step in steps:
        root.run("sh", "-c", step)


def make(containerfile, packages, suite, architecture, name, seconds, output, log):
    """Makes the image of the packages (paths) for one architecture. name: with its tag."""
    stage = read_stages(containerfile)[-1]
    with tempfile.TemporaryDirectory(prefix="displayd-image-", dir="/var/tmp") as made:
        made = pathlib.Path(made)
        with Root(suite, architecture, log) as root:
            fill(root, packages, steps_of(stage), seconds)
            write_files(root.path, seconds, made / "files.tar")
        pack(write_image(made, made / "files.tar", architecture, stage, name, seconds), seconds, output)


def config_of(path):
    """Returns the configuration that an archive has of its image (OCI Image Configuration)."""
    with tarfile.open(path) as tar:
        def read(digest):
            return json.load(tar.extractfile("blobs/" + digest.replace(":", "/")))
        index = json.load(tar.extractfile("index.json"))
        return read(read(index["manifests"][0]["digest"])["config"]["digest"])


def check(path):
    """Yields what is wrong with an archive: its size, its user."""
    size = pathlib.Path(path).stat().st_size
    if size > SIZE_MAX:
        yield f"{path} has {size // 1_000_000} MB, maximum {SIZE_MAX // 1_000_000}"
    if config_of(path)["config"].get("User") in (None, "", "0", "root"):
        yield f"{path} runs as root"
