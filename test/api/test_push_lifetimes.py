"""Pushes that expire, are held, or wake the panel, and their answers."""

import datetime
import re
import uuid

import pytest
from database_clock import DatabaseClock
from panel import Panel
from waiting import wait_until
from world import images

NULL = "must not be null, leave the field out instead"
EXPIRES = "must be an integer from 60 to 2592000"
BOOLEAN = "must be true or false"
HELD = "must be left out if hold is true"
DAY_S = 24 * 3600


def shown_of(answer):
    assert answer.ok() == {}
    return answer["Displayd-Shown"]


def push_entry(device, name="x", **members):
    assert device.push(installationId=name, background=True, **members).ok() == {}


@pytest.fixture
def clock(world):
    with DatabaseClock(world.database) as one:
        yield one


def sleeping(account, **columns):
    return account.device(sleep_enabled=True, sleep_start_minute=0, sleep_end_minute=0, **columns)


def showing(world, device):
    return world.sql("SELECT held_generation = push_generation, waking_generation = push_generation, "
                     "duration_s FROM showing WHERE device_id = %s", device.id)


# ---- the body ----


@pytest.mark.parametrize("text, seconds", [
    (b"60", 60), (b"61", 61), (b"60.0", 60), (b"2592000", 30 * DAY_S), (b"2.592e6", 30 * DAY_S)])
def test_expires_in(world, device, clock, text, seconds):
    body = b'{"image":"%s","installationId":"x","expiresIn":%s}' % (images.text(images.png()).encode(), text)
    assert device.push_body(body).ok() == {}
    assert world.sql("SELECT extract(epoch FROM expires_at - created_at)::int8 FROM installation "
                     "WHERE device_id = %s", device.id) == [(seconds,)]


@pytest.mark.parametrize("value", [0, 1, 59, -60, 2592001, 2**31, 2**63, 10**30, 60.5, "60", True, [], {}, None])
def test_expires_in_that_is_not_allowed(device, value):
    faults = device.push(installationId="x", expiresIn=value).faults()
    assert faults == {"/expiresIn": NULL if value is None else faults["/expiresIn"]}
    assert "60" in faults["/expiresIn"] or value is None
    assert device.installations() == []


def test_only_an_entry_expires(device):
    assert device.push(expiresIn=60).faults() == {"/expiresIn": "must be left out without installationId"}
    assert device.push(expiresIn=60, hold=True).faults() == {
        "/expiresIn": "must be left out without installationId"}


@pytest.mark.parametrize("member", ["wake", "hold"])
@pytest.mark.parametrize("value", [0, 1, "true", None, [], {}, 1.0])
def test_wake_and_hold_must_be_booleans(world, device, member, value):
    assert device.push(**{member: value}).faults() == {"/" + member: NULL if value is None else BOOLEAN}
    assert showing(world, device) == []


@pytest.mark.parametrize("members", [{}, {"installationId": "x"}])
@pytest.mark.parametrize("others", [{"duration": 5}, {"background": True}, {"background": False},
                                    {"duration": 5, "background": True}, {"duration": 7}])
def test_hold_excludes_duration_and_background(world, device, members, others):
    assert device.push(hold=True, **members, **others).faults() == {"/" + name: HELD for name in others}
    assert showing(world, device) == [] and device.installations() == []
    assert device.push(hold=False, **members, duration=5, background=True).ok() == {}


def test_all_faults_at_once(device):
    faults = device.push(hold=True, wake=7, duration=6, expiresIn=5, installationId="a/b", background=1).faults()
    assert set(faults) == {"/wake", "/duration", "/expiresIn", "/installationId", "/background"}


def test_v0_does_not_have_them(device):
    path = f"/v0/devices/{device.id}/push"
    for name, value in (("expiresIn", 60), ("wake", True), ("hold", True)):
        body = {"image": images.text(images.png()), "installationID": "x", name: value}
        assert set(device.account.post(path, body).faults()) == {"/" + name}


# ---- expiry ----


