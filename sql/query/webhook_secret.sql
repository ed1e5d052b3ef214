-- Replaces the secret of a webhook, which is encrypted. The one before it signs messages for another day; an older
-- one ends at once. No row: the account has none with this ID.
-- params: id uuid, account_id uuid, secret bytea, address text?, session_id uuid
-- row: webhook
-- effect: write
-- work: bounded
WITH changed AS (
	UPDATE webhook
	SET secret = :secret,
		previous_secret = secret,
		previous_until = present_time() + interval '24 hours'
	WHERE id = :id AND account_id = :account_id
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'webhook.secret', webhook_host(changed.url), :address, :session_id
	FROM changed
	JOIN account ON account.id = changed.account_id
)
SELECT {webhook}
FROM changed
CROSS JOIN LATERAL (SELECT webhook_event_names(events) AS event_names) AS wanted
