"""Status of the instance, and searches for accounts and audit entries, by administrators."""

import re

from lists import next_target
from people import PASSWORD, TIMESTAMP, UNKNOWN_ID, Browser, Person, wait_until


def test_how_the_instance_is(world, administrator):
    def all_alive():
        instance = administrator.get("/web/admin/instance").ok()
        workers = instance["workers"]
        return all(worker["isDatabaseUp"] and worker["startedAt"] for worker in workers) and instance

    instance = wait_until(all_alive, "all workers")
    assert re.fullmatch(r"\d+\.\d+\.\d+", instance["version"])
    assert instance["databaseVersion"][0].isdigit() and instance["databaseBytes"] > 1000000
    assert instance["databaseConnections"] > 0
    assert instance["accounts"] == world.sql("SELECT count(*) FROM account")[0][0]
    assert instance["renderingProblem"] is None
    assert [worker["number"] for worker in instance["workers"]] == [1, 2]
    for worker in instance["workers"]:
        assert worker["isAlive"] and TIMESTAMP.fullmatch(worker["startedAt"])
    # Any worker may handle this request, or both were idle at their last report.
    assert all(worker["requests"] >= 0 for worker in instance["workers"])


def about(administrator):
    return {one["about"] for one in administrator.get("/web/admin/instance").ok()["findings"]}


def test_what_is_not_well(world, administrator):
    """Each finding comes and goes with its reason."""
    world.sql("UPDATE site SET backed_up_at = NULL")
    assert "backup" in about(administrator)
    world.sql("UPDATE site SET backed_up_at = now() - interval '3 days'")
    problems = [one["problem"] for one in administrator.get("/web/admin/instance").ok()["findings"]]
    assert "The last backup is 3 days old" in problems
    world.sql("UPDATE site SET backed_up_at = now()")
    world.sql("UPDATE firmware_releases SET state = 'failed'")
    assert about(administrator) & {"backup", "firmware"} == {"firmware"}
    world.sql("UPDATE firmware_releases SET state = 'idle'")
    for state in ("failed", "held"):
        world.sql("INSERT INTO app_archive (id, account_id, name, url, state, ended_at) SELECT gen_random_uuid(), id, "
                  "'a', 'https://a.invalid/', %s, now() FROM account LIMIT 1", state)
        assert "collection" in about(administrator)
        world.sql("DELETE FROM app_archive")
    instance = administrator.get("/web/admin/instance").ok()
    assert not {one["about"] for one in instance["findings"]} & {"backup", "collection", "firmware", "database"}
    assert instance["lastBackupAt"] and instance["certificateEndsAt"] is None


def test_it_is_for_administrators(person):
    person.browser().get("/web/admin/instance").problem(403)
    person.browser().delete(f"/web/admin/accounts/{person.id}/sessions").problem(403)


def test_an_administrator_ends_sessions(world, person, administrator):
    one, other = person.browser(), person.browser()
    path = f"/web/admin/accounts/{person.id}/sessions"
    assert administrator.delete(path).ok() == {}
    assert not one.is_signed_in() and not other.is_signed_in()
    assert administrator.is_signed_in()
    assert Browser(world).try_sign_in(person.email, PASSWORD).status == 200
    administrator.delete(f"/web/admin/accounts/{UNKNOWN_ID}/sessions").problem(404)
    administrator.delete("/web/admin/accounts/x/sessions").problem(404)
    entry = administrator.get(f"/web/admin/audit?q={person.email}").ok()[1]
    assert entry["action"] == "session.end" and entry["actor"] != person.email


def test_accounts_are_found(world, administrator):
    ada = Person(world, name="Ada \u0160kori\u0107")
    for wanted in ("%C5%A0KORI%C4%86", ada.email, ada.email[2:9].upper(), "ada%20%C5%A1"):
        found = administrator.get(f"/web/admin/accounts?q={wanted}").ok()
        assert ada.id in [member["id"] for member in found]
        assert len(found) < len(administrator.get("/web/admin/accounts").ok())
    assert administrator.get("/web/admin/accounts?q=%25").ok() == []  # not a pattern
    administrator.get("/web/admin/accounts?q=" + "x" * 5000).problem(400)
    part = administrator.get(f"/web/admin/accounts?limit=1&q={ada.email}").ok()
    assert [member["id"] for member in part] == [ada.id]


def test_the_log_is_searched_and_read_in_parts(world, person, administrator):
    browser = person.browser()
    for _ in range(5):
        browser.delete("/web/sessions").ok()
    person.browser()
    target = f"/web/admin/audit?q={person.email}&limit=1"
    actions = []
    while target:
        answer = administrator.get(target)
        actions += [entry["action"] for entry in answer.ok()]
        target = next_target(target, answer)
    assert actions[0] == actions[-1] == "session.start" and len(actions) >= 2
    assert administrator.get(f"/web/admin/audit?q={person.email}%20x").ok() == []
    assert {entry["action"] for entry in administrator.get("/web/admin/audit?q=session.start").ok()
            } == {"session.start"}