def test_an_expired_entry_is_in_no_answer(world, device, clock):
    push_entry(device, "kept")
    push_entry(device, "x", expiresIn=60)
    push_entry(device, "later", expiresIn=61)
    assert device.ids() == ["kept", "x", "later"]
    clock.advance(60)
    assert device.ids() == ["kept", "later"]
    assert [entry["id"] for entry in device.get("/installations?limit=5").ok()] == ["kept", "later"]
    assert device.get("/installations/x").problem(404)
    assert device.delete("x").problem(404)
    for change in ({"isEnabled": False}, {"isPinned": True}):
        assert device.account.request("PATCH", device.path + "/installations/x", body=change).problem(404)
    order = device.path + "/order"
    assert device.account.request("PUT", order, body={"order": ["later", "x", "kept"]}).problem(409)
    assert device.account.request("PUT", order, body={"order": ["later", "kept"]}).ok() == {}
    assert device.ids() == ["later", "kept"]
    of_v0 = f"/v0/devices/{device.id}"
    listed = device.account.get(of_v0 + "/installations").ok()["installations"]
    assert [(entry["id"], entry["appID"]) for entry in listed] == [("later", "pushed"), ("kept", "pushed")]
    for path in ("x", "x/preview"):
        assert device.account.get(f"{of_v0}/installations/{path}").problem(404)
    for name in ("pinnedApp", "nightModeApp"):
        assert list(device.account.request("PATCH", of_v0, body={name: "x"}).faults()) == ["/" + name]


def test_an_expired_entry_leaves_the_panel(world, device):
    """Each worker's cache drops the entry by itself: there is no hint, and the row stays meanwhile."""
    red, blue = images.png(images.solid((255, 0, 0))), images.png(images.solid((0, 0, 255)))
    assert device.push(blue, installationId="kept", background=True).ok() == {}
    assert device.push(red, installationId="x", expiresIn=60, hold=True).ok() == {}
    with world.each_worker() as clients, Panel(world.server, device) as panel:
        def poll(client):
            answer = client.request("GET", f"/d/{device.id}/next?key={device.link_key}")
            return images.frames_of(answer.body)

        while images.frames_of(panel.wait_for_picture()) != images.frames_of(red):
            pass
        world.sql("UPDATE installation SET expires_at = now() + interval '1 s', "
                  "expires_generation = picture_generation WHERE device_id = %s AND id = 'x'", device.id)
        # Its worker loads the device again.
        assert device.account.request("PATCH", device.path, body={"brightness": 9}).status == 200
        while images.frames_of(panel.wait_for_picture()) != images.frames_of(blue):
            pass
        for client in clients:
            assert poll(client) == images.frames_of(blue)
    wait_until(lambda: world.sql("SELECT count(*) FROM installation WHERE device_id = %s", device.id) == [(1,)],
               "the sweep")
    assert world.sql("SELECT entry_count, picture_bytes = pushed_bytes(id) FROM device WHERE id = %s",
                     device.id) == [(1, True)]


def test_an_entry_pushed_again(world, device, clock):
    """The newest push decides whether the entry expires. After its end it is a new entry."""
    push_entry(device, "x", expiresIn=60)
    push_entry(device, "y")
    clock.advance(59)
    push_entry(device, "x", expiresIn=60)
    clock.advance(59)
    assert device.ids() == ["x", "y"]
    push_entry(device, "x")
    clock.advance("40 days")
    assert device.ids() == ["x", "y"]
    push_entry(device, "x", expiresIn=60)
    made = device.installations()[0]["createdAt"]
    assert device.account.request("PATCH", device.path + "/installations/x",
                                  body={"name": "A name", "isPinned": True}).status == 200
    clock.advance(60)
    push_entry(device, "x")
    assert device.ids() == ["y", "x"]
    assert device.installations()[1]["createdAt"] > made
    detail = device.get("/installations/x").ok()
    assert detail["name"] is None and detail["isPinned"] is False


def test_the_end_is_shown_and_has_a_tag(device, clock):
    """A push that changes the end changes the tag."""
    push_entry(device, "x", expiresIn=60)
    seen = device.get("/installations/x")
    shown = seen.ok()
    made, end = (datetime.datetime.fromisoformat(shown[name]) for name in ("createdAt", "expiresAt"))
    assert (end - made).total_seconds() == 60
    clock.advance(10)
    push_entry(device, "x", expiresIn=60)
    path, known = device.path + "/installations/x", [("If-None-Match", seen["ETag"])]
    assert device.account.request("GET", path, fields=known).ok()["expiresAt"] > shown["expiresAt"]
    push_entry(device, "x")
    assert device.get("/installations/x").ok()["expiresAt"] is None


def test_expired_entries_count_no_more(world, device, clock):
    for number in range(99):
        push_entry(device, f"e{number}", **({"expiresIn": 60} if number < 2 else {}))
    push_entry(device, "last")
    assert set(device.push(installationId="more").faults()) == {"/installationId"}
    clock.advance(60)
    push_entry(device, "more")
    push_entry(device, "again")
    assert set(device.push(installationId="too many").faults()) == {"/installationId"}
    assert device.ids() == [f"e{number}" for number in range(2, 99)] + ["last", "more", "again"]


