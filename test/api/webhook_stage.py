"""Shared parts of tests of webhooks: a server that may reach this machine, a receiver, and a marked account."""

import pytest
from hook_receiver import Receiver
from world import World, wait_until

ALLOWED = ("--egress-allow", "127.0.0.1/32")
ALL = ["online", "pushed", "changed", "failed"]


@pytest.fixture(scope="module", name="world")
def world_that_reaches(postgres):
    with World(postgres.create_database(), "--rate-limit", "0", "--renderers", "0", *ALLOWED) as one:
        yield one


@pytest.fixture(name="receiver")
def one_receiver():
    with Receiver() as receiver:
        yield receiver


def local(account):
    """An account that an administrator has marked."""
    account.world.sql("UPDATE account SET reaches_local = true WHERE id = %s", account.id)
    return account


@pytest.fixture(name="account")
def marked_account(world):
    return local(world.account())


def make(account, receiver, events=("pushed", "changed"), **members):
    answer = account.post("/v1/webhooks", {"url": receiver.url, "events": list(events), **members})
    assert answer.status == 201, answer
    return answer.json()


def state(account, hook):
    return account.get(f"/v1/webhooks/{hook['id']}").ok()


def push(device, name):
    assert device.push(installationId=name, background=True).ok() == {}


def forward(clock, receiver, count):
    """Lets time pass until this many events have arrived."""
    def look():
        clock.advance(10)
        return len(receiver.events()) >= count

    wait_until(look, f"{count} events")
    return receiver.events()


def names(events):
    return [event["data"]["installationId"] for event in events if event["type"] == "pushed"]
