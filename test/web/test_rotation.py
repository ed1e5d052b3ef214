"""The rotation of a device in the pages: its entries, their order, and the shown entry."""

import hashlib
import itertools

import pytest
from devices import add, at_once, panel_of, path_of, poll_answer
from lists import next_target
from people import TIMESTAMP, UNKNOWN_ID, wait_until

import images


@pytest.fixture
def made(browser):
    return add(browser)


def picture(number):
    return images.png(images.solid((20 + 40 * number, 250 - 40 * number, 7)))


def push(browser, made, name=None, number=0, **members):
    body = {"image": images.text(picture(number))}
    if name is not None:
        body |= {"installationId": name, "background": True}
    browser.post(path_of(made["device"]) + "/push", {**body, **members}).ok()


def rotation(browser, made):
    return browser.get(path_of(made["device"]) + "/rotation").ok()


def names(browser, made):
    return [entry["installationId"] for entry in rotation(browser, made)["entries"]]


def order(browser, made, ids):
    return browser.request("PUT", path_of(made["device"]) + "/rotation", body={"order": ids})


def show(browser, made, name):
    return browser.post(f"{path_of(made['device'])}/rotation/{name}/show")


def served(world, made):
    answer = poll_answer(world, made["link"])
    assert answer.status == 200
    return answer.body


def hash_of(data):
    return hashlib.sha256(data).hexdigest()[:32]


def shows(data, number):
    return images.frames_of(data) == images.frames_of(picture(number))


def seen(panel):
    return {number for data in panel.pictures for number in range(6) if shows(data, number)}


def install_app(world, made, name="app-1"):
    """An entry without a picture: its app has not been rendered."""
    world.sql("WITH fresh AS (INSERT INTO app (id, account_id, slug, name, description, visibility) "
              "SELECT gen_random_uuid(), account_id, 'app-' || id, 'An app', '', 'private' "
              "FROM device WHERE id = %s RETURNING id) "
              "INSERT INTO installation (device_id, id, app_id, position) "
              "SELECT device.id, %s, fresh.id, generation + 1 FROM device, fresh "
              "WHERE device.id = %s", made["device"]["id"], name, made["device"]["id"])
    world.sql("UPDATE device SET generation = generation + 1 WHERE id = %s", made["device"]["id"])


def test_an_empty_rotation(browser, made):
    assert rotation(browser, made) == {"entries": [], "temporary": None,
                                       "night": {"installationId": None, "brightness": 10}, "isAsleep": False}


def test_entries(world, browser, made):
    push(browser, made, "one", 1)
    push(browser, made, 'two "<b>é', 2)
    install_app(world, made)
    one, two, app = rotation(browser, made)["entries"]
    assert [one["installationId"], two["installationId"]] == ["one", 'two "<b>é']
    assert one["kind"] == two["kind"] == "push" and one["appId"] is None is one["appName"]
    assert TIMESTAMP.fullmatch(one["createdAt"]) and one["updatedAt"] == one["createdAt"]
    assert app["kind"] == "app" and app["picture"] is None and app["appId"]
    first = served(world, made)
    assert shows(first, 1) and one["picture"] == hash_of(first) != two["picture"]
    push(browser, made, "one", 3)
    replaced = rotation(browser, made)["entries"][0]
    assert replaced["createdAt"] == one["createdAt"] < replaced["updatedAt"]
    assert replaced["picture"] not in (one["picture"], None)


def test_temporary_images(world, browser, made):
    push(browser, made, duration=45)
    image = rotation(browser, made)["temporary"]
    assert image["duration"] == 45 and image["displayedAt"] is None
    assert image["picture"] == hash_of(served(world, made))
    wait_until(lambda: rotation(browser, made)["temporary"]["displayedAt"], "that it is displayed")
    world.sql("UPDATE showing SET displayed_at = displayed_at - interval '46 s' "
              "WHERE device_id = %s", made["device"]["id"])
    assert rotation(browser, made)["temporary"] is None
    push(browser, made)
    world.sql("UPDATE showing SET created_at = created_at - interval '61 s' WHERE device_id = %s",
              made["device"]["id"])
    assert rotation(browser, made)["temporary"] is None
    push(browser, made, "entry", background=False)
    assert rotation(browser, made)["temporary"] is None


def turn(world, made):
    """As POST /v1/devices/{deviceId}/next."""
    world.sql("UPDATE device SET turn_count = turn_count + 1, turned_at = present_time(), "
              "generation = generation + 1 WHERE id = %s", made["device"]["id"])


