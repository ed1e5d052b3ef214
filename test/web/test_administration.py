"""Accounts and roles, invitations, links for a forgotten password, and the audit log."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import lock_sessions
import pytest
from lists import next_target
from people import (CONTRACT, OTHER_PASSWORD, PASSWORD, TIMESTAMP, UNKNOWN_ID, Browser, Person, make_first,
                    token_of, wait_until)
from server import CtlError

ENDPOINTS = [
    ("GET", "/web/admin/accounts", None), ("GET", "/web/admin/audit", None),
    ("PATCH", f"/web/admin/accounts/{UNKNOWN_ID}", {"isReviewer": True}),
    ("GET", "/web/admin/instance", None), ("PATCH", "/web/admin/instance", {"appsReachLocal": True}),
    ("POST", f"/web/admin/accounts/{UNKNOWN_ID}/password-link", None),
    ("GET", "/web/admin/invitations", None), ("POST", "/web/admin/invitations", {}),
    ("DELETE", f"/web/admin/invitations/{UNKNOWN_ID}", None),
    ("GET", f"/web/admin/accounts/{UNKNOWN_ID}", None), ("GET", "/web/admin/devices", None),
    ("GET", "/web/admin/keys", None), ("GET", "/web/admin/apps", None), ("GET", "/web/admin/apps/clock", None),
    ("POST", "/web/admin/accounts", {"email": "a@example.org"}), ("POST", "/web/admin/apps/clock/disable", None),
    ("POST", "/web/admin/apps/clock/enable", None), ("DELETE", "/web/admin/apps/clock", None),
    ("GET", f"/web/admin/accounts/{UNKNOWN_ID}/removal", None),
    ("POST", f"/web/admin/accounts/{UNKNOWN_ID}/removal", {"password": PASSWORD})]
# Administrators may not do these either.
OF_THE_OPERATOR = [
    ("DELETE", f"/web/admin/accounts/{UNKNOWN_ID}", None), ("POST", "/web/admin/links", {}),
    ("POST", "/web/admin/devices", {"lines": ""}),
    ("POST", "/web/admin/collections", {"name": "a", "source": "/a", "lines": ""}),
    ("POST", f"/web/admin/collections/{UNKNOWN_ID}/apps", {
        "slug": "a", "name": "A", "origin": "a", "scriptLanguage": "STARLARK", "scriptContent": "x"})]


@pytest.mark.parametrize("method, path, body", ENDPOINTS)
def test_for_administrators_only(world, browser, method, path, body):
    reviewer = Person(world, is_reviewer=True).browser()
    for one in (browser, reviewer):
        one.request(method, path, body=body).problem(403)
    Browser(world).request(method, path, body=body).problem(401)


@pytest.mark.parametrize("method, path, body", OF_THE_OPERATOR)
def test_for_the_operator_only(world, administrator, method, path, body):
    assert "operator" in administrator.request(method, path, body=body).problem(403)["detail"]
    Browser(world).request(method, path, body=body).problem(401)


def test_an_account_is_made(world, administrator):
    email = f"made-{Person(world).email}"
    made = administrator.post("/web/admin/accounts", {"email": email, "name": "Grace"})
    assert made.status == 201
    member = made.json()
    assert (member["name"], member["hasPassword"], member["devices"], member["isAdministrator"]) == (
        "Grace", False, 0, False)
    assert administrator.get(f"/web/admin/accounts/{member['id']}").ok() == member
    administrator.post("/web/admin/accounts", {"email": email.upper()}).problem(409)
    for body, fault in (({"email": "x"}, "/email"), ({"email": "x@y", "name": "X@Y"}, "/name"), ({}, "/email")):
        assert administrator.post("/web/admin/accounts", body).faults().keys() == {fault}
    assert administrator.post("/web/admin/accounts", {"email": f"x{email}"}).json()["name"] == "Anonymous"
    assert {entry["actor"] for entry in administrator.get(f"/web/admin/audit?q={quote(email)}").ok()} == {
        next(one["email"] for one in administrator.get("/web/admin/accounts").ok() if one["isAdministrator"]
             and one["id"] == administrator.get("/web/account").ok()["id"])}


def test_an_account_is_renamed(administrator, person):
    path = f"/web/admin/accounts/{person.id}"
    assert administrator.patch(path, {"name": "New"}).ok()["name"] == "New"
    assert administrator.patch(path, {"name": person.email.upper()}).faults().keys() == {"/name"}
    administrator.patch(f"/web/admin/accounts/{UNKNOWN_ID}", {"name": "New"}).problem(404)
    assert administrator.get(path).ok()["name"] == "New"


def test_members(world, administrator):
    person = Person(world, is_reviewer=True)
    person.device()
    found, target = [], "/web/admin/accounts?limit=100"
    while target:
        answer = administrator.get(target)
        found += answer.ok()
        target = next_target(target, answer)
    member = next(entry for entry in found if entry["id"] == person.id)
    assert member["isReviewer"] and not member["isAdministrator"] and member["hasPassword"]
    assert (member["devices"], member["apps"], member["lastSignInAt"]) == (1, 0, None)
    person.browser()
    everybody = administrator.get("/web/admin/accounts").ok()
    member = next(entry for entry in everybody if entry["id"] == person.id)
    assert TIMESTAMP.fullmatch(member["lastSignInAt"])
    assert len(everybody) == len(found)


def test_one_member(administrator, person):
    path = "/web/admin/accounts"
    member = administrator.get(f"{path}/{person.id}").ok()
    assert member == next(one for one in administrator.get(path).ok() if one["id"] == person.id)
    assert administrator.get(f"{path}/{person.email.upper()}").ok() == member
    for name in (UNKNOWN_ID, "nobody@example.org", "x"):
        assert administrator.get(f"{path}/{name}").problem(404)


def everything(administrator, path):
    """The list read in parts, after a check that they are the whole list."""
    found, target = [], f"{path}?limit=2"
    while target:
        answer = administrator.get(target)
        found += answer.ok()
        target = next_target(target, answer)
    assert found == administrator.get(path).ok()
    return found


def test_devices_of_all(administrator, person):
    hall, shelf, serial = (f"{name} {person.id[-8:]}" for name in ("Hall", "Shelf", "S"))
    serial = serial.replace(" ", "-")
    browser = person.browser()
    made = [browser.post("/web/devices", {"name": name, "timezone": "UTC"} | more).json()["device"]
            for name, more in ((hall, {"serialNumber": serial}), (shelf, {}), (shelf.lower(), {}))]
    path = "/web/admin/devices"
    listed = {device["id"]: device for device in everything(administrator, path)}
    assert listed[made[0]["id"]]["account"] == person.email
    assert (listed[made[0]["id"]]["serialNumber"], listed[made[0]["id"]]["entries"]) == (serial, 0)
    for name, wanted in ((serial, [0]), (made[0]["id"], [0]), (hall.upper(), [0]), (shelf, [1]),
                         (shelf.upper(), [1, 2]), (f"{shelf}x", [])):
        found = administrator.get(f"{path}?name={quote(name)}").ok()
        assert [device["id"] for device in found] == [made[number]["id"] for number in wanted], name


def test_keys_of_all(administrator, person):
    person.device()
    browser = person.browser()
    keys = [browser.post("/web/keys", {"name": name}).json() for name in ("Weather", "News")]
    browser.delete(f"/web/keys/{keys[0]['id']}").ok()
    listed = {key["id"]: key for key in everything(administrator, "/web/admin/keys")}
    assert listed[keys[0]["id"]]["revokedAt"] and not listed[keys[1]["id"]]["revokedAt"]
    assert listed[keys[1]["id"]]["account"] == person.email
    found = administrator.get(f"/web/admin/keys?name={keys[1]['firstCharacters']}").ok()
    assert keys[1]["id"] in [key["id"] for key in found]
    assert administrator.get("/web/admin/keys?name=nothing").ok() == []


def test_apps_of_all(administrator, person):
    made = person.browser().post("/web/studio", {"slug": f"app-{person.id}", "name": "Clock"}).json()
    assert made["id"] in [app["id"] for app in everything(administrator, "/web/admin/apps")]
    app = administrator.get(f"/web/admin/apps/{made['id']}").ok()
    assert (app["account"], app["versions"], app["installations"]) == (person.email, 0, 0)
    assert administrator.get(f"/web/admin/apps/{made['slug']}").ok() == app
    administrator.get("/web/admin/apps/nothing").problem(404)


def test_roles(administrator, person):
    path = f"/web/admin/accounts/{person.id}"
    assert administrator.patch(path, {"isReviewer": True}).ok()["isReviewer"]
    assert administrator.patch(path, {"isAdministrator": True}).ok()["isReviewer"]
    member = administrator.patch(path, {"isReviewer": False, "isAdministrator": False}).ok()
    assert not member["isReviewer"] and not member["isAdministrator"]
    for body in ({}, {"isReviewer": 1}, {"isKing": True}, {"email": "a@example.org"}, []):
        administrator.patch(path, body).problem(400)
    administrator.patch(f"/web/admin/accounts/{UNKNOWN_ID}", {"isReviewer": True}).problem(404)
    administrator.patch("/web/admin/accounts/first", {"isReviewer": True}).problem(404)


def test_the_last_administrator_stays_one(start):
    world = start("--rate-limit", "0")
    browser = make_first(world)
    me = browser.get("/web/account").ok()["id"]
    browser.patch(f"/web/admin/accounts/{me}", {"isAdministrator": False}).problem(409)
    # Repeats the race of two administrators who give the role up at the same moment.
    second = Person(world)
    for _ in range(5):
        browser.patch(f"/web/admin/accounts/{second.id}", {"isAdministrator": True}).ok()
        pairs = ((browser, me), (second.browser(), second.id))
        with ThreadPoolExecutor(2) as pool:
            statuses = list(pool.map(lambda pair: pair[0].patch(
                f"/web/admin/accounts/{pair[1]}", {"isAdministrator": False}).status, pairs))
        assert sorted(statuses) == [200, 409]
        if statuses[0] == 200:
            pairs[1][0].patch(f"/web/admin/accounts/{me}", {"isAdministrator": True}).ok()
            browser.patch(f"/web/admin/accounts/{second.id}", {"isAdministrator": False}).ok()


def test_displayctl_takes_nothing_from_the_last_administrator(start):
    world = start("--rate-limit", "0")
    browser = make_first(world)
    me = browser.get("/web/account").ok()["id"]
    world.sql("INSERT INTO device (id, account_id, name, link_key_hash) "
              "VALUES (gen_random_uuid(), %s, 'Desk', sha256('key'))", me)
    with pytest.raises(CtlError, match="is the last administrator"):
        world.server.ctl("account", "remove", "first@example.org", "--yes")
    assert world.sql("SELECT name FROM device WHERE account_id = %s", me) == [("Desk",)]


def test_invitations(world, administrator):
    answer = administrator.post("/web/admin/invitations", {"isReviewer": True})
    assert answer.status == 201
    link = answer.json()
    assert link["url"].startswith(world.server.url + "/link#")
    shown = next(entry for entry in administrator.get("/web/admin/invitations").ok()
                 if entry["id"] == link["id"])
    assert (shown["email"], shown["isReviewer"], shown["isAdministrator"]) == (None, True, False)
    assert token_of(link["url"]) not in str(world.sql("SELECT * FROM account_link"))
    guest = Browser(world)
    body = {"token": token_of(link["url"]), "password": PASSWORD}
    assert set(guest.post("/web/links/use", body).faults()) == {"/email", "/name"}
    body |= {"email": "Grace@example.org", "name": "Grace"}
    account = guest.post("/web/links/use", body).ok()
    assert account["isReviewer"] and not account["isAdministrator"] and guest.is_signed_in()
    Browser(world).post("/web/links/use", body | {"email": "other@example.org"}).problem(404)
    assert link["id"] not in str(administrator.get("/web/admin/invitations").ok())


def test_an_invitation_for_somebody(world, administrator):
    link = administrator.post("/web/admin/invitations", {"email": "Alan@example.org"}).json()
    token = token_of(link["url"])
    assert Browser(world).post("/web/links/look", {"token": token}).ok()["email"] == (
        "Alan@example.org")
    body = {"token": token, "email": "eve@example.org", "name": "Eve", "password": PASSWORD}
    assert list(Browser(world).post("/web/links/use", body).faults()) == ["/email"]
    del body["email"]
    answer = Browser(world).post("/web/links/use", body)
    assert answer.ok()["email"] == "Alan@example.org"
    assert answer["Cache-Control"] == "no-store"  # it has the session's cookie


def test_an_invitation_is_not_lost_where_the_address_is_taken(world, administrator, person):
    link = administrator.post("/web/admin/invitations", {}).json()
    body = {"token": token_of(link["url"]), "email": person.email, "name": "Two",
            "password": PASSWORD}
    Browser(world).post("/web/links/use", body).problem(409)
    assert Browser(world).post("/web/links/use", body | {"email": "2" + person.email}).status == 200


def test_a_withdrawn_and_an_expired_invitation(world, administrator):
    links = [administrator.post("/web/admin/invitations", {}).json() for _ in range(2)]
    assert administrator.delete(f"/web/admin/invitations/{links[0]['id']}").ok() == {}
    administrator.delete(f"/web/admin/invitations/{links[0]['id']}").problem(404)
    administrator.delete("/web/admin/invitations/none").problem(404)
    world.sql("UPDATE account_link SET expires_at = clock_timestamp() WHERE id = %s",
              links[1]["id"])
    for number, link in enumerate(links):
        body = {"token": token_of(link["url"]), "email": f"late{number}@example.org",
                "name": "Late", "password": PASSWORD}
        Browser(world).post("/web/links/look", {"token": body["token"]}).problem(404)
        Browser(world).post("/web/links/use", body).problem(404)
    assert not {link["id"] for link in links} & {
        entry["id"] for entry in administrator.get("/web/admin/invitations").ok()}


def test_two_use_one_invitation(world, administrator):
    link = administrator.post("/web/admin/invitations", {}).json()

    def use(number):
        return Browser(world).post("/web/links/use", {
            "token": token_of(link["url"]), "email": f"{number}-{link['id']}@example.org",
            "name": "Two", "password": PASSWORD}).status

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(use, range(4))) == [200, 404, 404, 404]


def test_whoever_is_demoted_meanwhile_makes_no_administrator(world):
    maker, other = Person(world, is_administrator=True), Person(world)
    browser = maker.browser()
    with lock_sessions.Session(world) as holder, ThreadPoolExecutor(1) as pool:
        holder.run("BEGIN")
        holder.run("UPDATE account SET is_administrator = false WHERE id = %s", (maker.id,))
        change = pool.submit(browser.patch, f"/web/admin/accounts/{other.id}", {"isAdministrator": True})
        wait_until(lambda: world.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                                     "AND datname = current_database()")[0][0], "its wait")
        holder.run("COMMIT")
        change.result().problem(404)
    assert world.sql("SELECT is_administrator FROM account WHERE id = %s", other.id) == [(False,)]


def test_a_forgotten_password(world, administrator, person):
    browser = person.browser()
    path = f"/web/admin/accounts/{person.id}/password-link"
    older, link = administrator.post(path).json(), administrator.post(path).json()
    Browser(world).post("/web/links/look", {"token": token_of(older["url"])}).problem(404)
    shown = Browser(world).post("/web/links/look", {"token": token_of(link["url"])}).ok()
    assert (shown["kind"], shown["email"]) == ("password", person.email)
    assert browser.is_signed_in()
    guest = Browser(world)
    body = {"token": token_of(link["url"]), "password": person.email}
    assert list(guest.post("/web/links/use", body).faults()) == ["/password"]
    body |= {"password": OTHER_PASSWORD, "email": "2" + person.email}
    assert guest.post("/web/links/use", body).faults() == {"/email": "must be the address of the account"}
    body["email"] = person.email.upper()
    assert guest.post("/web/links/use", body).ok()["id"] == person.id and guest.is_signed_in()
    browser.get("/web/account").problem(401)
    Browser(world).post("/web/links/use", body).problem(404)
    Browser(world).try_sign_in(person.email).problem(401)
    administrator.post(f"/web/admin/accounts/{UNKNOWN_ID}/password-link").problem(404)


def test_a_change_of_the_password_ends_its_links(world, administrator, person):
    link = administrator.post(f"/web/admin/accounts/{person.id}/password-link").json()
    person.browser().post("/web/account/password", {
        "currentPassword": PASSWORD, "password": OTHER_PASSWORD}).ok()
    Browser(world).post("/web/links/look", {"token": token_of(link["url"])}).problem(404)


def demote(maker, administrator):
    administrator.patch(f"/web/admin/accounts/{maker.id}", {"isAdministrator": False}).ok()


def leave(maker, _):
    maker.browser().post("/web/account/removal", {"password": PASSWORD}).ok()


def remove(maker, _):
    maker.world.server.ctl("account", "remove", maker.email, "--yes")


def links_of(world, browser, target):
    """Bodies that use a link of each kind."""
    made = [(browser.post("/web/admin/invitations", {"isAdministrator": True}).json(),
             {"email": f"guest-{target.email}", "name": "Guest"}),
            (browser.post(f"/web/admin/accounts/{target.id}/password-link").json(), {})]
    return [(link["id"], {"token": token_of(link["url"]), "password": OTHER_PASSWORD} | more)
            for link, more in made]


@pytest.mark.parametrize("go", [demote, leave, remove])
def test_links_hold_while_their_maker_may_make_them(world, administrator, person, go):
    maker = Person(world, is_administrator=True)
    links = links_of(world, maker.browser(), person)
    for _, body in links:
        Browser(world).post("/web/links/look", {"token": body["token"]}).ok()
    go(maker, administrator)
    for _ in range(2):
        for id_, body in links:
            Browser(world).post("/web/links/look", {"token": body["token"]}).problem(404)
            Browser(world).post("/web/links/use", body).problem(404)
            assert id_ not in str(administrator.get("/web/admin/invitations").ok())
        # A link ends with the rights of its maker, and stays ended even if the maker becomes administrator again.
        world.sql("UPDATE account SET is_administrator = true WHERE id = %s", maker.id)
    assert Browser(world).try_sign_in(person.email).status == 200


def test_a_link_whose_maker_is_demoted_while_it_is_made(world, administrator, person):
    maker = Person(world, is_administrator=True)
    browser = maker.browser()
    paths = ["/web/admin/invitations", f"/web/admin/accounts/{person.id}/password-link"]
    for path, body in zip(paths, ({"isAdministrator": True}, None)):
        world.sql("UPDATE account SET is_administrator = true WHERE id = %s", maker.id)
        with lock_sessions.Session(world) as holder, ThreadPoolExecutor(1) as pool:
            holder.run("BEGIN")
            holder.run("UPDATE account SET is_administrator = false WHERE id = %s", (maker.id,))
            request = pool.submit(browser.post, path, body)
            wait_until(lambda: request.done() or world.sql(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                "AND datname = current_database()") != [(0,)], "a lock, or the answer")
            holder.run("COMMIT")
            request.result().problem(403)
        assert not world.sql("SELECT id FROM account_link WHERE maker_id = %s", maker.id)


def test_administrators_make_links_for_each_other(world):
    """Two administrators who make links for each other at the same moment never deadlock. The race is repeated."""
    pair = [Person(world, is_administrator=True) for _ in range(2)]
    browsers = [one.browser() for one in pair]
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda n: browsers[n % 2].post(
            f"/web/admin/accounts/{pair[1 - n % 2].id}/password-link").status, range(40)))
    assert set(statuses) == {201}


def test_links_of_the_operator_hold(world, administrator, person):
    for email, *options in ((person.email,), (f"new-{person.email}", "--invite")):
        link = world.server.ctl("account", "link", email, *options)
        Browser(world).post("/web/links/look", {"token": token_of(link["url"])}).ok()
        demote(Person(world, is_administrator=True), administrator)
        body = {"token": token_of(link["url"]), "password": OTHER_PASSWORD}
        if email != person.email:
            body |= {"name": "New", "email": email}
        Browser(world).post("/web/links/use", body).ok()


def test_links_without_a_maker_hold_no_more(world):
    """Links without a maker, as older instances make them, are invalid."""
    token = "1" * 43
    world.sql("INSERT INTO account_link (id, kind, secret_hash, is_administrator, expires_at) "
              "VALUES (gen_random_uuid(), 'invitation', %s, true, now() + interval '1 day')",
              hashlib.sha256(token.encode()).digest())
    Browser(world).post("/web/links/look", {"token": token}).problem(404)
    Browser(world).post("/web/links/use", {
        "token": token, "email": "old@example.org", "name": "Old",
        "password": PASSWORD}).problem(404)


def test_audit(world, administrator):
    person = Person(world)
    person.device()
    browser = person.browser()
    key = browser.post("/web/keys", {"name": "Audited"}).json()
    browser.delete(f"/web/keys/{key['id']}").ok()
    browser.post("/web/account/password", {
        "currentPassword": PASSWORD, "password": OTHER_PASSWORD}).ok()
    administrator.patch(f"/web/admin/accounts/{person.id}", {"isReviewer": True}).ok()
    browser.delete("/web/session").ok()
    entries = administrator.get("/web/admin/audit?limit=1000").ok()
    own = [(entry["action"], entry["target"]) for entry in entries
           if entry["actor"] == person.email]
    assert own == [("session.end", "a test"), ("password.change", person.email),
                   ("key.revoke", "Audited"), ("key.create", "Audited"), ("session.start", None)]
    assert {entry["address"] for entry in entries if entry["actor"] == person.email} == {
        "127.0.0.1"}
    roles = next(entry for entry in entries if entry["action"] == "account.roles")
    assert roles["target"] == f"{person.email}: reviewer"
    assert roles["actor"] == administrator.get("/web/account").ok()["email"]
    world.server.ctl("account", "link", person.email)
    [newest] = administrator.get("/web/admin/audit?limit=1").ok()
    assert (newest["actor"], newest["action"], newest["target"], newest["address"]) == (
        "displayctl", "link.create", person.email, None)


def test_the_document_has_a_cursor_for_each_list(world):
    """Each example of a cursor is accepted by the list of its example."""
    person = Person(world, is_administrator=True, is_reviewer=True)
    browser = person.browser()
    slug = f"app-{person.id}"
    assert browser.post("/web/studio", {"slug": slug, "name": "Clock"}).status == 201
    asked = 0
    for method, template, operation in CONTRACT.operations():
        cursors = [found["example"] for found in CONTRACT.parameters(template, operation)
                   if found["name"] == "cursor"]
        for cursor in cursors:
            path = template.replace("{appId}", slug)
            browser.request(method, f"{path}?limit=2&cursor={cursor}").ok()
            browser.request(method, f"{path}?limit=2&cursor={'A' * 34}").problem(400)
            asked += 1
    assert asked >= 9
