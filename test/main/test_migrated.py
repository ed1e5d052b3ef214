"""Older rows after a migration that changes constraints or counts."""

import backups
import psycopg2
import pytest
from backups import APP, DEVICE, GONE_APP, OTHER, OWNER
from server import run_ctl


def migrated(postgres, tmp_path, schema, *statements):
    """A function that runs SQL on a migrated database: it had rows of all kinds at this migration, and the
    results of these statements."""
    url = postgres.create_empty()
    backups.make_old(url, schema)
    backups.fill(url, schema)

    def sql(text, *parameters):
        with backups.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(text, parameters)
            return cursor.fetchall() if cursor.description else None

    for statement in statements:
        sql(statement)
    run_ctl("--state-dir", str(tmp_path), "--database", url, "migrate")
    return sql


def test_the_audit_log_gets_shares(postgres, tmp_path):
    """All entries stay in order. Entries above the share are removed with the next entry of their action."""
    sql = migrated(
        postgres, tmp_path, 24,
        "INSERT INTO audit_entry (account_id, actor, action, target) "
        f"SELECT '{OTHER}', 'bob@example.org', 'key.create', n::text FROM generate_series(1, 1500) AS n",
        f"INSERT INTO audit_entry (account_id, actor, action) VALUES ('{OTHER}', 'b', 'session.start')")
    of_other = "FROM audit_entry WHERE account_id = %s AND action = 'key.create'"
    assert sql(f"SELECT count(*), min(number), max(number), bool_and(number = target::int) {of_other}",
               OTHER) == [(1500, 1, 1500, True)]
    assert sql("SELECT times, last_at = created_at, number FROM audit_entry WHERE account_id IS NULL") == [
        (1, True, 1)]
    for _ in range(6):
        sql("INSERT INTO audit_entry (account_id, actor, action, target) "
            "VALUES (%s, 'bob@example.org', 'key.create', 'new')", OTHER)
    assert sql(f"SELECT count(*), min(number), max(number) {of_other}", OTHER) == [(1000, 507, 1506)]
    assert sql("SELECT action FROM audit_entry WHERE account_id = %s AND action <> 'key.create'", OTHER) == [
        ("session.start",)]
    assert sql("SELECT action, number FROM audit_entry WHERE account_id = %s", OWNER) == [("key.created", 1)]


def test_entries_have_no_names_yet(postgres, tmp_path):
    sql = migrated(postgres, tmp_path, 27)
    assert sql("SELECT count(*) > 0, count(name) FROM installation") == [(True, 0)]
    sql("UPDATE installation SET name = repeat('\u00e4', 64)")
    assert sql("SELECT DISTINCT char_length(name) FROM installation") == [(64,)]


@pytest.mark.parametrize("is_alone", [True, False])
def test_an_owner_who_is_alone_reviews(postgres, tmp_path, is_alone):
    """A single owner becomes a reviewer. If there are other accounts, roles stay as they are."""
    sql = migrated(
        postgres, tmp_path, 27,
        f"UPDATE account SET is_reviewer = false, is_administrator = (id = '{OWNER}')",
        *([f"UPDATE account SET closed_at = now() WHERE id <> '{OWNER}'"] if is_alone else []))
    assert sql("SELECT is_reviewer FROM account WHERE id = %s", OWNER) == [(is_alone,)]
    assert sql("SELECT count(*) FROM account WHERE is_reviewer AND id <> %s", OWNER) == [(0,)]


def test_what_accounts_store_is_counted(postgres, tmp_path):
    """Accounts above the limit keep everything."""
    sql = migrated(
        postgres, tmp_path, 26,
        "INSERT INTO device (id, account_id, name, link_key_hash) SELECT gen_random_uuid(), "
        f"'{OTHER}', 'D', sha256(n::text::bytea) FROM generate_series(1, 1099) AS n",
        "INSERT INTO installation (device_id, id, position, picture, picture_hash) "
        "SELECT id, 'a', 1, decode(repeat('00', 400000), 'hex'), 'h' FROM device "
        f"WHERE account_id = '{OTHER}'")
    assert sql("SELECT count(*) FROM device WHERE picture_bytes <> pushed_bytes(id)") == [(0,)]
    assert sql("SELECT picture_bytes FROM device WHERE id = %s", DEVICE) == [
        (len("temporary") + 3 * 150000 + 1,)]
    assert sql("SELECT content_bytes FROM app WHERE id = %s", APP) == [
        (len("a\nb") + 1 + 5 * 180000 + len("draft"),)]
    assert sql("SELECT account_bytes(id), bytes_allowed(byte_limit, device_count) FROM account "
               "WHERE id = %s", OTHER) == [(1100 * 400000, 1100 * 256 * 1024)]
    # The app was imported.
    assert sql("SELECT account_bytes(%s)", OWNER) == sql(
        "SELECT picture_bytes FROM device WHERE id = %s", DEVICE)


