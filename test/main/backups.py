"""Shared parts of the tests of backup and restore: a database with rows of all kinds, its contents, and
a second implementation of the format of backups, as described in include/db/backup_frame.h."""

import contextlib
import glob
import hashlib
import os
import struct

import psycopg2
from server import ROOT, run_ctl, wait_until

MAGIC = b"displayd backup\n"
DEVICE = "01930000-0000-7000-8000-00000000000d"
OWNER, OTHER, HEIR = (f"01930000-0000-7000-8000-0000000000a{n}" for n in (1, 2, 3))
APP, GONE_APP = (f"01930000-0000-7000-8000-0000000000b{n}" for n in (1, 2))
FIRST, SECOND, THIRD = (f"01930000-0000-7000-8000-0000000000c{n}" for n in (1, 2, 3))
# Tables that a backup omits.
LEFT_OUT = {"account_import", "account_import_line", "account_link", "hint_beat", "session", "used_challenge"}
HASH = "sha256('{}')"

# Rows of all kinds, each with the first migration that has their table or column; the schema has those of 49.
ROWS = [
    (49, f"""INSERT INTO account (id, email, name) VALUES ('{OWNER}', 'Ada@Example.org', 'Ada'),
        ('{OTHER}', 'bob@example.org', E'B\\to\\nb \\\\ "Ω" 🙂'), ('{HEIR}', 'c@example.org', 'C')"""),
    (49, f"""INSERT INTO api_key (id, account_id, name, secret_hash, revoked_at) VALUES
        (gen_random_uuid(), '{OWNER}', 'one', sha256('1'), NULL),
        (gen_random_uuid(), '{OWNER}', 'two', sha256('2'), now()),
        (gen_random_uuid(), '{OTHER}', 'three', sha256('3'), NULL)"""),
    (49, f"""INSERT INTO device (id, account_id, name, serial, mac, link_key_hash, disabled_at,
        brightness, timezone, generation, last_push_at) VALUES
        ('{DEVICE}', '{OWNER}', 'Küche', 'S-1', '02:00:00:00:00:01', sha256('d'), NULL, 7,
         'Europe/Zagreb', 40, now()),
        (gen_random_uuid(), '{OTHER}', 'Desk', NULL, NULL, sha256('e'), now(), 0, 'UTC', 3,
         '-infinity')"""),
    (49, f"""INSERT INTO installation (device_id, id, position, picture, picture_generation) VALUES
        ('{DEVICE}', 'pushed', 1, decode(repeat('00ff80', 150000), 'hex'), 3),
        ('{DEVICE}', 'ö/☃', 2, 'x', 2)"""),
    (49, f"""INSERT INTO showing (device_id, push_generation, picture, duration_s, displayed_at)
        VALUES ('{DEVICE}', 40, 'temporary', 10, now())"""),
    (49, f"""INSERT INTO app (id, account_id, slug, name, description, visibility) VALUES
        ('{APP}', '{OWNER}', 'clock', 'Clock', 'What time it is', 'public'),
        ('{GONE_APP}', '{OTHER}', 'other', 'Other', '', 'private')"""),
    (49, f"""INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum,
        status, reviewed_at, rejection_reason, review_summary) VALUES
        ('{FIRST}', '{APP}', '1.0', 'STARLARK', E'a\\nb', 'sha256:a', 'APPROVED', now(), NULL, 'good'),
        ('{SECOND}', '{APP}', '1.1', 'STARLARK', 'b', 'sha256:b', 'REJECTED', now(), 'no', 'bad'),
        ('{THIRD}', '{APP}', '2.0', 'TYPESCRIPT', repeat('long ', 180000), 'sha256:c', 'PENDING',
         NULL, NULL, NULL)"""),
    (49, f"""INSERT INTO app_version_comment (version_id, position, author, comment, line) VALUES
        ('{FIRST}', 0, 'Rex', 'why?', 2), ('{FIRST}', 1, 'Rex', 'nice', NULL)"""),
    (49, f"UPDATE app SET deployed_version_id = '{FIRST}', status = 'active' WHERE id = '{APP}'"),
    (49, f"UPDATE app SET is_submitted = true WHERE id = '{APP}'"),
    (49, f"""INSERT INTO installation (device_id, id, app_id, position) VALUES
        ('{DEVICE}', 'clock', '{APP}', 9)"""),
    (49, f"""UPDATE account SET password_hash = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
        is_administrator = true, last_sign_in_at = now() WHERE id = '{OWNER}'"""),
    (49, f"""INSERT INTO session (id, account_id, secret_hash, address, user_agent) VALUES
        (gen_random_uuid(), '{OWNER}', sha256('s'), '::1', 'Firefox')"""),
    (49, """INSERT INTO account_link (id, kind, secret_hash, email, expires_at) VALUES
        (gen_random_uuid(), 'invitation', sha256('l'), 'new@example.org', now() + interval '1 day')"""),
    (49, f"""INSERT INTO audit_entry (account_id, actor, action, target, address) VALUES
        ('{OWNER}', 'ada@example.org', 'key.created', 'one', '::1'), (NULL, 'displayctl', 'x', NULL, NULL)"""),
    (49, f"UPDATE site SET heir_id = '{HEIR}'"),
    (49, f"UPDATE app SET account_id = NULL, status = 'disabled' WHERE id = '{GONE_APP}'"),
    (49, f"""INSERT INTO app_draft (app_id, script_language, script_content, revision) VALUES
        ('{APP}', 'STARLARK', 'draft', 5)"""),
    (49, f"""INSERT INTO passkey (id, account_id, credential_id, algorithm, public_key, sign_count,
        name) VALUES (gen_random_uuid(), '{OWNER}', 'Y3JlZA', -7, 'key', 12, 'Phone')"""),
    (49, "INSERT INTO used_challenge (challenge) VALUES ('c')"),
    (49, f"INSERT INTO account_import (id, email, keeps_public, skips_missing, ends_at) VALUES ('{OWNER}', '', "
         "false, false, now() + interval '1 day')"),
    (49, f"INSERT INTO account_import_line (import_id, number, kind, name, line) VALUES ('{OWNER}', 1, 'key', 'K', '{{}}')"),
    (49, f"""INSERT INTO panel_info (device_id, firmware_version, wifi_signal) VALUES
        ('{DEVICE}', 'v1.2', -60)"""),
    (49, "UPDATE installation SET moved_to = 30, replaced_at = now() WHERE id = 'pushed'"),
    (49, """UPDATE installation SET is_enabled = false, display_s = 30, start_minute = 60,
        end_minute = 120, weekdays = 3 WHERE id = 'ö/☃'"""),
    (49, f"""UPDATE device SET pinned_installation_id = 'clock', night_installation_id = 'pushed',
        night_brightness = 3 WHERE id = '{DEVICE}'"""),
    (49, f"UPDATE app SET author = 'Cy', imported_as = 'clock' WHERE id = '{APP}'"),
    (49, """UPDATE installation SET settings = '{"a":"b"}', secret_settings = 'sealed',
        settings_hash = sha256('x') WHERE id = 'clock'"""),
    (49, f"""INSERT INTO render (place, version_id, generation, picture, picture_generation, engine,
        rendered_at, log, hosts) SELECT place, '{FIRST}', nextval('render_generation'), 'picture',
        1, 'pixlet', now(), 'said', 'example.org' FROM installation WHERE id = 'clock'"""),
    (49, "INSERT INTO left_place (place) VALUES ('somewhere')"),
    (49, f"""INSERT INTO app_compiled (version_id, javascript, engine, compiled_at) VALUES
        ('{THIRD}', 'js', 'esbuild', now()) ON CONFLICT (version_id) DO UPDATE SET
        javascript = excluded.javascript, engine = excluded.engine, compiled_at = excluded.compiled_at"""),
    (49, f"""INSERT INTO app_schema (version_id, locale, engine, schema) VALUES
        ('{FIRST}', 'en', 'pixlet', '{{}}')"""),
    (49, f"""INSERT INTO app_picture (version_id, engine, picture, made_at) VALUES
        ('{FIRST}', 'pixlet', 'small', now())"""),
    (49, f"INSERT INTO app_host (app_id, host) VALUES ('{APP}', 'asked.example.org')"),
    (49, f"""INSERT INTO app_schema_failure (version_id, locale, reach, engine, kind, message, file,
        line, "column") VALUES ('{FIRST}', 'de', 1, 'pixlet', 1, 'wrong', 'app.star', 2, 3)"""),
    (49, f"""UPDATE version_crashes SET crashes = 3, account_id = '{OWNER}', paused_until = now(),
        trial = '{OTHER}' WHERE version_id = '{FIRST}'"""),
    (49, "UPDATE installation SET picture_hash = picture_name(picture) WHERE picture IS NOT NULL"),
    (49, f"INSERT INTO app_to_seal (app_id, tries) VALUES ('{APP}', 3)"),
    (49, f"UPDATE device SET told_mac = '02:00:00:00:00:02' WHERE id = '{DEVICE}'"),
    (49, f"UPDATE audit_entry SET session_id = '{OTHER}', times = 3 WHERE account_id = '{OWNER}'"),
    (49, f"UPDATE account SET byte_limit = 1000000 WHERE id = '{OTHER}'"),
    (49, f"INSERT INTO app_version_removed (app_id, name) VALUES ('{APP}', '0.9')"),
    (49, "UPDATE installation SET name = 'By the window' WHERE id = 'pushed'"),
    (49, "INSERT INTO app_collection (id, name, source) VALUES (gen_random_uuid(), 'theirs', '/srv/apps')"),
    (49, f"""UPDATE app SET collection_id = (SELECT id FROM app_collection), category = 'Time', tags = '["a"]',
        broken_reason = 'It is slow.' WHERE id = '{APP}'"""),
    (49, f"""INSERT INTO app_own_picture (app_id, source_hash, picture, picture_hash, checked_at) VALUES
        ('{APP}', sha256('file'), 'small', 'h', now())"""),
    (49, "UPDATE installation SET expires_at = '2100-01-01', expires_generation = picture_generation "
         "WHERE id = 'ö/☃'"),
    (49, "UPDATE showing SET held_generation = push_generation, waking_generation = push_generation"),
    (49, f"""UPDATE device SET turn_count = 4, turned_at = now(), is_sleep_set = true, is_set_asleep = true,
        sleep_set_until = '2100-01-01' WHERE id = '{DEVICE}'"""),
    (49, f"""UPDATE api_key SET scope = 'push', device_ids = '{{{DEVICE}}}', ends_at = '2100-01-01'
        WHERE name = 'one'"""),
    (49, f"""INSERT INTO webhook (id, account_id, url, events, secret, last_status, last_at, failing_since, tries, next_at,
        lost) VALUES ('{DEVICE}', '{OWNER}', 'https://webhook.invalid/', 15, 'x', 500, now(), now(), 3, '2100-01-01', 2)"""),
    (49, f"INSERT INTO webhook_event (webhook_id, kind, data) VALUES ('{DEVICE}', 'pushed', '{{}}')"),
    (49, f"INSERT INTO webhook_online (webhook_id, device_id, is_online) VALUES ('{DEVICE}', '{DEVICE}', true)"),
    (49, f"""INSERT INTO mqtt_connection (account_id, url, username, password, state, error) VALUES
        ('{OWNER}', 'mqtts://a', 'panels', '\\x01ff', 'failed', 'the broker does not answer'),
        ('{OTHER}', 'mqtt://b:1', NULL, NULL, 'waiting', NULL)"""),
    (54, "INSERT INTO hint_beat (instance, worker, through_at, seen_at) VALUES (gen_random_uuid(), 0, now(), now())"),
    (55, "UPDATE api_key SET has_set_up = true WHERE name = 'three'"),
    (55, f"""UPDATE mqtt_connection SET made_by_key_id = (SELECT id FROM api_key WHERE name = 'three')
        WHERE account_id = '{OTHER}'"""),
    (55, "UPDATE webhook SET made_by_key_id = (SELECT id FROM api_key WHERE name = 'three')"),
    (57, "UPDATE render SET cut = 'the animation is cut after 7 of 9 frames'"),
    (59, f"""UPDATE device SET is_dim_set = true, is_set_dimmed = true, dim_set_until = '2100-01-01'
        WHERE id = '{DEVICE}'"""),
    (61, "UPDATE webhook SET secret_key_id = made_by_key_id"),
    (62, f"""INSERT INTO version_check (version_id, share, script_language, tries, checked_at, is_bad, verdict) VALUES
        ('{FIRST}', '{OWNER}', 'STARLARK', 2, now(), true, '{{"state":"bad"}}') ON CONFLICT (version_id) DO UPDATE SET
        tries = excluded.tries, checked_at = excluded.checked_at, is_bad = true, verdict = excluded.verdict"""),
    (62, "UPDATE version_check SET claimed_until = '2100-01-01' WHERE checked_at IS NULL"),
    (63, f"UPDATE device SET board = 'pixoticker' WHERE id = '{DEVICE}'"),
    (63, """UPDATE panel_info SET settings = '{"hostname":"kitchen","apMode":true}'"""),
    (65, f"INSERT INTO firmware_change (device_id, settings) VALUES ('{DEVICE}', '{{\"apMode\":true}}')"),
    (65, f"UPDATE device SET firmware_generation = generation, order_url = 'https://a.example' WHERE id = '{DEVICE}'"),
    (66, f"UPDATE device SET brightness_curve = '1,8,12,35,100' WHERE id = '{DEVICE}'"),
    (67, f"UPDATE device SET color_filter = 'warm', night_color_filter = 'redshift', dim_color_filter = 'none' WHERE id = '{DEVICE}'"),
    (67, "UPDATE installation SET color_filter = 'sepia' WHERE rank = (SELECT min(rank) FROM installation)"),
    (68, "UPDATE installation SET plays_whole = true WHERE rank = (SELECT min(rank) FROM installation)"),
    (70, "UPDATE installation SET recurrence_rule = 'FREQ=DAILY;INTERVAL=2', recurrence_start = '2026-11-30' "
         "WHERE rank = (SELECT max(rank) FROM installation)"),
    (69, "UPDATE installation SET pins_itself = true WHERE rank = (SELECT max(rank) FROM installation)"),
    (71, f"""UPDATE device SET place_json = '{{"lat":"1","lng":"2"}}' WHERE id = '{DEVICE}'"""),
    (72, f"""UPDATE device SET plan_json = '[{{"weekdays":["monday"],"from":"sunset","to":"23:00","dark":true}}]'
        WHERE id = '{DEVICE}'"""),
    (73, f"""INSERT INTO firmware_image (id, slot, board, version, chip, project, sha256, size_bytes, content) VALUES
        ('{DEVICE}', 7, 'tronbyt_s3', '1.6.6', 'esp32s3', 'firmware', repeat('0', 64), 3, '\\xe90001')"""),
    (74, f"""INSERT INTO firmware_update (device_id, image_id, version, former_version, sent_at, fetched_at, done_at)
        VALUES ('{DEVICE}', '{DEVICE}', '1.6.6', '1.5.2', now(), now(), now())"""),
    (79, "UPDATE render SET duration_ms = 90000"),
    (80, f"INSERT INTO firmware_series (account_id, series_id, state) SELECT account_id, id, 'done' FROM device WHERE id = '{DEVICE}'"),
    (80, f"""INSERT INTO firmware_series_device (series_id, account_id, device_id, position, state, version)
        SELECT id, account_id, id, 1, 'done', '1.6.6' FROM device WHERE id = '{DEVICE}'"""),
    (80, "UPDATE firmware_releases SET releases_url = 'https://a.example/releases', state = 'done', problem = 'none'"),
    (83, f"INSERT INTO account_identity (id, account_id, issuer, subject, label) SELECT id, account_id, 'https://a.example', 's', 'ada' "
         f"FROM device WHERE id = '{DEVICE}'"),
    (84, f"INSERT INTO app_archive (id, account_id, name, url, state, etag) SELECT id, account_id, 'a', 'https://a.example/a.zip', 'done', 'x' "
         f"FROM device WHERE id = '{DEVICE}'"),
    (85, "INSERT INTO app_archive (id, account_id, name, url, is_for_all) SELECT gen_random_uuid(), account_id, 'a', 'https://a.example/a.zip', "
         f"false FROM device WHERE id = '{DEVICE}'"),
    (85, "INSERT INTO app_collection (id, name, is_private) VALUES (gen_random_uuid(), 'own', true)"),
    (87, "INSERT INTO presence (id, seen_at) VALUES (gen_random_uuid(), now())"),
    (87, "UPDATE device SET online_by = presence.id FROM presence"),
    (88, "INSERT INTO mqtt_holder (id, held_until) VALUES (gen_random_uuid(), '2100-01-01')"),
]


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


