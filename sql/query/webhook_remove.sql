-- Removes a webhook of an account, and the events that wait for it. The account's devices are
-- locked before it, as a push locks them, in the order of their IDs. No row: the account has none
-- with this ID.
-- params: id uuid, account_id uuid, address text?, session_id uuid
-- row: url text
WITH held AS MATERIALIZED (
	SELECT device.id
	FROM device
	WHERE account_id = :account_id AND EXISTS (
		SELECT FROM webhook WHERE webhook.id = :id AND webhook.account_id = :account_id)
	ORDER BY device.id
	FOR NO KEY UPDATE
), removed AS (
	DELETE FROM webhook
	WHERE id = :id AND account_id = :account_id AND (SELECT count(*) FROM held) >= 0
	RETURNING account_id, url
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'webhook.remove', webhook_host(removed.url), :address, :session_id
	FROM removed
	JOIN account ON account.id = removed.account_id
)
SELECT url
FROM removed
