"""A database of commit f88f1128 with 20,000 rows of each kind, after all migrations."""

import backups
import psycopg2
import pytest
from backups import OLDEST, OTHER
from server import CtlError, run_ctl

MANY = 20000
# 20,000 rows of each kind, beside those of backups.ROWS. An account has 1,000 devices and keys at most, 10 webhooks and
# one connection to a broker, so there are 20,000 accounts.
ROWS = [
    "INSERT INTO account (id, email, name) SELECT md5('account' || n)::uuid, n || '@example.com', 'N' || n FROM many",
    "INSERT INTO api_key (id, account_id, name, secret_hash, revoked_at) SELECT md5('key' || n)::uuid, "
    "md5('account' || n)::uuid, 'key', sha256(('key' || n)::bytea), CASE WHEN n % 2 = 0 THEN now() END FROM many",
    "INSERT INTO passkey (id, account_id, credential_id, algorithm, public_key, sign_count, name) SELECT "
    "gen_random_uuid(), md5('account' || n)::uuid, 'credential' || n, -7, 'key', 1, 'Phone' FROM many",
    "INSERT INTO device (id, account_id, name, link_key_hash, alias, imported_as) SELECT md5('device' || n)::uuid, "
    "md5('account' || n)::uuid, 'D', sha256(n::text::bytea), left(md5(n::text), 8), left(md5(n::text), 8) FROM many "
    "ON CONFLICT DO NOTHING",
    "INSERT INTO panel_info (device_id, firmware_version) SELECT id, 'v1' FROM device ON CONFLICT DO NOTHING",
    "INSERT INTO app (id, account_id, slug, name) SELECT md5('app' || n)::uuid, md5('account' || n)::uuid, 'app-' || n, "
    "'App ' || n FROM many",
    "INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, reviewed_at) SELECT "
    "md5('version' || n)::uuid, md5('app' || n)::uuid, '1', 'STARLARK', 'x', 'c', 'APPROVED', now() FROM many",
    "UPDATE app SET is_submitted = true, deployed_version_id = app_version.id, status = 'active' FROM app_version "
    "WHERE app_id = app.id AND app_version.name = '1'",
    "INSERT INTO app_draft (app_id, script_language, script_content) SELECT md5('app' || n)::uuid, 'STARLARK', 'x' FROM many",
    "INSERT INTO installation (device_id, id, app_id, position, settings, settings_hash) SELECT md5('device' || n)::uuid, "
    "'app', md5('app' || n)::uuid, 1, '{}', sha256('{}') FROM many "
    "WHERE EXISTS (SELECT FROM device WHERE id = md5('device' || n)::uuid)",
    "INSERT INTO installation (device_id, id, position, picture, picture_hash) SELECT device_id, 'pushed', 2, 'picture', "
    "'h' FROM installation WHERE id = 'app'",
    "INSERT INTO showing (device_id, push_generation, picture, duration_s) SELECT device_id, 1, 'picture', 5 "
    "FROM installation WHERE id = 'app'",
    "INSERT INTO render (place, version_id, generation, picture, picture_generation, engine, rendered_at) SELECT place, "
    "md5('version' || n)::uuid, nextval('render_generation'), 'picture', 1, 'pixlet', now() FROM many "
    "JOIN installation ON app_id = md5('app' || n)::uuid",
    "INSERT INTO audit_entry (account_id, actor, action) SELECT md5('account' || n)::uuid, 'x', 'key.create' FROM many",
    "INSERT INTO webhook (id, account_id, url, events, secret) SELECT md5('webhook' || n)::uuid, md5('account' || n)::uuid, "
    "'https://example.com/' || n, 15, 'x' FROM many",
    "INSERT INTO webhook_event (webhook_id, kind, data) SELECT md5('webhook' || n)::uuid, 'pushed', '{}' FROM many",
    "INSERT INTO mqtt_connection (account_id, url) SELECT md5('account' || n)::uuid, 'mqtt://a' FROM many",
]


