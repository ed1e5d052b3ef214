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

import debian
import pytest
import yaml
from packages import make_packages
from server import PATIENCE_S, ROOT, wait_until

BUILD_S = 3600


def read_stages():
    """[[(instruction, argument), ...], ...]: one list for each FROM."""
    with open(os.path.join(ROOT, "Containerfile"), encoding="utf-8") as file:
        text = re.sub(r"\\\n", " ", file.read())
    lines = [line.split(None, 1) for line in text.splitlines() if line.strip() and line[0] != "#"]
    stages = []
    for name, argument in lines:
        if name == "FROM":
            stages.append([])
        stages[-1].append((name, argument.strip()))
    return stages


STAGES = read_stages()


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


def buildah(folder, *arguments):
    """Runs it with its storage in the folder, without a network. Returns its output."""
    storage = ["--root", os.path.join(folder, "root"), "--runroot", os.path.join(folder, "run"),
               "--storage-driver", "vfs"]
    done = subprocess.run(["unshare", "--net", "buildah", *storage, *arguments], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=BUILD_S)
    assert done.returncode == 0, (arguments, done.stdout[-4000:])
    return done.stdout.strip()


def test_the_image(tmp_path):
    """buildah makes the image of the second stage without a network: from a Debian of this machine that has all
    that the packages need."""
    if not shutil.which("buildah") or os.getuid() != 0:
        pytest.skip("buildah is not installed, or this is not root")
    try:
        base = debian.root_folder(debian.of_this_machine())
    except debian.Unavailable as why:
        pytest.skip(str(why))
    folder, context = str(tmp_path / "storage"), tmp_path / "context"
    os.makedirs(context / "packages")
    for package in make_packages(tmp_path):
        shutil.copy(package, context / "packages")
    (context / "policy.json").write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
    made = buildah(folder, "from", "scratch").splitlines()[-1]
    buildah(folder, "add", "--quiet", made, base, "/")
    policy = ["--signature-policy", str(context / "policy.json")]
    buildah(folder, "commit", *policy, "--quiet", "--rm", made, "localhost/base")
    steps = [f"{name} {argument}" for name, argument in STAGES[1]]
    text = "\n".join(steps).replace(arguments_of(STAGES[1], "FROM")[0], "localhost/base")
    text = text.replace("--from=build /packages", "packages").replace("apt-get update &&", "")
    text = re.sub(r"systemd-standalone-\w+", "", text)
    (context / "Containerfile").write_text(text + "\n")
    buildah(folder, "build", *policy, "--pull-never", "--isolation", "chroot", "--network", "host", "--format", "docker",
            "--tag", "localhost/displayd", "--file", str(context / "Containerfile"), str(context))
    image = json.loads(buildah(folder, "inspect", "--type", "image", "localhost/displayd"))["Docker"]["config"]
    assert image["User"] == "displayd" and list(image["Volumes"]) == ["/var/lib/displayd"]
    assert image["Entrypoint"] == json.loads(arguments_of(STAGES[1], "ENTRYPOINT")[0])
    assert image["Healthcheck"]["Test"][1:] == read_compose()["services"]["displayd"]["healthcheck"]["test"][1:]
    container = buildah(folder, "from", "--pull-never", "localhost/displayd").splitlines()[-1]
    shown = buildah(folder, "run", "--isolation", "chroot", container, "--", "displayd", "--check-config")
    assert re.search(r"listen = 0\.0\.0\.0:8080", shown) and "state-dir = /var/lib/displayd" in shown


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
