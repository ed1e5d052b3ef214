"""The catalogue, and installations from it."""

import secrets
from urllib.parse import quote

import pytest
from authors import Author
from lists import next_target
from people import UNKNOWN_ID, Browser, Person


@pytest.fixture
def reviewer(world):
    return Person(world, is_reviewer=True).browser()


@pytest.fixture
def author(world):
    return Author(world, name="Ada Lovelace")


@pytest.fixture
def owner(world):
    person = Person(world)
    person.device()
    return person


def device_of(owner):
    return str(owner.world.sql("SELECT id FROM device WHERE account_id = %s", owner.id)[0][0])


def published(author, reviewer, **fields):
    app = author.make(**{"visibility": "public", **fields})
    app.publish(reviewer)
    return app


def test_for_those_who_are_signed_in(world):
    for path in ("/web/apps", "/web/apps/x", "/web/apps/x/devices"):
        Browser(world).get(path).problem(401)
    Browser(world).post(f"/web/devices/{UNKNOWN_ID}/apps", {"app": "x"}).problem(401)


def test_what_is_listed(world, author, reviewer, owner):
    public = published(author, reviewer, name="Public", description="For all")
    private = published(author, reviewer, name="Private", visibility="private")
    draft = author.make(visibility="public")

    def slugs(browser):
        return [app["slug"] for app in browser.get("/web/apps").ok()]

    browser = owner.browser()
    assert public.slug in slugs(browser)
    assert not {private.slug, draft.slug} & set(slugs(browser))
    assert {public.slug, private.slug} <= set(slugs(author.browser))
    shown = browser.get(f"/web/apps/{public.slug}").ok()
    del shown["picture"], shown["still"]  # created on demand
    assert shown == {"id": public.id, "slug": public.slug, "name": "Public",
                     "description": "For all", "version": "1.0", "author": "Ada Lovelace",
                     "isOwn": False, "isPrivate": False, "hosts": []}
    assert browser.get(f"/web/apps/{public.id}").ok()["slug"] == public.slug
    for app in (private, draft):
        browser.get(f"/web/apps/{app.slug}").problem(404)
    shown = author.browser.get(f"/web/apps/{private.slug}").ok()
    assert shown["isOwn"] and shown["isPrivate"]


def test_search(world, author, reviewer, owner):
    mark = secrets.token_hex(6)
    published(author, reviewer, name=f"Weather {mark}", description="Rain or not")
    published(author, reviewer, name=f"100% {mark}", description="a_b & c+d")
    browser = owner.browser()

    def names(text):
        return [app["name"] for app in browser.get(f"/web/apps?q={quote(text)}").ok()
                if mark in app["name"]]

    weather, percent = f"Weather {mark}", f"100% {mark}"
    assert names(mark.upper()) == [percent, weather]
    assert names("RAIN or") == [weather] and names("lovelace") == [percent, weather]
    # Keyboards of phones add spaces.
    assert names(f" {mark} ") == names(mark) == names("  ")
    assert names("0%") == [percent] and names("a_b & c+d") == [percent]
    assert names("%") == [percent] and names("a.b") == [] and names("") == [percent, weather]
    for bad in ("%", "%zz", "%00", "%ff", "x" * 201):
        browser.get(f"/web/apps?q={bad}").problem(400)


def test_parts_of_a_search(world, author, reviewer, owner):
    mark = secrets.token_hex(6)
    made = [published(author, reviewer, name=f"{mark} & {n}").slug for n in range(5)]
    browser = owner.browser()
    found, target = [], f"/web/apps?q={quote(mark + ' &')}&limit=2"
    while target:
        answer = browser.get(target)
        found += [app["slug"] for app in answer.ok()]
        target = next_target(target, answer)
    assert found == made


def test_the_best_is_found_first(world, author, reviewer, owner):
    """Names before tags, tags before summaries, and beginnings of words before what is within them."""
    mark = "z" + secrets.token_hex(4)
    made = {}
    for place, name, description in [
            ("name", mark.upper(), ""), ("beginning", f"{mark} scores", ""), ("word", f"All-{mark}s", ""), ("tag", "Tagged", ""),
            ("summary", "Said", f"Scores of {mark}."), ("within", f"Coi{mark}se", ""), ("summary within", "Co", f"Coi{mark}se")]:
        made[place] = published(author, reviewer, name=name, description=description).slug
    world.sql("UPDATE app SET tags = %s WHERE slug = %s", f'["sports","{mark}"]', made["tag"])
    found, target = [], f"/web/apps?q={mark}&limit=2"
    while target:
        answer = owner.browser().get(target)
        found += [app["slug"] for app in answer.ok()]
        target = next_target(target, answer)
    assert found == list(made.values())