@pytest.fixture(scope="module")
def sql(postgres, tmp_path_factory):
    """A function that runs SQL on the migrated database; its member "before" has the numbers of rows before that."""
    url = postgres.create_empty()
    backups.make_old(url, OLDEST)
    backups.fill(url, OLDEST)

    def run(text, *parameters):
        with backups.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(text, parameters or None)
            return cursor.fetchall() if cursor.description else None

    def count():
        tables = [table for table, in run("SELECT relname FROM pg_class WHERE relkind = 'r' "
                                          "AND relnamespace = 'public'::regnamespace")]
        return {table: run(f"SELECT count(*) FROM {table}")[0][0] for table in tables}

    for statement in ROWS:
        run(f"WITH many AS (SELECT generate_series(1, {MANY}) AS n) {statement}")
    run.count, run.before = count, count()
    run_ctl("--state-dir", str(tmp_path_factory.mktemp("state")), "--database", url, "migrate")
    return run


def test_no_row_is_lost(sql):
    after = sql.count()
    del after["schema_migration"], after["hint_beat"], after["presence"]
    before = {table: count for table, count in sql.before.items() if table != "schema_migration"}
    assert {table: after[table] for table in before} == before
    few = {"account_import", "account_import_line", "account_link", "app_collection", "app_compiled", "app_host",
           "app_own_picture", "app_picture", "app_schema", "app_schema_failure", "app_version_comment",
           "app_version_removed", "left_place", "session", "site", "used_challenge", "webhook_online"}
    assert {table for table, count in before.items() if count < MANY * 0.99} == few


def test_the_tables_are_those_of_a_new_database(sql, postgres):
    name, = sql("SELECT current_database()")[0]
    assert backups.schema_of(postgres.url_of(name)) == backups.schema_of(postgres.create_database())


def test_a_database_that_is_too_old(postgres, tmp_path):
    """It stays as it is, and the sentence says what brings it here."""
    url = postgres.create_empty()
    with backups.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE schema_migration (number int4 PRIMARY KEY, name text, sha256 text)")
        for number, name, sha256, _ in backups.migrations()[:3]:
            cursor.execute("INSERT INTO schema_migration VALUES (%s, %s, %s)", (number, name, sha256))
    before = backups.tables_of(url)
    with pytest.raises(CtlError) as refused:
        run_ctl("--state-dir", str(tmp_path), "--database", url, "migrate")
    assert refused.value.code == 4
    assert (f"the database is too old for this program: it has migrations up to 3 (app_states), this program goes on from "
            f"{OLDEST}; start displayd of commit f88f1128 with it once, then this one") in refused.value.text
    assert backups.tables_of(url) == before


def test_nothing_is_set_up_by_a_key(sql):
    """Rows that were there are their owners': no end of a key ends them."""
    sql("UPDATE api_key SET revoked_at = present_time()")
    assert sql("SELECT count(*) - count(key_set_up_end(id, NULL, id)), sum(key_set_up_end(id, NULL, id)), "
               "bool_or(has_set_up OR keeps_set_up) FROM api_key") == [(0, 0, False)]
    assert sql("SELECT count(made_by_key_id) FROM mqtt_connection") == [(0,)]
    assert sql("SELECT count(made_by_key_id), bool_and(is_enabled) FROM webhook") == [(0, True)]


def test_former_addresses_stay_secrets(sql):
    """Each address of before is a random number: it is not one that can be guessed, and keeps its rules."""
    assert sql("SELECT count(*) >= %s, bool_or(alias_is_guessable), bool_or(alias_is_open), bool_and(alias ~ '^[0-9a-f]{8}$') "
               "FROM device WHERE alias IS NOT NULL", MANY * 0.99) == [(True, False, False, True)]
    for wrong in ("a b", "a/b", "a_b", "x" * 101, ""):
        with pytest.raises(psycopg2.errors.CheckViolation, match="former_id_form"):
            sql("UPDATE device SET alias = %s", wrong)
    made = ("INSERT INTO device (id, account_id, name, link_key_hash, alias, alias_is_guessable, alias_key_hash) "
            "SELECT gen_random_uuid(), id, 'x', sha256(email::bytea), 'living-room', true, {} FROM account LIMIT 2")
    with pytest.raises(psycopg2.errors.UniqueViolation, match="device_alias_key_unique"):
        sql(made.format("sha256('same')"))
    sql(made.format("sha256(email::bytea)"))


