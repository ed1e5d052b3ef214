"""The PostgreSQL of the run, and on it the servers that tests share. A test makes accounts
and devices of its own, so that none sees another's."""

import kept
import pytest
from world import World

from postgres import shared


@pytest.fixture(scope="session")
def postgres():
    with shared() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def world(postgres):
    """Two workers, no rate limits."""
    with World(postgres.create_database(), "--rate-limit", "0") as one:
        yield one


@pytest.fixture(scope="session")
def limited(postgres):
    """Two workers; a key has a burst of 2 requests and one more a second."""
    with World(postgres.create_database(), "--rate-limit", "1") as one:
        yield one


@pytest.fixture
def start(postgres):
    """Starts servers for one test, which may damage them."""
    worlds = []

    def run(*arguments, database=None, rate_limit=0, **options):
        database = database or postgres.create_database()
        worlds.append(World(database, "--rate-limit", str(rate_limit), *arguments, **options))
        return worlds[-1].__enter__()

    yield run
    try:
        for one in worlds:
            one.stop()
    finally:
        for one in worlds:
            one.__exit__(RuntimeError)


@pytest.fixture(autouse=True)
def from_memory():
    """Answers may come from caches until the test changes rows by itself."""
    kept.forget()


@pytest.fixture
def account(world):
    return world.account()


@pytest.fixture
def device(account):
    return account.device()