def read(path):
    with open(os.path.join(ROOT, "sql", path), encoding="utf-8") as file:
        return file.read()


def migrations():
    """Number, name, SHA-256 and text of each. Those that the schema replaces have no text, but the last one has that of
    the schema."""
    found = [(int(number), name, sha256, None)
             for number, name, sha256 in map(str.split, read("schema/replaced.txt").splitlines()[1:])]
    schema = "".join(read(path) for path in sorted(glob.glob("schema/*.sql", root_dir=os.path.join(ROOT, "sql"))))
    found[-1] = (*found[-1][:3], schema)
    for path in sorted(glob.glob("migration/*.sql", root_dir=os.path.join(ROOT, "sql"))):
        number, name = os.path.basename(path).removesuffix(".sql").split("_", 1)
        text = read(path)
        found.append((int(number), name, hash_of(text), text))
    return found


# Number of migrations in the oldest database that is migrated: that of commit f88f1128.
OLDEST = next(number for number, _, _, text in migrations() if text)


def fingerprint(schema):
    """Fingerprint of the first migrations, as in the head of a backup."""
    return hash_of("".join(sha256 for number, _, sha256, _ in migrations() if number <= schema))


def connect(url):
    connection = psycopg2.connect(url)
    connection.autocommit = True
    return connection


