-- The devices that an administrator may mean, at most 11: by ID; else those that are registered
-- with this serial number, also in upper or lower case if none has it exactly, or MAC address; else
-- those of this name, in any case if none has it exactly, followed by those whose panels report
-- this address.
-- params: account_id uuid, id uuid, serial text?, mac macaddr?, name text
-- row: inventory_device
-- work: grows with devices of one name
WITH eligible AS NOT MATERIALIZED (
	SELECT *
	FROM device
	WHERE :account_id IN (device.account_id, '00000000-0000-0000-0000-000000000000')
), registered AS (
	SELECT *, 1 AS choice, false AS is_told
	FROM eligible
	WHERE id = :id OR serial IN (:serial, upper(:serial), lower(:serial)) OR mac = :mac
	ORDER BY created_at, id
	LIMIT 11
), named AS (
	SELECT *, 2 AS choice, false AS is_told
	FROM eligible
	WHERE lower(name) = lower(:name)
	ORDER BY name <> :name, created_at, id
	LIMIT 11
), told AS (
	SELECT *, 3 AS choice, true AS is_told
	FROM eligible
	WHERE told_mac = :mac
	ORDER BY created_at, id
	LIMIT 11
), found AS (
	SELECT * FROM registered
	WHERE id = :id OR mac = :mac OR serial = :serial
		OR NOT EXISTS (SELECT FROM registered AS exact WHERE exact.serial = :serial)
	UNION ALL
	SELECT * FROM named
	WHERE NOT EXISTS (SELECT FROM registered)
		AND (name = :name OR NOT EXISTS (SELECT FROM named AS exact WHERE exact.name = :name))
	UNION ALL
	SELECT * FROM told WHERE NOT EXISTS (SELECT FROM registered)
)
SELECT found.id, found.name, found.serial, coalesce(found.mac, found.told_mac)::text AS mac,
	found.created_at, greatest(found.last_online_at, (
		SELECT presence.seen_at FROM presence WHERE presence.id = found.online_by)) AS last_online_at,
	entries_now(found.id, found.entry_count)::int8 AS entries,
	account.email AS account, found.is_told
FROM found
JOIN account ON account.id = found.account_id
ORDER BY found.choice, found.created_at, found.id
LIMIT 11
