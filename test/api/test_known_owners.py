"""A worker that knows who owns a device changes it without a statement that looks first."""

import pytest
from served_metrics import count_of

FAULTY = {"brightness": 101}
VALID = {"brightness": 41}


@pytest.fixture
def alone(start):
    """One worker, on a database of its own."""
    return start("--admin-listen", "127.0.0.1:0", "--rate-limit", "0", workers=1)


@pytest.fixture
def known(alone):
    """A device that the worker has changed."""
    device = alone.account().device()
    change(device, {"brightness": 40}).ok()
    return device


def change(device, body, caller=None, **options):
    return (caller or device.account).request("PATCH", device.path, body=body, **options)


def looks(world):
    return count_of(world, "device_by_id", "devices_by_id")


def test_the_second_change_is_one_statement(alone):
    device = alone.account().device()
    before = looks(alone)
    change(device, {"brightness": 40}).ok()
    assert looks(alone) == before + 1
    assert change(device, VALID).ok()["brightness"] == 41
    assert looks(alone) == before + 1
    assert device.get().ok()["brightness"] == 41


def test_a_precondition_is_compared(alone, known):
    tag = known.get()["ETag"]
    change(known, VALID).ok()
    change(known, {"brightness": 42}, fields=[("If-Match", tag)]).problem(412)
    change(known, {"brightness": 42}, fields=[("If-None-Match", "*")]).problem(412)
    assert known.get().ok()["brightness"] == 41


@pytest.mark.parametrize("body", [VALID, FAULTY, {"timezone": "Nowhere/Land"}, {}])
def test_a_removed_device_is_missing(alone, known, body):
    """The first check that fails answers, as for an unknown device."""
    alone.sql("DELETE FROM device WHERE id = %s", known.id)
    change(known, body).problem(404)
    change(known, body).problem(404)


@pytest.mark.parametrize("body", [VALID, FAULTY, {"timezone": "Nowhere/Land"}])
def test_a_device_of_another_account_now(alone, known, body):
    other = alone.account()
    change(known, body, other).problem(403)
    assert known.get().ok()["brightness"] == 40
    alone.sql("UPDATE device SET account_id = %s WHERE id = %s", other.id, known.id)
    change(known, body).problem(403)
    change(known, VALID, other).ok()
    change(known, VALID).problem(403)


def test_faults_of_the_body(alone, known):
    before = known.get().ok()
    assert change(known, FAULTY).faults()
    assert change(known, {}).problem(400)
    assert change(known, {"timezone": "Nowhere/Land"}).problem(400)
    assert known.get().ok() == before