@pytest.mark.parametrize("wanted", ["(", "[a-", "\\", "\\m", "a*+?", "{1,", "^$", "|", "\u00e9\u0301", "_", "%"])
def test_a_search_is_no_pattern(author, reviewer, owner, wanted):
    mark = secrets.token_hex(4)
    app = published(author, reviewer, name=f"{mark} {wanted}")
    assert [one["slug"] for one in owner.browser().get(f"/web/apps?q={quote(mark + ' ' + wanted)}").ok()] == [app.slug]
    assert app.slug not in [one["slug"] for one in owner.browser().get(f"/web/apps?q={quote(wanted + ' none')}").ok()]


@pytest.mark.parametrize("wanted, name", [("Weather".replace("a", ""), "Weather"), ("clok", "Fuzzy Clock"), ("sprot", "Sport"), ("WEATHER".replace("TH", "HT"), "Weather"),
                                          ("fuzy clok", "Fuzzy Clock"), ("counddown", "Bday Countdown"), ("spotfy", "Spotify")])
def test_a_search_forgives(start, wanted, name):
    world = start()
    author, reviewer = Author(world), Person(world, is_reviewer=True).browser()
    for one in ("Weather", "Fuzzy Clock", "Sport", "Spotify", "Space", "Cloud", "Bday Countdown", "Stocks"):
        published(author, reviewer, name=one)
    found = [app["name"] for app in Person(world).browser().get(f"/web/apps?q={quote(wanted)}").ok()]
    assert found[:1] == [name] and len(found) < 5, found


def test_views_and_categories(start):
    world = start()
    author, reviewer = Author(world), Person(world, is_reviewer=True).browser()
    owner = Person(world)
    owner.device()
    browser, device = owner.browser(), device_of(owner)
    made = {name: published(author, reviewer, name=name) for name in ("Anchor", "Bell", "Clock", "Dial")}
    for name, category in (("Anchor", "sea"), ("Bell", "sea"), ("Clock", "time")):
        world.sql("UPDATE app SET category = %s WHERE id = %s", category, made[name].id)
    world.sql("UPDATE app SET broken_reason = 'gone' WHERE id = %s", made["Bell"].id)
    made["Clock"].publish(reviewer, "2.0", "def main(config):\n    return None\n")
    made["Clock"].deploy("2.0")
    browser.post(f"/web/devices/{device}/apps", {"app": made["Dial"].slug})

    def names(query):
        found, target = [], f"/web/apps?limit=1&{query}"
        while target:
            answer = browser.get(target)
            found += [app["name"] for app in answer.ok()]
            target = next_target(target, answer)
        return found

    assert names("view=newest") == ["Dial", "Clock", "Anchor"]
    assert names("view=newest&broken=true") == ["Dial", "Clock", "Bell", "Anchor"]
    assert names("view=updated") == ["Clock", "Dial", "Anchor"]
    assert names("view=installed") == ["Dial"] and names("view=installed&q=clock") == []
    assert names("category=sea") == ["Anchor"] and names("category=sea&broken=true") == ["Anchor", "Bell"]
    assert names("category=sea&view=newest&broken=true") == ["Bell", "Anchor"]
    assert names("category=s") == names("category=Sea") == names("category=sea&q=clok") == []
    assert names("q=cl&view=newest") == ["Clock"] and names("q=clokc&view=newest") == []
    assert "newest, updated, installed" in browser.get("/web/apps?view=oldest").problem(400)["detail"]
    browser.get("/web/apps?category=" + "x" * 201).problem(400)
    assert browser.get("/web/categories").ok() == [{"name": "sea", "apps": 1}, {"name": "time", "apps": 1}]
    assert browser.get("/web/categories?broken=true").ok() == [{"name": "sea", "apps": 2}, {"name": "time", "apps": 1}]
    # Nobody sees the category of another's private app.
    world.sql("UPDATE app SET visibility = 'private' WHERE id = %s", made["Clock"].id)
    assert browser.get("/web/categories").ok() == [{"name": "sea", "apps": 1}]
    assert author.browser.get("/web/categories").ok() == [{"name": "sea", "apps": 1}, {"name": "time", "apps": 1}]


