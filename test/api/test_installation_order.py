"""The whole order of a rotation."""

import scene
import pytest
from test_installations import together
from world import UNKNOWN_ID, request_bytes


def order(device, names, **options):
    return device.account.request("PUT", device.path + "/order", body={"order": names}, **options)


@pytest.fixture
def three(world, device):
    scene.rotation(world, device, ["a", "b", "c"])
    return device


def test_order(three):
    for names in (["c", "a", "b"], ["b", "c", "a"], ["b", "c", "a"]):
        assert order(three, names).ok() == {}
        assert three.ids() == names
    assert three.push(installationId="new").ok() == {}
    assert three.ids() == ["b", "c", "a", "new"]


def test_other_entries(three):
    for names in ([], ["a", "b"], ["a", "b", "c", "d"], ["a", "b", "x"]):
        order(three, names).problem(409)
    assert three.ids() == ["a", "b", "c"]


def test_empty_rotation(device):
    assert order(device, []).ok() == {}
    order(device, ["a"]).problem(409)


def test_bounds(world, device):
    scene.fill(world, device, 100)
    names = [f"e{n}" for n in range(100)]
    assert order(device, names[::-1]).ok() == {}
    assert device.ids() == names[::-1]
    assert set(order(device, names + ["one"]).faults()) == {"/order"}
    order(device, ["\U0001f4a1" * 64]).problem(409)


@pytest.mark.parametrize("value", [None, "a", {}, [1], [None], ["a", "a"], ["x" * 300], [["a"]]])
def test_wrong_orders(three, value):
    assert set(order(three, value).faults()) == {"/order"}
    assert three.ids() == ["a", "b", "c"]


def test_wrong_bodies(three):
    for body, pointers in (({}, {"/order"}), ({"order": ["a", "b", "c"], "x": 1}, {"/x"})):
        answer = three.account.request("PUT", three.path + "/order", body=body)
        assert set(answer.faults()) == pointers


def test_who_may(world, account, three):
    body = {"order": ["c", "b", "a"]}
    path = three.path + "/order"
    world.account().request("PUT", path, body=body).problem(403)
    account.request("PUT", path.replace(three.id, UNKNOWN_ID), body=body).problem(404)
    account.request("PUT", path, body=body, key=None).problem(401)
    order(three, ["c", "b", "a"], fields=[("If-Match", '"x"')]).problem(412)
    assert three.ids() == ["a", "b", "c"]


def test_orders_at_once(world, account, three):
    """Each is whole; the last one stays."""
    wanted = [["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]]
    answers = together(world, [request_bytes("PUT", three.path + "/order", key=account.key,
                                             body={"order": names}) for names in wanted * 4])
    assert {answer.status for answer in answers} == {200}
    assert three.ids() in wanted
