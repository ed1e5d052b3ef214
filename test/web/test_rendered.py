"""Pictures of apps on panels, with a test in place of the rendering worker."""

import contextlib
import hashlib

from devices import panel_of, path_of, poll_answer
from people import wait_until
from rendered import (WITHOUT_ENGINES, app, author, installed, place_of, reviewer, store, webp,
                      world_without_engines)

__all__ = ["app", "author", "reviewer", "world_without_engines"]  # fixtures


def place(world, made):
    return place_of(world, made["device"]["id"], made["entry"])


def entry_of(browser, made):
    [entry] = browser.get(path_of(made["device"]) + "/rotation").ok()["entries"]
    return entry


def hash_of(data):
    return hashlib.sha256(data).hexdigest()[:32]


def test_devices_share_a_place_where_nothing_differs(world, app, browser):
    first, second = installed(browser, app), installed(browser, app)
    assert place(world, first) == place(world, second)
    elsewhere = installed(browser, app, timezone="Europe/Zagreb")
    assert place(world, elsewhere) != place(world, first)
    browser.patch(path_of(elsewhere["device"]), {"timezone": "UTC"}).ok()
    assert place(world, elsewhere) == place(world, first)
    browser.patch(path_of(first["device"]), {"brightness": 17}).ok()
    assert place(world, first) == place(world, second)
    browser.patch(path_of(first["device"]), {"scheduleInterval": 20}).ok()
    assert place(world, first) != place(world, second)  # its animations may be longer
    browser.patch(path_of(second["device"]), {"scheduleInterval": 20}).ok()
    assert place(world, first) == place(world, second)


def test_a_rendered_picture_is_on_all_panels_at_once(world, app, browser):
    made = [installed(browser, app) for _ in range(3)]
    generations = world.sql("SELECT sum(generation) FROM device")
    with contextlib.ExitStack() as stack:
        panels = [stack.enter_context(panel_of(world, one)) for one in made]
        for panel in panels:
            panel.wait_for(lambda panel=panel: panel.pictures)
        for number in (1, 2):
            store(world, place(world, made[0]), app.version_id, webp(number))
            for panel in panels:
                panel.wait_for(lambda panel=panel: panel.pictures[-1] == webp(number))
    assert world.sql("SELECT sum(generation) FROM device") == generations  # no write for each device


def test_a_panel_that_polls(world, app, browser):
    made = installed(browser, app)
    store(world, place(world, made), app.version_id, webp(1))
    assert poll_answer(world, made["link"]).body == webp(1)
    store(world, place(world, made), app.version_id, webp(2))
    wait_until(lambda: poll_answer(world, made["link"]).body == webp(2), "the new picture")


def test_nothing_to_show_is_passed_over(world, app, browser):
    made = installed(browser, app)
    store(world, place(world, made), app.version_id, webp(1))
    with panel_of(world, made) as panel:
        panel.wait_for(lambda: panel.pictures[-1:] == [webp(1)])
        store(world, place(world, made), app.version_id, None)
        assert entry_of(browser, made)["picture"] is None
        store(world, place(world, made), app.version_id, webp(2))
        panel.wait_for(lambda: panel.pictures[-1:] == [webp(2)])


def test_pages_see_the_picture_and_the_one_before(world, app, browser):
    made = installed(browser, app)
    for number in (1, 2):
        store(world, place(world, made), app.version_id, webp(number))
    assert entry_of(browser, made)["picture"] == hash_of(webp(2))
    for number in (1, 2):
        answer = browser.get(f"{path_of(made['device'])}/pictures/{hash_of(webp(number))}")
        assert answer.status == 200 and answer.body == webp(number)
    other = installed(browser, app, timezone="Asia/Tokyo")
    browser.get(f"{path_of(other['device'])}/pictures/{hash_of(webp(2))}").problem(404)


def test_an_app_with_a_picture_can_be_shown_now(world, app, browser):
    made = installed(browser, app)
    show = f"{path_of(made['device'])}/rotation/{made['entry']}/show"
    browser.post(show).problem(409)
    store(world, place(world, made), app.version_id, webp(1))
    assert browser.post(show).status in (200, 204)


def test_the_last_picture_stays(world, app, author, reviewer, browser, start):
    """The last picture stays while a new version or new settings have none, also for an instance that has
    just started."""
    made = installed(browser, app)
    store(world, place(world, made), app.version_id, webp(1))
    old = place(world, made)
    app.publish(reviewer, "2.0")
    assert poll_answer(world, made["link"]).body == webp(1)
    browser.patch(path_of(made["device"]), {"timezone": "Europe/Zagreb"}).ok()
    assert place(world, made) != old
    for one in (world, start(*WITHOUT_ENGINES, database=world.database)):
        assert poll_answer(one, made["link"]).body == webp(1)
    [[version]] = world.sql("SELECT deployed_version_id::text FROM app WHERE id = %s", app.id)
    store(world, place(world, made), version, webp(2))
    wait_until(lambda: poll_answer(world, made["link"]).body == webp(2), "the new picture")
    # After the rollback, that version's picture is shown at once.
    browser.patch(path_of(made["device"]), {"timezone": "UTC"}).ok()
    author.browser.post(app.path + "/deploy", {"version": "1.0"}).ok()
    wait_until(lambda: poll_answer(world, made["link"]).body == webp(1), "the old picture")


def test_a_disabled_app_leaves_the_rotation(world, app, browser):
    """Its picture goes from panels, which is said, and comes back when the app is enabled."""
    made = installed(browser, app)
    store(world, place(world, made), app.version_id, webp(1))
    wait_until(lambda: poll_answer(world, made["link"]).body == webp(1), "its picture")
    [entry] = browser.get(f"{path_of(made['device'])}/rotation").ok()["entries"]
    assert (entry["isAppDisabled"], entry["problem"]) == (False, None)
    world.server.ctl("app", "disable", app.slug)
    wait_until(lambda: poll_answer(world, made["link"]).body != webp(1), "a rotation without it")
    words = "the app is disabled: the rotation leaves it out until an administrator enables it"
    [entry] = browser.get(f"{path_of(made['device'])}/rotation").ok()["entries"]
    assert (entry["isAppDisabled"], entry["problem"], entry["picture"]) == (True, words, None)
    [shown] = world.server.ctl("installation", "list", "--device", made["device"]["id"])["entries"]
    assert shown["problem"] == words
    browser.post(f"{path_of(made['device'])}/rotation/{made['entry']}/show").problem(409)
    world.server.ctl("app", "enable", app.slug)
    wait_until(lambda: poll_answer(world, made["link"]).body == webp(1), "its picture again")
    [entry] = browser.get(f"{path_of(made['device'])}/rotation").ok()["entries"]
    assert (entry["isAppDisabled"], entry["problem"]) == (False, None)