def test_a_long_catalogue(world, author, reviewer, owner):
    app = published(author, reviewer)
    mark = secrets.token_hex(4)
    world.sql("""
        WITH made AS (
            INSERT INTO app (id, account_id, slug, name, visibility, is_submitted, status)
            SELECT gen_random_uuid(), %s, %s || n, %s || n, 'public', true, 'pending'
            FROM generate_series(1, 120) AS n RETURNING id)
        INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum,
            status, reviewed_at)
        SELECT gen_random_uuid(), id, '1', 'STARLARK', 'x', 'x', 'APPROVED', clock_timestamp()
        FROM made""", author.person.id, mark, mark)
    world.sql("UPDATE app SET status = 'active', deployed_version_id = v.id FROM app_version AS v "
              "WHERE v.app_id = app.id AND app.slug LIKE %s", mark + "%")
    browser = owner.browser()
    assert len(browser.get(f"/web/apps?q={mark}").ok()) == 120
    assert app.slug in [one["slug"] for one in browser.get("/web/apps").ok()]


def test_install(world, author, reviewer, owner):
    app = published(author, reviewer, name="Uhr <b>")
    browser, device = owner.browser(), device_of(owner)
    answer = browser.post(f"/web/devices/{device}/apps", {"app": app.slug})
    assert answer.status == 201
    shown = answer.json()
    assert shown["app"] == {"id": app.id, "name": "Uhr <b>"}
    again = browser.post(f"/web/devices/{device}/apps", {"app": app.id}).json()["id"]
    assert browser.get(f"/web/apps/{app.slug}/devices").ok() == [
        {"id": device, "name": "Desk", "entryCount": 2, "installations": [shown["id"], again]}]
    key = owner.key()
    listed = world.get(f"/v1/devices/{device}/installations", key=key).json()
    assert [entry["id"] for entry in listed] == [shown["id"], again]
    assert listed[0] == shown
    assert world.request("DELETE", f"/v1/devices/{device}/installations/{again}",
                         key=key).status == 200
    [entry] = browser.get(f"/web/apps/{app.id}/devices").ok()
    assert (entry["entryCount"], entry["installations"]) == (1, [shown["id"]])


def test_what_cannot_be_installed(world, author, reviewer, owner):
    browser, device = owner.browser(), device_of(owner)
    path = f"/web/devices/{device}/apps"
    disabled = published(author, reviewer)
    world.server.ctl("app", "disable", disabled.slug)
    for app in (published(author, reviewer, visibility="private"), disabled,
                author.make(visibility="public")):
        browser.post(path, {"app": app.slug}).problem(404)
        browser.post(path, {"app": app.id}).problem(404)
    browser.post(path, {"app": "nothing"}).problem(404)
    browser.post(path, {"app": UNKNOWN_ID}).problem(404)
    for value in ("", "x" * 65, None, 1):
        assert list(browser.post(path, {"app": value}).faults()) == ["/app"]
    app = published(author, reviewer)
    author.browser.post(path, {"app": app.slug}).problem(403)  # a device of another account
    author.browser.post(f"/web/devices/{UNKNOWN_ID}/apps", {"app": app.slug}).problem(404)
    assert browser.get(f"/web/apps/{app.slug}/devices").ok()[0]["entryCount"] == 0


def test_at_most_a_hundred_entries(world, author, reviewer, owner):
    app = published(author, reviewer)
    browser, device = owner.browser(), device_of(owner)
    world.sql("INSERT INTO installation (device_id, id, app_id, position) SELECT %s, n::text, %s, n "
              "FROM generate_series(1, 100) AS n", device, app.id)
    world.sql("UPDATE device SET generation = 100 WHERE id = %s", device)
    problem = browser.post(f"/web/devices/{device}/apps", {"app": app.slug}).problem(409)
    assert "100 entries" in problem["detail"]


def test_an_app_that_is_no_longer_listed_can_be_found_to_be_removed(world, author, reviewer, owner):
    app = published(author, reviewer)
    browser, device = owner.browser(), device_of(owner)
    made = browser.post(f"/web/devices/{device}/apps", {"app": app.slug}).json()["id"]
    author.browser.patch(app.path, {"visibility": "private"}).ok()
    browser.get(f"/web/apps/{app.slug}").problem(404)
    assert browser.get(f"/web/apps/{app.slug}/devices").ok()[0]["installations"] == [made]
