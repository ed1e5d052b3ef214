-- Replaces the secret of a webhook, which is encrypted. The one before it signs messages for another day; an older
-- one ends at once. key_hash: of the API key that replaces it, and so knows it: the webhook ends with that key, as with
-- the one that made it; NULL: the owner does. The account is locked before the key, as where all access ends. No row:
-- the account has none with this ID.
-- params: id uuid, account_id uuid, key_hash bytea?, secret bytea, address text?, session_id uuid
-- row: webhook
-- refuse: 28D01 -> key_ended
WITH held AS MATERIALIZED (
	SELECT id, account_id
	FROM webhook
	WHERE id = :id AND account_id = :account_id
	FOR NO KEY UPDATE
), locked AS MATERIALIZED (
	SELECT held.id
	FROM held
	JOIN account ON account.id = held.account_id
	FOR NO KEY UPDATE OF account
), maker AS MATERIALIZED (
	SELECT id, key_sets_up(:key_hash) AS key_id
	FROM locked
), changed AS (
	UPDATE webhook
	SET secret = :secret,
		previous_secret = secret,
		previous_until = present_time() + interval '24 hours',
		secret_key_id = maker.key_id
	FROM maker
	WHERE webhook.id = maker.id
	RETURNING webhook.*
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'webhook.secret', webhook_host(changed.url), :address, :session_id
	FROM changed
	JOIN account ON account.id = changed.account_id
)
SELECT {webhook}
FROM changed
CROSS JOIN LATERAL (SELECT webhook_event_names(events) AS event_names) AS wanted
