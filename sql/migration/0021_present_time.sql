-- All statements, triggers and defaults take the time from one function, which tests replace: they shift
-- the clock instead of waiting. Earlier programs may run meanwhile: their statements call
-- clock_timestamp(), which is the same as long as nobody replaces the function.

-- The time now, also within a statement or a transaction that has begun earlier. The planner inlines it
-- (nothing of it may be more restrictive than clock_timestamp(), which is VOLATILE): it costs nothing.
CREATE FUNCTION present_time() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
	SELECT clock_timestamp()
$$;

ALTER TABLE account ALTER COLUMN created_at SET DEFAULT present_time();
ALTER TABLE account_link ALTER COLUMN created_at SET DEFAULT present_time();
ALTER TABLE api_key ALTER COLUMN created_at SET DEFAULT present_time();
ALTER TABLE app ALTER COLUMN created_at SET DEFAULT present_time();
ALTER TABLE app_draft ALTER COLUMN updated_at SET DEFAULT present_time();
ALTER TABLE app_host ALTER COLUMN asked_at SET DEFAULT present_time();
ALTER TABLE app_schema ALTER COLUMN made_at SET DEFAULT present_time();
ALTER TABLE app_schema_failure ALTER COLUMN made_at SET DEFAULT present_time();
ALTER TABLE app_version ALTER COLUMN created_at SET DEFAULT present_time();
ALTER TABLE app_version_comment ALTER COLUMN created_at SET DEFAULT present_time();
ALTER TABLE audit_entry ALTER COLUMN created_at SET DEFAULT present_time();
ALTER TABLE device
	ALTER COLUMN created_at SET DEFAULT present_time(),
	ALTER COLUMN last_online_at SET DEFAULT present_time();
ALTER TABLE installation ALTER COLUMN created_at SET DEFAULT present_time();
ALTER TABLE left_place ALTER COLUMN left_at SET DEFAULT present_time();
ALTER TABLE panel_info ALTER COLUMN told_at SET DEFAULT present_time();
ALTER TABLE passkey ALTER COLUMN created_at SET DEFAULT present_time();
ALTER TABLE render ALTER COLUMN made_at SET DEFAULT present_time();
ALTER TABLE session
	ALTER COLUMN created_at SET DEFAULT present_time(),
	ALTER COLUMN last_used_at SET DEFAULT present_time();
ALTER TABLE showing ALTER COLUMN created_at SET DEFAULT present_time();
ALTER TABLE used_challenge ALTER COLUMN used_at SET DEFAULT present_time();

CREATE OR REPLACE FUNCTION milliseconds_until(at timestamptz) RETURNS int8 LANGUAGE sql VOLATILE AS $$
	SELECT ceil(extract(epoch FROM greatest(at, now) - now) * 1000)::int8
	FROM present_time() AS now
$$;

CREATE OR REPLACE FUNCTION app_hosts(of_app uuid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce(json_agg(host ORDER BY host)::text, '[]')
	FROM app_host
	WHERE app_id = of_app AND asked_at > present_time() - interval '30 days'
$$;

CREATE OR REPLACE FUNCTION audit_entry_bounded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM audit_entry
	WHERE id <= NEW.id - 100000 OR created_at < present_time() - interval '400 days';
	DELETE FROM audit_entry
	WHERE account_id = NEW.account_id AND id <= (
		SELECT id FROM audit_entry WHERE account_id = NEW.account_id
		ORDER BY id DESC OFFSET 2000 LIMIT 1);
	RETURN NULL;
END
$$;
