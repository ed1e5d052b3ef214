"""After a takeover: the owner, with a password set by a link, ends all that can act without it."""

from people import OTHER_PASSWORD, PASSWORD, Browser, Person, token_of, wait_until
from test_passkeys import added, sign_in

PATH = "/web/account/access/removal"


def taken_over(world):
    """An account in which somebody else has left a passkey, a key, a webhook and an MQTT connection."""
    person = Person(world)
    browser = person.browser()
    person.device()
    passkey = added(browser)
    key = browser.post("/web/keys", {"name": "Theirs", "scope": "all"}).json()["key"]
    for number in range(2):
        answer = browser.post("/web/webhooks", {"url": f"https://hooks{number}.example.org/", "events": ["pushed"]})
        assert answer.status == 201, answer
    world.sql("INSERT INTO mqtt_connection (account_id, url) VALUES (%s, 'mqtt://broker.example.org')", person.id)
    return person, passkey, key


def works(world, key):
    return world.request("GET", "/v1/devices", key=key).status == 200


def left(world, person):
    [counts] = world.sql(
        "SELECT (SELECT count(*) FROM passkey WHERE account_id = account.id), key_count, webhook_count,"
        " (SELECT count(*) FROM mqtt_connection WHERE account_id = account.id), webhook_events, passkey_count"
        " FROM account WHERE id = %s", person.id)
    return counts


def test_all_ends_after_a_reset(world):
    person, passkey, key = taken_over(world)
    other, other_passkey, other_key = taken_over(world)
    assert works(world, key)
    link = world.server.ctl("account", "link", person.email)["url"]
    browser = Browser(world)
    browser.post("/web/links/use", {"token": token_of(link), "password": OTHER_PASSWORD}).ok()
    # Leftovers in the account still work: passkey, keys, webhook and MQTT connection.
    assert left(world, person)[:4] == (1, 1, 2, 1) and works(world, key)
    assert set(browser.post(PATH, {"password": PASSWORD}).faults()) == {"/password"}
    assert left(world, person)[:4] == (1, 1, 2, 1)
    browser.post(PATH, {"password": OTHER_PASSWORD}).ok()
    assert left(world, person) == (0, 0, 0, 0, 0, 0)
    assert sign_in(world, passkey)[0].status == 401
    wait_until(lambda: not works(world, key), "that the key ends")
    assert browser.is_signed_in() and browser.get("/web/keys").ok() == []
    actions = world.sql("SELECT action, count(*)::int FROM audit_entry WHERE account_id = %s AND action IN"
                        " ('passkey.remove', 'key.revoke', 'webhook.remove', 'mqtt.remove') GROUP BY action", person.id)
    assert dict(actions) == {"passkey.remove": 1, "key.revoke": 1, "webhook.remove": 2, "mqtt.remove": 1}
    # Again: nothing is left, which is no error. Other accounts keep what they have.
    browser.post(PATH, {"password": OTHER_PASSWORD}).ok()
    assert left(world, other)[:4] == (1, 1, 2, 1) and works(world, other_key)
    assert sign_in(world, other_passkey)[0].status == 200


def test_it_needs_a_proof(world):
    person, _, key = taken_over(world)
    browser = person.browser()
    assert set(browser.post(PATH, {}).faults()) == {"/password"}
    assert Browser(world).post(PATH, {"password": PASSWORD}).status == 401
    assert left(world, person)[:4] == (1, 1, 2, 1) and works(world, key)