def test_secrets_and_revisions(sql):
    """No secret was replaced, and no connection is another than before."""
    assert sql("SELECT count(previous_secret), count(previous_until) FROM webhook") == [(0, 0)]
    assert sql("SELECT min(revision), max(revision) FROM mqtt_connection") == [(1, 1)]
    assert sql("SELECT count(cut) FROM render") == [(0,)]
    assert sql("SELECT max(address_claims) FROM account") == [(0,)]
    assert sql("SELECT count(*) FROM account WHERE mqtt_paced_until > '-infinity'") == [(0,)]
    assert sql("SELECT count(secret_key_id) FROM webhook") == [(0,)]
    sql("DELETE FROM account WHERE id = %s", OTHER)
    assert sql("SELECT count(*) FROM mqtt_connection WHERE account_id = %s", OTHER) == [(0,)]


def test_no_device_was_dimmed_by_hand(sql):
    assert sql("SELECT bool_or(is_dim_set), count(dim_set_until) FROM device") == [(False, 0)]
    assert sql("SELECT count(dimmed_until) FROM device_v0") == [(0,)]
    sql("UPDATE device SET is_dim_set = true")
    sql("UPDATE device SET dim_enabled = dim_enabled, sleep_start_minute = 1, brightness = 9, timezone = timezone")
    assert sql("SELECT bool_and(is_dim_set) FROM device") == [(True,)]
    for change in ("dim_enabled = NOT dim_enabled", "sleep_end_minute = sleep_end_minute + 1"):
        sql(f"UPDATE device SET {change}")
        assert sql("SELECT bool_or(is_dim_set) FROM device") == [(False,)]
        sql("UPDATE device SET is_dim_set = true")


def test_nothing_has_a_note(sql):
    for table in ("device", "installation"):
        assert sql(f"SELECT count(*) FROM {table} WHERE note <> ''") == [(0,)]
    sql("UPDATE device SET note = repeat('é', 1000) WHERE ctid = (SELECT ctid FROM device LIMIT 1)")
    with pytest.raises(psycopg2.errors.CheckViolation, match="note_text_length"):
        sql("UPDATE device SET note = repeat('é', 1001) WHERE note <> ''")


def test_no_panel_has_points_of_its_own(sql):
    assert sql("SELECT count(*) FROM device WHERE brightness_curve <> ''") == [(0,)]
    for wrong in ("1,2,3,4", "1,2,3,4,5,6", "1,2,3,4,x", "1,2,3,4,1000", " 1,2,3,4,5"):
        with pytest.raises(psycopg2.errors.CheckViolation, match="brightness_points_form"):
            sql("UPDATE device SET brightness_curve = %s", wrong)


def test_no_animation_is_shown_to_its_end(sql):
    assert sql("SELECT count(*) FROM installation WHERE plays_whole") == [(0,)]
    places = sql("SELECT place FROM installation WHERE app_id IS NOT NULL ORDER BY 1")
    sql("UPDATE installation SET display_s = display_s")
    assert sql("SELECT place FROM installation WHERE app_id IS NOT NULL ORDER BY 1") == places
    sql("UPDATE installation SET plays_whole = true")
    assert not places or sql("SELECT place FROM installation WHERE app_id IS NOT NULL ORDER BY 1") != places


def test_no_entry_pins_itself(sql):
    assert sql("SELECT DISTINCT pins_itself FROM installation") == [(False,)]


