-- Changes a webhook of an account. No url, and events 0: they stay. enabled: 1 on, 0 off, -1 as it
-- is. The events that wait for a webhook that is switched off are dropped, and events of kinds that
-- it no longer gets. One that is switched on, or gets another URL, begins anew: an answer to a message
-- under way changes nothing of it, and a new URL gets that message again. A webhook that fails is
-- tried at once. 20 times in a row, then once a second: a new URL of one that is enabled, a try at
-- once, and a change of the events that the account's webhooks get, which locks and changes the rows
-- of its devices, 1,000 at most. key_hash: of the API key that changes it; NULL: the owner does. Who
-- changes the URL or switches it on has set it up: the key, or the owner. No row: the account has none
-- with this ID.
-- params: id uuid, account_id uuid, key_hash bytea?, url text?, events int4, enabled int4, address text?,
--   session_id uuid
-- row: webhook
-- refuse: 54D02 -> webhooks_too_often, 28D01 -> key_ended
WITH held AS MATERIALIZED (
	SELECT id, account_id, is_enabled, tries > 0 AS fails, coalesce(url <> :url, false) AS is_moved,
		:enabled = 1 AND NOT is_enabled AS is_switched_on
	FROM webhook
	WHERE id = :id AND account_id = :account_id
	FOR NO KEY UPDATE
), locked AS MATERIALIZED (
	SELECT held.*, is_moved OR is_switched_on AS is_set_up, is_enabled AND (is_moved OR fails) AS is_hurried
	FROM held
	JOIN account ON account.id = held.account_id
	FOR NO KEY UPDATE OF account
), paced AS MATERIALIZED (
	SELECT webhook_pace(account_id)
	FROM locked
	WHERE is_hurried
), maker AS MATERIALIZED (
	SELECT id, is_moved, is_set_up, is_hurried, CASE WHEN is_set_up THEN key_sets_up(:key_hash) END AS key_id
	FROM locked
	WHERE (SELECT count(*) FROM paced) >= 0
), changed AS (
	UPDATE webhook
	SET url = coalesce(:url, url),
		events = CASE WHEN :events = 0 THEN events ELSE :events END,
		is_enabled = CASE WHEN :enabled < 0 THEN is_enabled ELSE :enabled = 1 END,
		next_at = CASE WHEN maker.is_hurried OR maker.is_set_up THEN '-infinity' ELSE next_at END,
		lease = CASE WHEN NOT maker.is_moved THEN lease END,
		leased_until = CASE WHEN maker.is_moved THEN '-infinity' ELSE leased_until END,
		tries = CASE WHEN maker.is_moved THEN 0 ELSE tries END,
		failing_since = CASE WHEN NOT maker.is_moved THEN failing_since END,
		made_by_key_id = CASE WHEN maker.is_set_up THEN maker.key_id ELSE made_by_key_id END,
		secret_key_id = CASE WHEN maker.key_id IS NOT NULL OR NOT maker.is_set_up THEN secret_key_id END
	FROM maker
	WHERE webhook.id = maker.id
	RETURNING webhook.*
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'webhook.update', webhook_host(changed.url), :address, :session_id
	FROM changed
	JOIN account ON account.id = changed.account_id
)
SELECT {webhook}
FROM changed
CROSS JOIN LATERAL (SELECT webhook_event_names(events) AS event_names) AS wanted
