"""Servers for which the system fails."""

import os
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [TESTS, os.path.join(TESTS, "api"), os.path.join(TESTS, "soak")]

# pylint: disable=wrong-import-position
import pytest  # noqa: E402
from faults import Faults  # noqa: E402
from world import World  # noqa: E402

from postgres import Postgres  # noqa: E402


@pytest.fixture(scope="session")
def postgres():
    with Postgres({"max_connections": "200"}) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    for path in (folder, folder.parent, folder.parent.parent):
        path.chmod(0o755)  # a worker is another user
    return Faults(str(folder))


@pytest.fixture(scope="module")
def faulty(postgres, faults):
    """One worker, so that it is known whom a fault meets."""
    with World(postgres.create_database(), "--rate-limit", "0", "--access-log", "off", workers=1,
               environment=faults.environment()) as world:
        yield world
        faults.clear()


@pytest.fixture
def device(faulty):
    return faulty.account().device()
