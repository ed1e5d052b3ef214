-- Many rows of each kind, :n of them: of many accounts, and of one account, app, version, render
-- key (place) or device each, as far as limits allow. IDs are text(kind, number). Triggers are off:
-- counts are set below.
SET session_replication_role = replica;
SET synchronous_commit = off;

CREATE FUNCTION key(kind int, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
	SELECT (lpad(to_hex(kind), 8, '0') || lpad(to_hex(n), 24, '0'))::uuid
$$;
CREATE FUNCTION hash(kind int, n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT sha256(convert_to(kind || ' ' || n, 'UTF8'))
$$;

INSERT INTO account (id, email, name, password_hash, is_reviewer, is_administrator, created_at)
SELECT key(1, n), 'account-' || n || '@example.org', 'Account ' || n, '$argon2id$x', n <= 2, n = 1,
	timestamptz '2026-01-01' + n * interval '1 second'
FROM generate_series(1, :n) AS n;
UPDATE site SET account_count = :n, administrator_count = 1, had_administrator = true;

-- Of account 1 as many keys as it may have, and those that it has revoked.
INSERT INTO api_key (id, account_id, name, secret_hash, first_characters, revoked_at)
SELECT key(2, n), key(1, CASE WHEN n % 2 = 0 THEN 1 ELSE n END), 'Key', hash(2, n), 'ddk_x',
	CASE WHEN n > 1990 THEN now() - n % 80 * interval '1 day' END
FROM generate_series(1, :n) AS n;

-- The first hundred are account 1's.
INSERT INTO device (id, account_id, name, serial, mac, link_key_hash, created_at, connected_at, entry_count,
	generation)
SELECT key(3, n), key(1, CASE WHEN n <= 100 THEN 1 ELSE n END), 'Device ' || n, 'serial-' || n,
	lpad(to_hex(n), 12, '0')::macaddr, hash(3, n), timestamptz '2026-01-02' + n * interval '1 second',
	now(), CASE WHEN n <= 100 THEN least(100, :n / 100) ELSE 1 END, 1000
FROM generate_series(1, :n) AS n;
-- Half of them are free, however long the tests take.
INSERT INTO mqtt_connection (account_id, url, holder, held_until)
SELECT key(1, n), 'mqtt://a', CASE WHEN n <= 40 THEN key(18, (n - 1) / 20 + 1) END,
	CASE WHEN n <= 40 THEN 'infinity' ELSE now() + (n - :n / 2) * interval '1 hour' END
FROM generate_series(1, :n) AS n;
-- The second holder is gone.
INSERT INTO mqtt_holder (id, held_until) VALUES (key(18, 1), now() + interval '1 hour'), (key(18, 2), now() - interval '1 hour');
INSERT INTO panel_info (device_id, firmware_version) SELECT id, '1' FROM device;
INSERT INTO showing (device_id, push_generation, picture, picture_hash, duration_s)
SELECT id, 1, 'x', 'y', 10 FROM device;

-- Public ones, private ones of others, and 5,000 of account 1; app 1 is installed everywhere.
INSERT INTO app (id, account_id, slug, name, description, visibility, status, is_submitted, deployed_version_id,
	created_at)
SELECT key(4, n), key(1, CASE WHEN n <= least(5000, :n / 2) THEN 1 ELSE n END), 'app-' || n,
	CASE WHEN n % 2 = 0 THEN 'B' ELSE 'A' END || lpad(n::text, 9, '0'),
	'Shows a clock.', CASE WHEN n % 2 = 0 THEN 'public' ELSE 'private' END, 'active', true, key(5, n),
	timestamptz '2026-01-03' + n * interval '1 second'
FROM generate_series(1, :n) AS n;
UPDATE app SET visibility = 'public' WHERE slug = 'app-1';
INSERT INTO app_draft (app_id, script_language, script_content) SELECT id, 'STARLARK', 'x' FROM app;
INSERT INTO app_host (app_id, host) SELECT id, 'example.org' FROM app;

-- Version n of app n, which is deployed, and one that awaits review; and as many of app 2 as it may have.
INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, reviewed_at)
SELECT key(5, n), key(4, n), '1', 'STARLARK', 'x', 'sha256:x', 'APPROVED', now() FROM generate_series(1, :n) AS n;
INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum)
SELECT key(6, n), key(4, n), '2', CASE WHEN n % 2 = 0 THEN 'TYPESCRIPT' ELSE 'STARLARK' END, 'x', 'sha256:x'
FROM generate_series(1, :n) AS n WHERE n <> 2;
INSERT INTO app_version (id, app_id, name, script_language, script_content, checksum, status, reviewed_at)
SELECT key(7, n), key(4, 2), 'v' || n, 'STARLARK', 'x', 'sha256:x', 'APPROVED', now()
FROM generate_series(1, least(9998, :n)) AS n;
INSERT INTO app_version_comment (version_id, position, author, comment)
SELECT id, 1, 'A', 'Well.' FROM app_version WHERE status = 'APPROVED';
INSERT INTO version_crashes (version_id) SELECT id FROM app_version;
INSERT INTO version_check (version_id, share, script_language, checked_at, verdict)
SELECT id, version_check_share(app_id), script_language, CASE WHEN status = 'APPROVED' THEN now() END,
	CASE WHEN status = 'APPROVED' THEN '{"state":"good","summary":"x"}' END
