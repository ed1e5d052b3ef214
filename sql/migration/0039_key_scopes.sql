-- API keys may be narrower than their account: for some calls, for some devices, until a time.
--
-- Keys that are there stay for everything, and have no end. Earlier programs may run meanwhile, but take
-- every key as one for everything: make narrower keys when none of them runs any more.

ALTER TABLE api_key
	ADD COLUMN scope text NOT NULL DEFAULT 'all',
	ADD COLUMN device_ids uuid[],
	ADD COLUMN ends_at timestamptz,
	ADD CONSTRAINT api_key_scope CHECK (scope IN ('push', 'devices', 'all')),
	ADD CONSTRAINT api_key_device_count CHECK (cardinality(device_ids) BETWEEN 1 AND 100);
COMMENT ON COLUMN api_key.device_ids IS
	'the only devices that it is for; NULL: all of its account. Those that were removed may be among them';

-- The chosen devices of a key; none: all. Refuses one that is not the account's.
CREATE FUNCTION chosen_devices(of_account uuid, ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql STABLE AS $$
BEGIN
	IF EXISTS (
		SELECT
		FROM unnest(ids) AS chosen
		WHERE NOT EXISTS (SELECT FROM device WHERE id = chosen AND account_id = of_account)
	) THEN
		RAISE EXCEPTION 'a key is for devices of its account' USING
			ERRCODE = '23D01';
	END IF;
	RETURN nullif(ids, '{}');
END
$$;

-- As before, with the change of a key.
CREATE OR REPLACE FUNCTION audit_share(action text) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN action IN ('app.create', 'app.deploy', 'device.create', 'device.disable',
			'device.enable', 'device.key', 'key.create', 'key.revoke', 'key.update', 'passkey.add')
		THEN 1000 ELSE 10000 END
$$;
CREATE OR REPLACE FUNCTION audit_rank(action text) RETURNS int2 LANGUAGE sql IMMUTABLE AS $$
	SELECT (CASE WHEN action IN ('app.create', 'app.deploy', 'device.create', 'device.disable',
			'device.enable', 'device.key', 'key.create', 'key.revoke', 'key.update', 'passkey.add')
		THEN 0 WHEN action IN ('account.create', 'account.remove', 'device.remove', 'passkey.remove',
			'password.change', 'session.end', 'session.start', 'version.remove')
		THEN 1 ELSE 2 END)::int2
$$;