def test_renders_have_no_moment_yet(postgres, tmp_path):
    sql = migrated(postgres, tmp_path, 27)
    assert sql("SELECT count(*) > 0, bool_or(is_each_turn), max(moment_s) FROM render") == [(True, False, 0)]
    assert sql("SELECT bool_or(is_each_turn) FROM app_entry") == [(False,)]


def test_a_database_learns_when_it_was_backed_up(postgres, tmp_path):
    """Backups by an older program are unknown after the migration, and its own rows stay as they are."""
    sql = migrated(postgres, tmp_path, 30)
    assert sql("SELECT count(*), min(backed_up_at) FROM site") == [(1, None)]
    database, = sql("SELECT current_database()")[0]
    run_ctl("--state-dir", str(tmp_path), "--database", postgres.url_of(database),
            "backup", str(tmp_path / "backup"))
    assert sql("SELECT backed_up_at > now() - interval '1 hour' FROM site") == [(True,)]


@pytest.mark.parametrize("has_administrator", [True, False])
def test_administrators_preview_local_addresses(postgres, tmp_path, has_administrator):
    """Only administrators are marked: no account can reach more or fewer addresses than before."""
    other = "11111111-1111-4111-8111-111111111111"
    sql = migrated(
        postgres, tmp_path, 31,
        f"INSERT INTO account (id, email, name, created_at) VALUES ('{other}', 'other@example.org', 'O', '2000-01-02')",
        "UPDATE site SET had_administrator = false",
        f"UPDATE account SET is_administrator = (id = '{OWNER}' AND {has_administrator})")
    marked = [(OWNER,)] if has_administrator else []
    assert sql("SELECT id FROM account WHERE reaches_local") == marked
    assert sql("SELECT apps_reach_local FROM site") == [(True,)]
    sql("INSERT INTO account (id, email, name) VALUES (gen_random_uuid(), 'new@example.org', 'N')")
    assert sql("SELECT id FROM account WHERE reaches_local") == marked


def test_imported_apps_are_in_a_collection(postgres, tmp_path):
    """All imported apps are in one collection, and apps that were made here are in none. A database without
    imported apps has no collection."""
    sql = migrated(postgres, tmp_path, 31, f"UPDATE app SET visibility = 'legacy' WHERE id = '{GONE_APP}'")
    assert sql("SELECT name, source FROM app_collection") == [("imported", None)]
    assert sql("SELECT id::text, category, tags, broken_reason FROM app WHERE collection_id IS NOT NULL") == [
        (APP, "", "[]", None)]
    slug, = sql("SELECT slug FROM app WHERE id = %s", APP)[0]
    assert sql("SELECT app_named(%s, %s)::text, app_named(NULL, %s)::text, app_told(%s)::text",
               OWNER, slug, slug, APP.upper()) == [(APP, APP, APP)]
    assert sql("SELECT position(slug IN search_text) > 0 FROM app WHERE id = %s", APP) == [(True,)]


def test_without_imported_apps_there_is_no_collection(postgres, tmp_path):
    sql = migrated(postgres, tmp_path, 31, "UPDATE app SET imported_as = NULL")
    assert sql("SELECT count(*) FROM app_collection") == [(0,)]


def test_no_app_brought_a_picture_yet(postgres, tmp_path):
    sql = migrated(postgres, tmp_path, 32)
    assert sql("SELECT count(*) FROM app_own_picture") == [(0,)]


def test_the_audit_log_gets_a_bound(postgres, tmp_path):
    """All entries stay, including those of removed accounts."""
    sql = migrated(
        postgres, tmp_path, 31,
        "INSERT INTO audit_entry (account_id, actor, action, target) "
        "SELECT gen_random_uuid(), 'gone@example.org', 'key.create', n::text FROM generate_series(1, 500) AS n")
    assert sql("SELECT count(*) FROM audit_entry WHERE actor = 'gone@example.org'") == [(500,)]
    sql("ANALYZE audit_entry")
    sql("INSERT INTO audit_entry (actor, action) VALUES ('displayctl', 'account.limit')")
    assert sql("SELECT count(*) FROM audit_entry WHERE actor = 'gone@example.org'") == [(500,)]


def test_no_device_was_turned_or_set_asleep(postgres, tmp_path):
    sql = migrated(postgres, tmp_path, 37)
    assert sql("SELECT count(*), max(turn_count), count(turned_at), bool_or(is_sleep_set), "
               "count(sleep_set_until) FROM device") == [(2, 0, 0, False, 0)]
    sql("UPDATE device SET is_sleep_set = true")
    sql("UPDATE device SET sleep_enabled = sleep_enabled, timezone = timezone, brightness = 9")
    assert sql("SELECT bool_and(is_sleep_set) FROM device") == [(True,)]
    sql("UPDATE device SET sleep_enabled = NOT sleep_enabled")
    assert sql("SELECT bool_or(is_sleep_set) FROM device") == [(False,)]