FROM app_version;
INSERT INTO app_compiled (version_id, javascript, compiled_at)
SELECT id, 'x', now() FROM app_version WHERE script_language = 'TYPESCRIPT';
INSERT INTO app_picture (version_id, engine, picture, made_at)
SELECT key(5, n), 'engine', 'x', now() FROM generate_series(1, :n) AS n;
INSERT INTO app_schema (version_id, locale, engine, schema)
SELECT key(5, n), 'en', 'engine', '' FROM generate_series(1, :n) AS n;
INSERT INTO app_schema_failure (version_id, locale, reach, engine, kind, message, file, line, "column")
SELECT key(5, n), 'en', 0, 'engine', 1, 'm', 'f', 1, 1 FROM generate_series(1, :n) AS n;

-- App 1 with one render key (place) on all devices, and app 2 with one on those of account 1. Each
-- has an earlier render key (left_place).
INSERT INTO installation (device_id, id, app_id, position, place, last_place, owner_id)
SELECT device.id, 'e' || n, key(4, least(n, 2)), n, hash(8, least(n, 2)), hash(9, 1), account_id
FROM device, generate_series(1, entry_count) AS n;
INSERT INTO render (place, version_id, generation, picture, picture_hash, picture_generation, engine, rendered_at,
	problem)
SELECT hash(8, n), key(5, 1), n, 'x', 'y', n, 'engine', now(),
	CASE WHEN n % 2 = 0 THEN '{"message":"m","authorMessage":"m"}' END
FROM generate_series(1, :n) AS n;
-- Renders with that render key of account 1 that crash, and are running now.
INSERT INTO render (place, version_id, failures, claimed_by, claimed_until)
VALUES (hash(8, 2), key(5, 2), 3, key(16, 1), now() + interval '1 minute');
UPDATE version_crashes SET crashes = 3, account_id = key(1, 1), paused_until = now() WHERE version_id = key(5, 2);
INSERT INTO render (place, version_id) SELECT hash(10, n), key(5, 3) FROM generate_series(1, :n) AS n;
INSERT INTO left_place (place) SELECT hash(11, n) FROM generate_series(1, :n) AS n;

INSERT INTO session (id, account_id, secret_hash, address, user_agent)
SELECT key(12, n), key(1, CASE WHEN n <= 50 THEN 1 ELSE n END), hash(12, n), '192.0.2.1', 'x'
FROM generate_series(1, :n) AS n;
INSERT INTO account_link (id, kind, secret_hash, account_id, expires_at)
SELECT key(13, n), 'password', hash(13, n), key(1, n), now() + interval '1 day' FROM generate_series(1, :n) AS n;
INSERT INTO passkey (id, account_id, credential_id, algorithm, public_key, sign_count, name)
SELECT key(14, n), key(1, CASE WHEN n <= 20 THEN 1 ELSE n END), 'credential-' || n, -7, 'x', 0, 'Passkey'
FROM generate_series(1, :n) AS n;
INSERT INTO used_challenge (challenge) SELECT hash(15, n) FROM generate_series(1, :n) AS n;
INSERT INTO audit_entry (account_id, actor, action, target, address, number, last_at)
SELECT key(1, n % 1000), 'account', 'key.create', 'Key', '192.0.2.1', 1 + n / 1000, now() FROM generate_series(1, :n) AS n;

INSERT INTO webhook (id, account_id, url, events, secret)
SELECT key(18, n), key(1, CASE WHEN n <= 10 THEN 1 ELSE n END), 'https://example.org/', 7, 'x'
FROM generate_series(1, :n) AS n;
INSERT INTO webhook_event (webhook_id, kind, data)
SELECT key(18, CASE WHEN n <= 50 THEN 1 ELSE n END), 'pushed', '{}' FROM generate_series(1, :n) AS n;
INSERT INTO webhook_online (webhook_id, device_id, is_online) SELECT key(18, n), key(3, n), true
FROM generate_series(1, :n) AS n;
-- Keys of other accounts than 1 have set up their webhooks and connections; some are revoked.
UPDATE webhook SET made_by_key_id = api_key.id FROM api_key
WHERE api_key.account_id = webhook.account_id AND webhook.account_id <> key(1, 1);
UPDATE mqtt_connection SET made_by_key_id = api_key.id FROM api_key
WHERE api_key.account_id = mqtt_connection.account_id AND mqtt_connection.account_id <> key(1, 1);
UPDATE api_key SET has_set_up = true WHERE account_id <> key(1, 1);
UPDATE account SET webhook_events = 7, webhook_count = CASE id WHEN key(1, 1) THEN 10 ELSE 1 END;
UPDATE device SET webhook_events = 7;

UPDATE account
SET key_count = keys, device_count = devices, app_count = apps, passkey_count = passkeys,
	owned_app_count = apps
FROM (
	SELECT account.id, (SELECT count(*) FROM api_key WHERE account_id = account.id AND revoked_at IS NULL) AS keys,
		(SELECT count(*) FROM device WHERE account_id = account.id) AS devices,
		(SELECT count(*) FROM app WHERE account_id = account.id) AS apps,
		(SELECT count(*) FROM passkey WHERE account_id = account.id) AS passkeys
	FROM account
) AS counted
WHERE counted.id = account.id;
UPDATE app SET version_count = versions
FROM (SELECT app_id, count(*) AS versions FROM app_version GROUP BY app_id) AS counted
WHERE counted.app_id = app.id;
RESET session_replication_role;
ANALYZE;
