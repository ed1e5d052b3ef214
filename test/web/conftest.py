"""The PostgreSQL of the run, and on it the servers that tests share. A test makes people of
its own, so that none sees another's."""

import pytest
from people import Person, World

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


@pytest.fixture(scope="module")
def limited(postgres):
    """With rate limits. The server trusts the addresses that clients claim."""
    with World(postgres.create_database(), "--trust-proxy", "127.0.0.1") as one:
        yield one


@pytest.fixture
def start(postgres):
    """Starts servers for one test, which may damage them."""
    worlds = []

    def run(*arguments, database=None, **options):
        database = database or postgres.create_database()
        worlds.append(World(database, *arguments, **options))
        return worlds[-1].__enter__()

    yield run
    try:
        for one in worlds:
            one.stop()
    finally:
        for one in worlds:
            one.__exit__(RuntimeError)


@pytest.fixture
def person(world):
    return Person(world)


@pytest.fixture
def browser(person):
    return person.browser()


@pytest.fixture
def administrator(world):
    return Person(world, is_administrator=True).browser()
