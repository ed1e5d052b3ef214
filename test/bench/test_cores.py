"""A limit of CPU time: bench/run --cores."""

import os
import subprocess
import sys

import pytest

from conftest import ROOT
from harness.cpu_limit import CpuLimit
from scenarios.base import Missing


def read(limit, name):
    with open(os.path.join(limit.folder, name), encoding="ascii") as file:
        return file.read().strip()


def test_programs_join_the_group():
    try:
        limit = CpuLimit(0.5)
    except Missing as error:
        pytest.skip(str(error))
    try:
        said = subprocess.check_output([*limit.prefix, "cat", "/proc/self/cgroup"], text=True)
        assert "/" + os.path.basename(limit.folder) in said
        if os.path.exists(os.path.join(limit.folder, "cpu.max")):
            assert read(limit, "cpu.max") == "5000 10000"
        else:
            assert (read(limit, "cpu.cfs_quota_us"), read(limit, "cpu.cfs_period_us")) == ("5000", "10000")
    finally:
        limit.remove()
    assert not os.path.exists(limit.folder)


@pytest.mark.skipif(os.getuid() != 0, reason="only root becomes another user")
def test_a_user_who_may_not():
    script = "from harness.cpu_limit import CpuLimit; CpuLimit(1)"
    done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-c", script],
                          env={**os.environ, "PYTHONPATH": str(ROOT / "bench")}, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 1 and "Missing: no control group" in done.stderr


@pytest.mark.parametrize("cores", ["0", "0.05", "100000", "nan"])
def test_cores_that_cannot_be(cores):
    done = subprocess.run([ROOT / "bench/run", "--cores", cores, "livez"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 2 and "displayd can have 0.1 to" in done.stderr
