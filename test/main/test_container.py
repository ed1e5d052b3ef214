"""The steps of Containerfile, run in a Debian of their own: no program for containers is needed.

The first stage makes packages, which takes ten minutes and a network: it runs where
DISPLAYD_TEST_CONTAINER_BUILD is set. Else it is looked at only, and what tools/package makes is taken for
its result, as in packages.py.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

import debian
import pytest
import yaml
from packages import make_packages
from server import PATIENCE_S, ROOT, wait_until

sys.path.insert(0, os.path.join(ROOT, "tools"))

from releasing import image, roots  # noqa: E402

BUILD_S = 3600
SECONDS = 1_764_525_600


STAGES = image.read_stages(os.path.join(ROOT, "Containerfile"))


def arguments_of(stage, name):
    return [argument for instruction, argument in stage if instruction == name]


def test_its_form():
    build, final = STAGES
    for stage in STAGES:
        assert re.fullmatch(r"\S*debian:bookworm-slim( AS build)?", arguments_of(stage, "FROM")[0])
    known = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK",
             "ENTRYPOINT"}
    assert {name for stage in STAGES for name, _ in stage} <= known
    assert any("tools/package" in step for step in arguments_of(build, "RUN"))
    # Everything comes from apt and the first stage.
    for step in arguments_of(final, "RUN"):
        assert not re.search(r"curl|wget|http|pip|npm", step)
    assert arguments_of(final, "COPY") == ["--from=build /packages /packages"]
    assert arguments_of(final, "USER") == ["displayd"]


def read_compose():
    with open(os.path.join(ROOT, "compose.yaml"), encoding="utf-8") as file:
        return yaml.safe_load(file)


def test_compose():
    """The file builds the Containerfile, keeps its volume, publishes its port and asks its health."""
    _, final = STAGES
    made = read_compose()
    service = made["services"]["displayd"]
    assert os.path.exists(os.path.join(ROOT, service["build"]["dockerfile"])) and service["build"]["context"] == "."
    [volume] = service["volumes"]
    assert volume.split(":") == ["state", *arguments_of(final, "VOLUME")] and "state" in made["volumes"]
    [port] = service["ports"]
    assert port.endswith(":" + arguments_of(final, "EXPOSE")[0])
    options, _, check = arguments_of(final, "HEALTHCHECK")[0].partition(" CMD ")
    health = service["healthcheck"]
    assert health.pop("test") == ["CMD", *json.loads(check)]
    assert {"--" + key.replace("_", "-") + "=" + value for key, value in health.items()} == set(options.split())
    assert set(service["environment"]) <= {"DISPLAYD_PUBLIC_URL"}


@pytest.mark.parametrize("program", [["docker", "compose"], ["docker-compose"], ["podman-compose"]], ids=" ".join)
def test_compose_as_others_read_it(program, tmp_path):
    """What reads such files finds no fault in it."""
    if not shutil.which(program[0]) or subprocess.run([*program, "version"], capture_output=True, check=False).returncode:
        pytest.skip(" ".join(program) + " is not installed")
    shutil.copy(os.path.join(ROOT, "compose.yaml"), tmp_path)
    done = subprocess.run([*program, "config"], cwd=tmp_path, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=PATIENCE_S)
    assert done.returncode == 0 and "no-new-privileges" in done.stdout, done.stdout


def run_steps(machine):
    """There is no network here. All packages are installed already, except displayd's. The two programs of
    systemd are in the package systemd."""
    for step in arguments_of(STAGES[1], "RUN"):
        step = step.replace("apt-get update &&", "").replace("systemd-standalone-sysusers", "")
        machine.run("sh", "-c", step.replace("systemd-standalone-tmpfiles", ""))


def start_and_stop(machine):
    """Runs the program as the image's user, without rights, with its ENV and ENTRYPOINT, until its
    HEALTHCHECK succeeds."""
    _, final = STAGES
    user = arguments_of(final, "USER")[0]
    entry = json.loads(arguments_of(final, "ENTRYPOINT")[0])
    health = json.loads(arguments_of(final, "HEALTHCHECK")[0].partition(" CMD ")[2])
    variables = [word for line in arguments_of(final, "ENV") for word in shlex.split(line)]
    become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--bounding-set=-all"]
    assert machine.run("stat", "-c", "%U %a", *arguments_of(final, "VOLUME")) == "displayd 700\n"
    process = subprocess.Popen(machine.inside(*become, "env", *variables, *entry),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    check = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
    wait_until(lambda: subprocess.run(machine.inside(*become, *health), **check).returncode == 0,
               "a container that is well")
    machine.run(*become, *(word.replace("/readyz", "/livez") for word in health))
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        os.kill(int(file.read()), signal.SIGTERM)  # the process that nsenter started
    assert process.wait(PATIENCE_S) == 0


def put_packages(machine, packages):
    machine.run("mkdir", "/packages")
    for package in packages:
        machine.put(package, "/packages/" + os.path.basename(package))


def test_what_it_makes(tmp_path):
    packages = make_packages(tmp_path)
    try:
        with debian.Machine(debian.NOTHING, debian.of_this_machine()) as machine:
            put_packages(machine, packages)
            run_steps(machine)
            start_and_stop(machine)
    except debian.Unavailable as why:
        pytest.skip(str(why))


def test_the_image(tmp_path, monkeypatch):
    """tools/release makes its image of the packages and the second stage: here without a network, from a Debian of this
    machine that has all that the packages need. podman, or another program, would read the archive."""
    if not shutil.which("buildah") or os.getuid() != 0:
        pytest.skip("buildah is not installed, or this is not root")
    try:
        base = debian.root_folder(debian.of_this_machine())
    except debian.Unavailable as why:
        pytest.skip(str(why))
    steps = [re.sub(r"apt-get update &&|systemd-standalone-\w+", "", step) for step in image.steps_of(STAGES[1])]
    archives = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        with open(folder / "log", "w+", encoding="utf-8") as log, \
                roots.Root("bookworm", "amd64", log, copied_from=base) as root:
            image.fill(root, make_packages(tmp_path), steps, SECONDS)
            image.write_files(root.path, SECONDS, folder / "files.tar")
        layout = image.write_image(folder, folder / "files.tar", "amd64", STAGES[1], "displayd:1.2.0", SECONDS)
        archives.append(folder / "image.tar")
        image.pack(layout, SECONDS, archives[-1])
    assert archives[0].read_bytes() == archives[1].read_bytes()
    assert list(image.check(archives[0])) == []
    config = image.config_of(archives[0])
    assert config["architecture"] == "amd64" and config["config"]["User"] == "displayd"
    assert list(config["config"]["Volumes"]) == ["/var/lib/displayd"] and list(config["config"]["ExposedPorts"]) == ["8080"]
    assert config["config"]["Entrypoint"] == json.loads(arguments_of(STAGES[1], "ENTRYPOINT")[0])
    assert {"DISPLAYD_LISTEN=0.0.0.0:8080", "DISPLAYD_STATE_DIR=/var/lib/displayd"} <= set(config["config"]["Env"])


def build_packages(folder):
    """Runs the first stage, in a Debian that has only apt."""
    build, _ = STAGES
    [work] = arguments_of(build, "WORKDIR")
    assert arguments_of(build, "COPY") == [". ."]
    with debian.Machine(debian.NOTHING, debian.BARE, shares_network=True) as machine:
        machine.put_tree(work)
        for step in arguments_of(build, "RUN"):
            machine.run("sh", "-c", f"cd {work} && {step}", patience_s=BUILD_S)
        for name in machine.run("ls", "/packages").split():
            machine.get(os.path.join(folder, name), "cat", "/packages/" + name)
    return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".deb")]


@pytest.mark.skipif(not os.environ.get("DISPLAYD_TEST_CONTAINER_BUILD"),
                    reason="takes ten minutes and a network: DISPLAYD_TEST_CONTAINER_BUILD=1")
def test_both_stages(tmp_path):
    """Each step runs as it is written. The container of the second stage listens at port 8080 of this machine."""
    packages = build_packages(str(tmp_path))
    assert {os.path.basename(name).split("_")[0] for name in packages} >= {"displayd", "displayctl"}
    with debian.Machine(debian.NOTHING, debian.BARE, shares_network=True) as machine:
        put_packages(machine, packages)
        for step in arguments_of(STAGES[1], "RUN"):
            machine.run("sh", "-c", step, patience_s=BUILD_S)
        start_and_stop(machine)
