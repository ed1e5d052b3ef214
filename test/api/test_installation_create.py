"""Apps are installed by key, with settings."""

import pytest
import scene
from app_forms import ALL, published, renders
from apps import make_app
from test_installation_details import Entry
from test_installations import together
from world import UNKNOWN_ID, request_bytes


def install(device, body, **options):
    return device.account.post(device.path + "/installations", body, **options)


def installed(device, body):
    answer = install(device, body)
    assert answer.status == 201, answer
    assert device.installations()[-1] == answer.json()
    return Entry(device, answer.json()["id"])


def test_by_id_and_by_slug(account, device):
    app = published(account, name="Big clock")
    assert device.push(installationId="weather").ok() == {}
    for name in (app.id, app.slug):
        answer = install(device, {"app": name})
        assert answer.status == 201
        assert answer.json()["app"] == {"id": app.id, "name": "Big clock"}
    shown = device.installations()
    assert [entry["app"] and entry["app"]["id"] for entry in shown] == [None, app.id, app.id]
    assert len({entry["id"] for entry in shown}) == 3


def test_of_another_account(world, account, device):
    public = published(world.account(), visibility="public")
    own = published(account)
    world.sql("UPDATE app SET slug = %s WHERE id = %s", public.slug, own.id)
    for name, app in ((public.slug, own), (public.id, public)):
        assert install(device, {"app": name}).json()["app"]["id"] == app.id


def test_what_cannot_be_installed(world, account, device):
    private = published(world.account())
    disabled = published(account)
    world.sql("UPDATE app SET status = 'disabled' WHERE id = %s", disabled.id)
    for name in (private.id, private.slug, disabled.id, make_app(account).slug, UNKNOWN_ID, "no-such"):
        for settings in ({}, {"text": "x"}):
            install(device, {"app": name, "settings": settings}).problem(404)
    assert device.installations() == []


def test_who_may(world, account, device):
    app = published(account, visibility="public")
    other = world.account()
    path = device.path + "/installations"
    other.post(path, {"app": app.id}).problem(403)
    account.post(path.replace(device.id, UNKNOWN_ID), {"app": app.id}).problem(404)
    account.post(path, {"app": app.id}, key=None).problem(401)
    account.post(path, {"app": app.id}, fields=[("If-Match", '"x"')]).problem(412)
    assert device.installations() == []


@pytest.mark.parametrize("body, pointers", [
    ({}, {"/app"}), ({"app": ""}, {"/app"}), ({"app": "x" * 65}, {"/app"}), ({"app": None}, {"/app"}),
    ({"app": 1, "settings": []}, {"/app", "/settings"}), ({"app": "x", "settings": None}, {"/settings"}),
    ({"app": "x", "settings": {"a": 1, "b": "\u0000"}}, {"/settings/a", "/settings/b"}),
    ({"app": "x", "settings": {"a" * 201: "x"}}, {"/settings/" + "a" * 201}),
    ({"app": "x", "name": "y"}, {"/name"}),
    ({"app": "x", "settings": {f"n{n}": "" for n in range(201)}}, {"/settings"}),
    ({"app": "x", "settings": {"a": "x" * 65536}}, {"/settings"})])
def test_wrong_bodies(device, body, pointers):
    assert set(install(device, body).faults()) == pointers


def test_bounds_that_hold(device):
    for body in ({"app": "x" * 64}, {"app": "x", "settings": {f"n{n}": "" for n in range(200)}},
                 {"app": "x", "settings": {"a" * 200: "x" * (65536 - 200)}}):
        install(device, body).problem(404)  # only the app is wrong


@renders
def test_settings(world, account, device):
    app = published(account, ALL)
    entry = installed(device, {"app": app.slug, "settings": {
        "text": "a", "color": "#ABC", "key": "secret-one", "other": "x"}})
    shown = entry.get()
    assert (shown["settings"], shown["secrets"]) == ({"text": "a", "color": "#abc"}, ["key"])
    (row,), = world.sql("SELECT installation::text FROM installation WHERE id = %s", entry.id)
    assert "secret-one" not in row
    faults = install(device, {"app": app.slug, "settings": {"on": "x", "kind": "c"}}).faults()
    assert set(faults) == {"/settings/on", "/settings/kind"}
    assert len(device.installations()) == 1


@renders
def test_without_a_form(account, device):
    app = published(account, "nobody")
    assert "form" in install(device, {"app": app.id, "settings": {"a": "b"}}).problem(409)["detail"]
    installed(device, {"app": app.id})


def test_a_hundred_entries(world, account, device):
    app = published(account)
    scene.fill(world, device, 97)
    request = request_bytes("POST", device.path + "/installations", key=account.key,
                            body={"app": app.id})
    answers = together(world, [request] * 8)
    assert sorted(answer.status for answer in answers) == 3 * [201] + 5 * [409]
    assert all("100" in answer.json()["detail"] for answer in answers if answer.status == 409)
    assert len(device.installations()) == 100