def test_an_app_takes_the_place_of_an_expired_entry(world, device, clock):
    app = str(uuid.uuid4())
    world.sql("INSERT INTO app (id, account_id, slug, name) VALUES (%s, %s, %s, 'Clock')",
              app, device.account.id, "clock-" + app)
    version = str(uuid.uuid4())
    world.sql("INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, "
              "reviewed_at) VALUES (%s, %s, '1', 'STARLARK', 'x', 'sha256:x', 'APPROVED', now())", version, app)
    world.sql("UPDATE app SET deployed_version_id = %s, status = 'active', is_submitted = true WHERE id = %s",
              version, app)
    for number in range(100):
        push_entry(device, f"e{number}", expiresIn=60)
    install = device.path + "/installations"
    assert device.account.post(install, {"app": app}).status == 409
    clock.advance(60)
    assert device.account.post(install, {"app": app}).status == 201
    assert len(device.ids()) == 1


def test_an_older_program_pushes_over_it(world, device):
    """An older program ignores the end, and its picture stays."""
    push_entry(device, "x", expiresIn=60)
    world.sql("UPDATE installation SET picture_generation = picture_generation + 1 WHERE device_id = %s", device.id)
    assert world.sql("SELECT expires_at FROM installation WHERE device_id = %s", device.id) == [(None,)]


# ---- hold and wake ----


@pytest.mark.parametrize("members", [{}, {"installationId": "x"}])
def test_a_held_push_stays_until_it_is_ended(world, device, members):
    picture = images.png(images.solid((1, 200, 3)))
    other = images.png(images.solid((200, 0, 0)))
    assert device.push(other, installationId="other", background=True).ok() == {}
    assert device.push(picture, hold=True, **members).ok() == {}
    device.shows(picture)
    world.sql("UPDATE showing SET displayed_at = now() - interval '2 days', created_at = now() - interval '2 days' "
              "WHERE device_id = %s", device.id)
    assert showing(world, device) == [(True, None, 15)]
    world.sql("UPDATE device SET generation = generation + 1 WHERE id = %s", device.id)
    for _ in range(8):
        assert device.shown() == images.frames_of(picture)
    temporary = device.path + "/temporary"
    assert device.account.request("DELETE", temporary).ok() == {}
    assert device.shown() == images.frames_of(other)
    assert device.account.request("DELETE", temporary).ok() == {}  # there is nothing to end
    assert device.ids() == ["other"] + ([members["installationId"]] if members else [])
    assert world.sql("SELECT picture_bytes = pushed_bytes(id) FROM device WHERE id = %s", device.id) == [(True,)]


def test_temporary_of_others(world, device):
    stranger = world.account()
    path = device.path + "/temporary"
    assert stranger.request("DELETE", path).problem(403)
    assert stranger.request("DELETE", f"/v1/devices/{uuid.uuid4()}/temporary").problem(404)
    assert world.request("DELETE", path, key="x").problem(401)
    assert device.account.get(path).problem(405)


def test_a_push_after_a_held_one_is_not_held(world, device):
    for members in ({}, {"installationId": "x"}):
        assert device.push(hold=True, wake=True).ok() == {}
        assert showing(world, device) == [(True, True, 15)]
        assert device.push(**members).ok() == {}
        assert showing(world, device)[0][:2] == (None, None)
    # The same holds for an older program.
    assert device.push(hold=True).ok() == {}
    world.sql("UPDATE showing SET push_generation = push_generation + 1 WHERE device_id = %s", device.id)
    assert showing(world, device)[0][0] is False


def test_a_restart_keeps_everything(start):
    picture, entry = images.png(images.solid((1, 200, 3))), images.png(images.solid((9, 9, 200)))
    world = start()
    device = sleeping(world.account(), brightness=40)
    assert device.push(entry, installationId="x", expiresIn=60, background=True).ok() == {}
    assert device.push(picture, hold=True, wake=True).ok() == {}
    again = start(database=world.database)  # another instance, which reads everything
    world.stop()
    assert again.request("GET", f"/d/{device.id}/next?key={device.link_key}")["Tronbyt-Brightness"] == "40"
    assert device.shown(again) == images.frames_of(picture)
    assert again.sql("SELECT expires_at > now() FROM installation WHERE device_id = %s", device.id) == [(True,)]