def make_old(url, schema):
    """Gives the empty database the tables that displayd had at this migration, without rows."""
    with connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE schema_migration (number int4 PRIMARY KEY, name text NOT NULL, "
                       "sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())")
        for number, name, sha256, text in migrations()[:schema]:
            if text:
                cursor.execute(text)
            cursor.execute("INSERT INTO schema_migration (number, name, sha256) VALUES (%s, %s, %s)", (number, name, sha256))


def fill(url, schema=999):
    with connect(url) as connection, connection.cursor() as cursor:
        for since, sql in ROWS:
            if since <= schema:
                cursor.execute(sql)


def tables_of(url, but=()):
    """All rows: {table: [{column: text}]}, with sequences. Omits the times of migrations and of the last
    backup, and the key of challenges, which each instance makes itself."""
    found = {}
    with connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' "
                       "AND relnamespace = 'public'::regnamespace")
        for (table,) in cursor.fetchall():
            if table in but:
                continue
            cursor.execute(f"SELECT to_jsonb(t) - '{{applied_at,backed_up_at,challenge_key}}'::text[] FROM {table} AS t")
            found[table] = sorted((str(sorted(row.items())) for (row,) in cursor.fetchall()))
        cursor.execute("SELECT sequencename, last_value FROM pg_sequences")
        found["sequences"] = sorted(cursor.fetchall())
    return found