def test_the_next_entry_ends_an_image(world, browser, made):
    push(browser, made, "entry")
    for members, is_over in (({"duration": 45}, True), ({"hold": True}, False), ({"duration": 45}, True)):
        push(browser, made, **members)
        assert rotation(browser, made)["temporary"]
        turn(world, made)
        assert (rotation(browser, made)["temporary"] is None) == is_over
    push(browser, made, duration=45)
    world.sql("UPDATE device SET pinned_installation_id = 'entry' WHERE id = %s", made["device"]["id"])
    turn(world, made)
    assert rotation(browser, made)["temporary"]


def test_a_held_image_is_ended(world, browser, made):
    push(browser, made, hold=True)
    world.sql("UPDATE showing SET displayed_at = now() - interval '1 day' WHERE device_id = %s",
              made["device"]["id"])
    assert rotation(browser, made)["temporary"]["picture"] == hash_of(served(world, made))
    assert browser.request("DELETE", path_of(made["device"]) + "/temporary").ok() == {}
    assert rotation(browser, made)["temporary"] is None


def test_an_expired_entry_is_gone(world, browser, made):
    push(browser, made, "kept")
    push(browser, made, "gone", expiresIn=60)
    night = path_of(made["device"]) + "/night"
    assert browser.request("PATCH", night, body={"installationId": "gone"}).ok() == {}
    world.sql("UPDATE installation SET expires_at = now() - interval '1 s' WHERE id = 'gone'")
    assert names(browser, made) == ["kept"]
    assert rotation(browser, made)["night"]["installationId"] is None
    assert browser.request("PATCH", night, body={"installationId": "gone"}).status == 400
    assert show(browser, made, "gone").status == 404
    assert order(browser, made, ["kept"]).status == 200


def test_the_tag_of_a_rotation(browser, made):
    push(browser, made, "one")
    path = path_of(made["device"]) + "/rotation"
    tag = browser.get(path)["ETag"]
    fields = [("Sec-Fetch-Site", "same-origin"), ("If-None-Match", tag)]
    assert browser.get(path, fields=fields).status == 304
    push(browser, made, "two")
    assert browser.get(path, fields=fields).status == 200


# ---- its order ----


def test_reordered(person, world, browser, made):
    for number, name in enumerate("abcd"):
        push(browser, made, name, number)
    order(browser, made, ["c", "a", "d", "b"]).ok()
    assert names(browser, made) == ["c", "a", "d", "b"]
    with world.client() as client:
        path = f"/v1/devices/{made['device']['id']}/installations"
        key = person.key()
        assert [entry["id"] for entry in client.request("GET", path, key=key).ok()] == list("cadb")
        target = path + "?limit=3"
        part = client.request("GET", target, key=key)
        assert [entry["id"] for entry in part.ok()] == list("cad")
        rest = client.request("GET", next_target(target, part), key=key)
        assert [entry["id"] for entry in rest.ok()] == ["b"]
    push(browser, made, "e", 4)
    assert names(browser, made) == list("cadbe")
    push(browser, made, "a", 5)
    order(browser, made, list("ebdac")).ok()
    assert names(browser, made) == list("ebdac")


def test_panels_go_on_in_the_new_order(world, browser, made):
    """Panels continue after the picture that they show: here one that polls, at several workers."""
    for number, name in enumerate("abcd"):
        push(browser, made, name, number)
    assert shows(served(world, made), 0) and shows(served(world, made), 1)
    order(browser, made, ["d", "b", "a", "c"]).ok()
    for number in (0, 2, 3, 1, 0):
        assert shows(served(world, made), number)


def test_a_websocket_takes_the_new_order(world, browser, made):
    for number, name in enumerate("abc"):
        push(browser, made, name, number)
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: 0 in seen(panel))
        panel.displays = False  # new pictures stay in its queue
        panel.wait_for(lambda: shows(panel.pictures[-1], 1))
        order(browser, made, ["a", "c", "b"]).ok()
        panel.wait_for(lambda: shows(panel.pictures[-1], 2))


def test_stale_orders_change_nothing(browser, made):
    for number, name in enumerate("abc"):
        push(browser, made, name, number)
    for stale in (["a", "b"], ["a", "b", "c", "d"], ["a", "b", "d"], [], ["A", "b", "c"]):
        assert "entries have changed" in order(browser, made, stale).problem(409)["detail"]
    assert names(browser, made) == list("abc")


