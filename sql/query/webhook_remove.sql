-- Removes a webhook of an account, and what waits for it. No row: the account has none with this ID.
-- params: id uuid, account_id uuid, address text?, session_id uuid
-- row: url text
-- effect: write
-- work: bounded
WITH removed AS (
	DELETE FROM webhook
	WHERE id = :id AND account_id = :account_id
	RETURNING account_id, url
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'webhook.remove', webhook_host(removed.url), :address, :session_id
	FROM removed
	JOIN account ON account.id = removed.account_id
)
SELECT url
FROM removed
