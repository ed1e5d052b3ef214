-- A new webhook of an account, with its secret, which is encrypted. The account's changes make
-- events for it from then on. If that changes which events the account's webhooks get, the rows of
-- its devices are locked and changed, 1,000 at most: 20 times in a row, then once a second. address
-- and session_id are those of a browser; session_id all zero: an API key has made it. key_hash: of
-- that key; NULL: the owner makes it. The account is locked before the key, as where all access ends. No row: the
-- account is gone.
-- params: id uuid, account_id uuid, key_hash bytea?, url text, events int4, is_enabled bool, secret bytea,
--   address text?, session_id uuid
-- row: webhook
-- refuse: account_webhook_limit -> too_many_webhooks, webhook_account_id_fkey -> account_gone,
--   54D02 -> webhooks_too_often, 28D01 -> key_ended
WITH owner AS MATERIALIZED (
	SELECT id
	FROM account
	WHERE id = :account_id AND closed_at IS NULL
	FOR NO KEY UPDATE
), fresh AS (
	INSERT INTO webhook (id, account_id, url, events, is_enabled, secret, made_by_key_id)
	SELECT :id, owner.id, :url, :events, :is_enabled, :secret, key_sets_up(:key_hash)
	FROM owner
	RETURNING *
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'webhook.create', webhook_host(fresh.url), :address, :session_id
	FROM fresh
	JOIN account ON account.id = fresh.account_id
)
SELECT {webhook}
FROM fresh
CROSS JOIN LATERAL (SELECT webhook_event_names(events) AS event_names) AS wanted