def test_keys_are_for_everything_and_have_no_end(postgres, tmp_path):
    sql = migrated(postgres, tmp_path, 38)
    assert sql("SELECT count(*), count(*) FILTER (WHERE scope = 'all'), count(device_ids), count(ends_at) "
               "FROM api_key") == [(3, 3, 0, 0)]


def test_nothing_is_set_up_by_a_key(postgres, tmp_path):
    """Rows that were there are their owners': no end of a key ends them."""
    sql = migrated(postgres, tmp_path, 54)
    sql("UPDATE api_key SET revoked_at = present_time()")
    assert sql("SELECT count(*), count(key_set_up_end(id, NULL, id)), sum(key_set_up_end(id, NULL, id)), "
               "bool_or(has_set_up OR keeps_set_up) FROM api_key") == [(3, 3, 0, False)]
    assert sql("SELECT count(*), count(made_by_key_id) FROM mqtt_connection") == [(2, 0)]
    assert sql("SELECT count(*), count(made_by_key_id), bool_and(is_enabled) FROM webhook") == [(1, 0, True)]


def test_what_a_slow_machine_called_broken_is_compiled_again(postgres, tmp_path):
    """Each version waits in the turn of its app's owner. What does not compile stays so."""
    sql = migrated(
        postgres, tmp_path, 58,
        "UPDATE app_compiled SET javascript = NULL, tries = 5, problem = '{\"kind\":\"unavailable\",\"message\":\"late\"}'",
        "INSERT INTO app_compiled (version_id, problem, compiled_at) "
        "SELECT id, '{\"kind\":\"script\"}', now() FROM app_version WHERE script_language = 'STARLARK' LIMIT 1")
    assert sql("SELECT compiled_at, problem, tries, claimed_until <= now(), share = app.account_id FROM app_compiled "
               "JOIN app_version ON app_version.id = version_id JOIN app ON app.id = app_id "
               "WHERE script_language = 'TYPESCRIPT'") == [(None, None, 0, True, True)]
    assert sql("SELECT count(*) FROM app_compiled WHERE problem IS NOT NULL AND compiled_at IS NOT NULL") == [(1,)]
    assert sql("SELECT count(mqtt_paced_until), count(*) FILTER (WHERE mqtt_paced_until > now()) FROM account") == [(3, 0)]


def test_no_account_has_a_webhook(postgres, tmp_path):
    """Changes and failures of existing rows make no events until an account has a webhook."""
    sql = migrated(postgres, tmp_path, 43)
    change = "UPDATE device SET generation = generation + 1, last_push_generation = generation + 1"
    sql(change)
    assert sql("SELECT sum(webhook_count), sum(webhook_events) FROM account") == [(0, 0)]
    assert sql("SELECT count(*) FROM webhook_event") == [(0,)]
    sql("INSERT INTO webhook (id, account_id, url, events, secret) "
        "SELECT gen_random_uuid(), account_id, 'https://example.org', 2, 'x' FROM device LIMIT 1")
    sql(change)
    assert sql("SELECT count(*) FROM webhook_event JOIN webhook ON webhook.id = webhook_id "
               "JOIN device USING (account_id) WHERE data::json ->> 'deviceId' = device.id::text") == \
        sql("SELECT count(*) FROM device WHERE account_id = (SELECT account_id FROM webhook)")


def test_no_device_allows_its_own_key(postgres, tmp_path):
    sql = migrated(postgres, tmp_path, 42)
    assert sql("SELECT count(*), bool_or(allows_own_key) FROM device") == [(2, False)]


def test_no_device_is_dimmed(postgres, tmp_path):
    sql = migrated(postgres, tmp_path, 41, "UPDATE device SET night_brightness = 1")
    assert sql("SELECT count(*), bool_or(dim_enabled), min(night_brightness) FROM device") == [(2, False, 1)]
    sql("UPDATE device SET night_brightness = 0")
    assert sql("SELECT count(*) FROM device_v0") == [(2,)]
    assert sql("SELECT array_agg(pushed.is_pushed ORDER BY pushed.own_id) FROM installation_v0 AS pushed") == [
        (sql("SELECT array_agg(app_id IS NULL ORDER BY id) FROM installation")[0][0],)]