def test_an_order_of_nothing(browser, made):
    order(browser, made, []).ok()
    order(browser, made, ["a"]).problem(409)


@pytest.mark.parametrize("wrong", [
    None, "a", {}, {"a": 1}, [1], [None], [["a"]], ["a", "a"], [""], ["a\0"], ["x" * 300],
    [str(number) for number in range(101)]])
def test_bad_orders(browser, made, wrong):
    push(browser, made, "a")
    assert list(order(browser, made, wrong).faults()) == ["/order"]
    browser.request("PUT", path_of(made["device"]) + "/rotation", body={}).problem(400)
    assert names(browser, made) == ["a"]


def test_an_order_of_as_many_as_there_may_be(world, browser, made):
    ids = [f"{number:03}" + "é" * 61 for number in range(100)]
    world.sql("INSERT INTO installation (device_id, id, position, picture) SELECT %s, id, n, 'x' "
              "FROM unnest(%s) WITH ORDINALITY AS wanted (id, n)", made["device"]["id"], ids)
    world.sql("UPDATE device SET generation = 100 WHERE id = %s", made["device"]["id"])
    ids.reverse()
    order(browser, made, ids).ok()
    assert names(browser, made) == ids


def test_orders_and_pushes_at_once(browser, made):
    """Each order is applied whole or not at all, and no entry is lost."""
    for number, name in enumerate("abcd"):
        push(browser, made, name, number)

    def act(number):
        if number % 4 == 3:
            push(browser, made, f"new{number}", 5)
            return 200
        now = names(browser, made)
        return order(browser, made, now[::-1]).status

    numbers = itertools.count()
    answers = at_once(8, lambda: act(next(numbers)))
    assert set(answers) <= {200, 409}
    assert sorted(names(browser, made)) == ["a", "b", "c", "d", "new3", "new7"]
    assert order(browser, made, names(browser, made)[::-1]).status == 200


# ---- what is shown now ----


def test_shown_now(world, browser, made):
    for number, name in enumerate("abc"):
        push(browser, made, name, number)
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: 0 in seen(panel))
        show(browser, made, "c").ok()
        panel.wait_for(lambda: shows(panel.pictures[-1], 2))
    assert shows(served(world, made), 2)
    show(browser, made, "b").ok()
    assert shows(served(world, made), 1)
    assert names(browser, made) == list("abc")


def test_what_cannot_be_shown(world, browser, made):
    show(browser, made, "none").problem(404)
    install_app(world, made)
    assert "no picture" in show(browser, made, "app-1").problem(409)["detail"]


# ---- removed ----


def test_removed(world, browser, made):
    push(browser, made, "a", 1)
    push(browser, made, "b", 2)
    path = path_of(made["device"]) + "/rotation/a"
    browser.delete(path).ok()
    browser.delete(path).problem(404)
    assert names(browser, made) == ["b"]
    assert shows(served(world, made), 2)


# ---- pushes ----


def test_a_push_has_the_rules_of_the_public_api(browser, made):
    path = path_of(made["device"]) + "/push"
    assert set(browser.post(path, {"image": "?", "duration": 7}).faults()) == {"/image", "/duration"}
    wrong = browser.post(path, {"image": images.text(images.png(images.solid(size=(128, 64))))})
    assert "128x64" in wrong.faults()["/image"]
    browser.post(path, b"x" * (1024 * 1024 + 1)).problem(413)
    browser.post(path, b"{}", fields=[("Sec-Fetch-Site", "same-origin"),
                                      ("Content-Type", "text/plain")]).problem(415)
    browser.post(f"/web/devices/{UNKNOWN_ID}/push", {"image": ""}).problem(404)
    browser.post(path, {"image": images.text(picture(1)), "installationId": "a/b"}).problem(400)
    assert names(browser, made) == []


def test_the_limit_of_entries(world, browser, made):
    world.sql("INSERT INTO installation (device_id, id, position, picture) "
              "SELECT %s, n::text, n, 'x' FROM generate_series(1, 100) AS n", made["device"]["id"])
    world.sql("UPDATE device SET generation = 100 WHERE id = %s", made["device"]["id"])
    body = {"image": images.text(picture(1)), "installationId": "more"}
    assert list(browser.post(path_of(made["device"]) + "/push", body).faults()) == [
        "/installationId"]
