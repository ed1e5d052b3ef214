"""A server whose egress trusts the repository of release_server.py: fixtures for modules."""

import pathlib

import pytest
from people import World
from release_server import Releases, install, make_certificate
from run_folder import new_folder


@pytest.fixture(scope="module")
def folder():
    made = pathlib.Path(new_folder("displayd-test-", otherwise=None))
    made.chmod(0o755)
    return made


@pytest.fixture(scope="module")
def certificate(folder):
    return make_certificate(folder)


@pytest.fixture(scope="module")
def trusting(postgres, folder, certificate):
    arguments = ("--rate-limit", "0", "--egress-allow", "127.0.0.0/8", "--egress-allow", "::1")
    with World(postgres.create_database(), *arguments, prefix=install(folder / "own", certificate[0])) as one:
        yield one


@pytest.fixture(scope="module")
def host(certificate):
    running = Releases(certificate)
    yield running
    running.close()