def test_no_entry_has_a_rule(sql):
    assert sql("SELECT DISTINCT recurrence_rule, recurrence_start FROM installation") == [("", "")]
    for column, wrong, name in (("recurrence_rule", "FREQ=SECONDLY", "recurrence_rule_form"), ("recurrence_start", "2026-1-1", "date_or_none_form")):
        with pytest.raises(psycopg2.errors.CheckViolation, match=name):
            sql(f"UPDATE installation SET {column} = %s", wrong)


def test_no_device_has_a_plan(sql):
    """Another plan ends what was set by hand; another place does if the plan needs the sun."""
    orders = "SELECT count(*) FROM device WHERE is_sleep_set OR is_dim_set"
    assert sql("SELECT count(*) FROM device WHERE plan_json <> ''") == [(0,)]
    for plan, change, left in (("", "plan_json = '[1]'", 0), ("", "place_json = 'a'", 1), ('[{"from":"sunset"}]', "place_json = 'b'", 0),
                               ('[{"from":"08:00"}]', "place_json = 'c'", 1)):
        sql("UPDATE device SET plan_json = %s", plan)
        sql("UPDATE device SET is_sleep_set = true, is_dim_set = true")
        sql(f"UPDATE device SET {change}")
        assert bool(sql(orders)[0][0]) == bool(left)
    sql("UPDATE device SET plan_json = '', place_json = '', is_sleep_set = false, is_dim_set = false")
    with pytest.raises(psycopg2.errors.CheckViolation, match="device_plan_length"):
        sql("UPDATE device SET plan_json = repeat('x', 16385)")


def test_no_device_has_a_place(sql):
    """Pictures and their render keys stay; a place changes those of settings that mean it, and of encrypted ones."""
    keys = "SELECT device_id, id, place FROM installation WHERE app_id IS NOT NULL ORDER BY 1, 2"
    assert sql("SELECT count(*) FROM device WHERE place_json <> ''") == [(0,)]
    before = sql(keys)
    sql("UPDATE installation SET display_s = display_s")
    assert sql(keys) == before
    sql("UPDATE device SET place_json = %s", '{"lat":"1"}')
    open_keys = keys.replace("ORDER", "AND secret_settings IS NULL ORDER")
    assert set(sql(open_keys)) <= set(before)
    sql("UPDATE device SET place_json = ''")
    assert sql(keys) == before
    with pytest.raises(psycopg2.errors.CheckViolation, match="device_place_length"):
        sql("UPDATE device SET place_json = repeat('x', 4097)")


def test_nothing_has_a_filter(sql):
    assert sql("SELECT DISTINCT color_filter, night_color_filter, dim_color_filter FROM device") == [("none", "inherit", "inherit")]
    assert sql("SELECT DISTINCT color_filter FROM installation") == [("inherit",)]
    with pytest.raises(psycopg2.errors.CheckViolation, match="color_filter_known"):
        sql("UPDATE installation SET color_filter = 'pink'")
    with pytest.raises(psycopg2.errors.CheckViolation, match="own_color_filter_known"):
        sql("UPDATE device SET color_filter = 'inherit'")


def test_every_panel_is_small(sql):
    """Pictures and their render keys stay; a panel of another size has others, and those of before if that is changed back."""
    assert sql("SELECT DISTINCT size FROM device") == [("64x32",)]
    [(device, entry, before)] = sql("SELECT device_id, id, place FROM installation WHERE app_id IS NOT NULL ORDER BY 1, 2 LIMIT 1")
    places = []
    for size in ("128x64", "64x32"):
        sql("UPDATE device SET size = %s WHERE id = %s", size, device)
        places += sql("SELECT place FROM installation WHERE device_id = %s AND id = %s", device, entry)
    assert places[0] != (before,) and places[1] == (before,)
    with pytest.raises(psycopg2.errors.CheckViolation, match="panel_size_known"):
        sql("UPDATE device SET size = '64x64' WHERE id = %s", device)
