"""The PostgreSQL of the run, the servers that tests share, and the objects of requests."""

import os
import sys

import pytest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "api")]

# pylint: disable=wrong-import-position
from world import World  # noqa: E402

from postgres import shared  # noqa: E402


@pytest.fixture(scope="session")
def postgres():
    with shared() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def world(postgres):
    """Two workers, no rate limits."""
    with World(postgres.create_database(), "--rate-limit", "0") as one:
        yield one


@pytest.fixture
def account(world):
    return world.account()


@pytest.fixture
def device(account):
    return account.device()
