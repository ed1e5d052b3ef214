import contextlib

import pytest

from egress_process import LOCAL, Egress, Server, certificate_of_localhost


@pytest.fixture
def server():
    with Server() as running:
        yield running
        running.gate.set()
        running.shutdown()


@pytest.fixture(scope="session")
def certificate():
    with certificate_of_localhost() as paths:
        yield paths


@pytest.fixture(scope="module")
def egress():
    with contextlib.closing(Egress(*LOCAL)) as running:
        yield running


@pytest.fixture(scope="module")
def public_egress():
    """An egress with default options: public addresses only."""
    with contextlib.closing(Egress()) as running:
        yield running


@pytest.fixture
def client(egress):
    connected = egress.connect()
    yield connected
    connected.link.close()
