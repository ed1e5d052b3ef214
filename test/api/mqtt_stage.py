"""A broker, a server that reaches it, and accounts with connections to it."""

import json

import pytest
from broker import PASSWORD, USER, Broker
from waiting import wait_until
from world import World


@pytest.fixture(scope="module", name="broker")
def one_broker():
    with Broker() as one:
        yield one


@pytest.fixture(scope="module", name="served")
def server_that_reaches(postgres):
    with World(postgres.create_database(), "--rate-limit", "0", "--egress-allow", "127.0.0.1") as one:
        yield one


def marked(world):
    """Makes an account that may reach the addresses of --egress-allow."""
    account = world.account()
    world.sql("UPDATE account SET reaches_local = true WHERE id = %s", account.id)
    return account


def connect(account, broker, **members):
    body = {"url": broker.url, "username": USER, "password": PASSWORD} | members
    return account.request("PUT", "/v1/account/mqtt", body=json.dumps(body).encode())


def state(account):
    return account.get("/v1/account/mqtt").ok()


def wait_for_state(account, name):
    return wait_until(lambda: (found := state(account))["state"] == name and found, name)


@pytest.fixture(name="account")
def connected_account(served, broker):
    one = marked(served)
    yield one
    one.request("DELETE", "/v1/account/mqtt")


def base(account):
    return f"displayd/{account.id}"


def config_of(device):
    return f"homeassistant/device/displayd_{device.id}/config"
