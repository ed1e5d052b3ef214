-- The entries with a render key that are on devices of these accounts, at most so many of
-- each account; number counts them.
-- params: render_key bytea, account_ids uuid[], most int8
-- row: account_id uuid, device_id uuid, id text, number int8
-- work: grows with entries of a render key
SELECT account_id, device_id, id, number
FROM (
	SELECT device.account_id, installation.device_id, installation.id,
		row_number() OVER (PARTITION BY device.account_id) AS number
	FROM installation
	JOIN device ON device.id = installation.device_id
	WHERE installation.place = :render_key AND device.account_id = ANY (:account_ids)
) AS entry
WHERE number <= :most