def test_pushes_have_no_end_and_are_not_held(postgres, tmp_path):
    """Pushed entries, entries of apps, temporary images and shown entries all stay as they were."""
    sql = migrated(
        postgres, tmp_path, 36,
        "INSERT INTO installation (device_id, id, position, picture) SELECT id, 'shown', 2, 'x' FROM device "
        f"WHERE account_id = '{OTHER}'",
        "INSERT INTO showing (device_id, push_generation, installation_id, duration_s) "
        "SELECT device_id, 2, id, 15 FROM installation WHERE id = 'shown'")
    assert sql("SELECT count(*), count(app_id), count(expires_at), count(*) FILTER (WHERE is_present(expires_at)) "
               "FROM installation") == [(4, 1, 0, 4)]
    assert sql("SELECT count(*), count(picture), count(held_generation), count(waking_generation) "
               "FROM showing") == [(2, 1, 0, 0)]
    assert sql("SELECT bool_and(entries_now(id, entry_count) = entry_count) FROM device") == [(True,)]


def test_no_device_has_a_former_address(postgres, tmp_path):
    """Existing devices have no former address and no order. An account cannot have two devices with the
    same former address."""
    sql = migrated(postgres, tmp_path, 43)
    assert sql("SELECT count(*) > 0, count(alias), count(imported_as), count(second_key_hash), count(order_generation) "
               "FROM device") == [(True, 0, 0, 0, 0)]
    assert sql("SELECT DISTINCT alias, is_moving FROM device_more") == [(None, False)]
    sql("UPDATE device SET alias = left(md5(id::text), 8), imported_as = left(md5(id::text), 8)")
    for wrong in ("a b", "a/b", "a_b", "x" * 101, ""):
        with pytest.raises(Exception, match="former_id_form"):
            sql("UPDATE device SET alias = %s", wrong)
    with pytest.raises(Exception, match="device_alias_unique"):
        sql("INSERT INTO device (id, account_id, name, link_key_hash, alias) SELECT gen_random_uuid(), account_id, 'x', "
            "sha256('x'), alias FROM device LIMIT 1")


def test_former_addresses_stay_secrets(postgres, tmp_path):
    """Each address of before is a random number: it is not one that can be guessed, and keeps its rules."""
    sql = migrated(postgres, tmp_path, 54,
                   "UPDATE device SET alias = left(md5(id::text), 8), imported_as = left(md5(id::text), 8)")
    assert sql("SELECT count(*) > 0, bool_or(alias_is_guessable), bool_or(alias_is_open), bool_and(alias ~ '^[0-9a-f]{8}$') "
               "FROM device") == [(True, False, False, True)]
    made = ("INSERT INTO device (id, account_id, name, link_key_hash, alias, alias_is_guessable, alias_key_hash) "
            "SELECT gen_random_uuid(), id, 'x', sha256(email::bytea), 'living-room', true, {} FROM account")
    with pytest.raises(Exception, match="device_alias_key_unique"):
        sql(made.format("sha256('same')"))
    sql(made.format("sha256(email::bytea)"))


def test_no_account_has_a_broker_yet(postgres, tmp_path):
    """No account has a broker at first. A broker is removed with its account."""
    sql = migrated(postgres, tmp_path, 45)
    assert sql("SELECT count(*) FROM mqtt_connection") == [(0,)]
    sql("INSERT INTO mqtt_connection (account_id, url) VALUES (%s, 'mqtt://a')", OTHER)
    assert sql("SELECT state, holder FROM mqtt_connection") == [("waiting", None)]
    sql("DELETE FROM account WHERE id = %s", OTHER)
    assert sql("SELECT count(*) FROM mqtt_connection") == [(0,)]


def test_changes_of_brokers_have_a_share_of_the_audit_log(postgres, tmp_path):
    """Existing entries keep their share of the audit log."""
    sql = migrated(postgres, tmp_path, 46)
    assert sql("SELECT action, audit_share(action), audit_rank(action) FROM unnest(ARRAY['mqtt.remove', 'mqtt.update', "
               "'webhook.update', 'session.start', 'device.update']) AS action") == [
        ("mqtt.remove", 1000, 0), ("mqtt.update", 1000, 0), ("webhook.update", 1000, 0),
        ("session.start", 10000, 1), ("device.update", 10000, 2)]


def test_pictures_that_apps_bring_along_may_be_larger(postgres, tmp_path):
    sql = migrated(
        postgres, tmp_path, 48,
        "UPDATE app_own_picture SET source = decode(repeat('00', 196608), 'hex'), checked_at = NULL "
        f"WHERE app_id = '{APP}'")
    assert sql("SELECT length(source) FROM app_own_picture WHERE app_id = %s", APP) == [(196608,)]
    sql("UPDATE app_own_picture SET source = decode(repeat('00', 1048576), 'hex'), checked_at = NULL")
    with pytest.raises(psycopg2.errors.CheckViolation):
        sql("UPDATE app_own_picture SET source = source || source")
