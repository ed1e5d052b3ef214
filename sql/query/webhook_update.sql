-- Changes a webhook of an account. No url, and events 0: they stay. enabled: 1 on, 0 off, -1 as it
-- is. The events that wait for a webhook that is switched off are dropped; one that is switched on
-- begins anew, and events of kinds that it no longer gets are dropped. If that changes which events
-- the account's webhooks get, the rows of its devices are locked and changed, 1,000 at most: 20
-- times in a row, then once a second. key_hash: of the API key that changes it; NULL: the
-- owner does. Who changes the URL or switches it on has set it up: the key, or the owner. No row: the account has none
-- with this ID.
-- params: id uuid, account_id uuid, key_hash bytea?, url text?, events int4, enabled int4, address text?,
--   session_id uuid
-- row: webhook
-- effect: write
-- work: bounded
-- refuse: 54D02 -> webhooks_too_often, 28D01 -> key_ended
WITH held AS MATERIALIZED (
	SELECT id, account_id, coalesce(url <> :url, false) OR (:enabled = 1 AND NOT is_enabled) AS is_set_up
	FROM webhook
	WHERE id = :id AND account_id = :account_id
	FOR NO KEY UPDATE
), locked AS MATERIALIZED (
	SELECT held.id, held.is_set_up
	FROM held
	JOIN account ON account.id = held.account_id
	FOR NO KEY UPDATE OF account
), maker AS MATERIALIZED (
	SELECT id, is_set_up, CASE WHEN is_set_up THEN key_sets_up(:key_hash) END AS key_id
	FROM locked
), changed AS (
	UPDATE webhook
	SET url = coalesce(:url, url),
		events = CASE WHEN :events = 0 THEN events ELSE :events END,
		is_enabled = CASE WHEN :enabled < 0 THEN is_enabled ELSE :enabled = 1 END,
		next_at = '-infinity',
		made_by_key_id = CASE WHEN maker.is_set_up THEN maker.key_id ELSE made_by_key_id END
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