def schema_of(url):
    """Constraints and triggers with their states, types of columns, indexes and functions."""
    with connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("""
            SELECT conrelid::regclass || contypid::regtype::text || conname || pg_get_constraintdef(oid)
            FROM pg_constraint WHERE connamespace = 'public'::regnamespace
            UNION ALL SELECT attrelid::regclass || attname || attstorage::text
                || format_type(atttypid, atttypmod) FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0
                AND NOT attisdropped
            UNION ALL SELECT tgrelid::regclass || tgname || tgenabled::text FROM pg_trigger
            WHERE NOT tgisinternal
            UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace""")
        return sorted(row[0] for row in cursor.fetchall())


# ---- the format ----

def frames_of(data):
    """[(kind, payload)] of a backup, after a check of its checksums."""
    assert data[:16] == MAGIC and data[16:20] == struct.pack(">I", 1)
    state = hashlib.blake2b(data[:20], digest_size=16)
    found = []
    at = 20
    while at < len(data):
        length = struct.unpack(">I", data[at + 1:at + 5])[0]
        state.update(data[at:at + 5 + length])
        found.append((data[at:at + 1].decode(), data[at + 5:at + 5 + length]))
        at += 5 + length
        assert data[at:at + 16] == state.copy().digest()
        at += 16
    return found


def backup_of(frames, version=1):
    """Bytes of a backup with these frames and right checksums."""
    data = MAGIC + struct.pack(">I", version)
    state = hashlib.blake2b(data, digest_size=16)
    for kind, payload in frames:
        frame = kind.encode() + struct.pack(">I", len(payload)) + payload
        state.update(frame)
        data += frame + state.copy().digest()
    return data


def filled(postgres, tmp_path_factory):
    """The URL of a database with rows of all kinds, and its backup."""
    url = postgres.create_database()
    fill(url)
    path = str(tmp_path_factory.mktemp("backup") / "all.backup")
    run_ctl("--database", url, "--state-dir", path + ".none", "backup", path)
    return url, path


def wait_for_lock(url):
    """Waits until a backup waits for the lock."""
    # closing(): "with connection" would begin a transaction, which does not see later changes of others.
    with contextlib.closing(connect(url)) as connection, connection.cursor() as cursor:
        def waits():
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                           "AND datname = current_database()")
            return cursor.fetchone()[0]

        wait_until(waits, "a backup that waits")