def test_wake_shows_a_push_while_the_panel_sleeps(account):
    device = sleeping(account, brightness=40)
    picture = images.png(images.solid((1, 200, 3)))
    assert device.push(picture).ok() == {}
    assert device.poll()["Tronbyt-Brightness"] == "0"
    assert shown_of(device.push(picture, wake=True, duration=45)) == "now"
    with Panel(account.world.server, device) as panel:
        messages = [panel.next() for _ in range(4)]
    assert {"brightness": 40} in messages and {"dwell_secs": 45} in messages
    assert images.frames_of([m for m in messages if isinstance(m, bytes)][0]) == images.frames_of(picture)
    answer = device.poll()
    assert answer["Tronbyt-Brightness"] == "40" and int(answer["Tronbyt-Dwell-Secs"]) <= 45
    assert images.frames_of(answer.body) == images.frames_of(picture)
    assert device.push(picture).ok() == {}
    assert device.poll()["Tronbyt-Brightness"] == "0"


def test_brightness_0_stays_dark(account):
    device = account.device(brightness=0)
    assert shown_of(device.push(wake=True, hold=True)) == "dark"
    assert device.poll()["Tronbyt-Brightness"] == "0"


# ---- what the answer says ----


def test_shown_now(world, device):
    with Panel(world.server, device) as panel:
        panel.next()
        with world.each_worker() as clients:
            for client in clients:
                answer = client.request("POST", device.path + "/push", key=device.account.key,
                                        body={"image": images.text(images.png())})
                assert shown_of(answer) == "now"
    for members in ({}, {"installationId": "a"}, {"hold": True}):
        wait_until(lambda m=members: shown_of(device.push(**m)).startswith("offline; since=20"), "the panel leaves")
    device.poll()
    assert shown_of(device.push()) == "now"
    assert shown_of(device.push(installationId="a", background=True)) == "later"


def test_shown_offline(world, device):
    since = datetime.datetime(2026, 3, 4, 5, 6, 7, 89000, datetime.timezone.utc)
    assert shown_of(device.push()) == "never"
    assert shown_of(device.push(installationId="a", background=True)) == "never"
    world.sql("UPDATE device SET last_online_at = %s, connected_at = %s WHERE id = %s", since, since, device.id)
    assert shown_of(device.push()) == "offline; since=2026-03-04T05:06:07.089Z"
    assert shown_of(device.push(installationId="a", background=True)) == "offline; since=2026-03-04T05:06:07.089Z"
    # At another instance, a poll may have told the panel to wait for almost five minutes.
    for seconds, shown in ((0, "now"), (300, "now"), (400, "offline")):
        world.sql("UPDATE device SET last_online_at = now() - %s * interval '1 second', connected_at = now() "
                  "WHERE id = %s", seconds, device.id)
        assert shown_of(device.push()).split(";")[0] == shown


def test_shown_asleep(world, account):
    local = world.sql("SELECT (extract(hour FROM t) * 60 + extract(minute FROM t))::int4 "
                      "FROM (SELECT now() AT TIME ZONE 'Asia/Kolkata') AS now (t)")[0][0]
    end = (local + 90) % 1440
    device = account.device(sleep_enabled=True, sleep_start_minute=(local - 30) % 1440, sleep_end_minute=end,
                            timezone="Asia/Kolkata")
    until = f"asleep; until={end // 60:02}:{end % 60:02}"
    assert shown_of(device.push()) == until
    assert shown_of(device.push(hold=True)) == until
    assert shown_of(device.push(installationId="a", background=True, wake=True)) == until
    assert shown_of(device.push(wake=True)) == "never"
    # All day: the panel does not wake when the window ends, because the next one begins then.
    assert shown_of(sleeping(account).push()) == "asleep"
    assert shown_of(account.device(sleep_enabled=True, sleep_start_minute=600, sleep_end_minute=600).push()) == "asleep"


@pytest.mark.parametrize("name, encoded", [
    ("home", "home"), ("a b\u00e9;", "a%20b%C3%A9%3B"), ("\U0001f4a1" * 64, "%F0%9F%92%A1" * 64)])
def test_shown_pinned(device, name, encoded):
    push_entry(device, name)
    device.account.world.sql("UPDATE device SET pinned_installation_id = %s WHERE id = %s", name, device.id)
    device.poll()
    assert shown_of(device.push(installationId="a", background=True)) == f"pinned; id={encoded}"
    assert shown_of(device.push(installationId=name, background=True)) == "later"
    assert shown_of(device.push()) == "now"  # a push interrupts
    assert re.fullmatch("[ -~]+", encoded)
