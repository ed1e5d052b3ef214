"""Servers on which the system fails."""

import os
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [TESTS] + [os.path.join(TESTS, name) for name in ("api", "main", "soak", "web")]

# pylint: disable=wrong-import-position
import certificates  # noqa: E402
import pytest  # noqa: E402
from faults import Faults  # noqa: E402
from world import World  # noqa: E402

from postgres import shared  # noqa: E402
from run_folder import readable_folder  # noqa: E402


@pytest.fixture(scope="session")
def postgres():
    with shared() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def faults():
    with readable_folder("displayd-faults-") as folder:  # workers have another user
        yield Faults(folder)


@pytest.fixture(scope="module")
def faulty(postgres, faults, tmp_path_factory):
    """A server with one worker, so that the process of a fault is known; it also has TLS."""
    made = certificates.make(str(tmp_path_factory.mktemp("certificate")), "localhost")
    with World(postgres.create_database(), "--rate-limit", "0", "--access-log", "off",
               "--tls-listen", "127.0.0.1:0", *made.options, workers=1,
               environment=faults.environment()) as world, world.impatient():
        yield world
        faults.clear()


@pytest.fixture
def device(faulty):
    return faulty.account().device()
