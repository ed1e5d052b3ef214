-- Ends what can act for an account without its password: removes its passkeys, identities, webhooks and MQTT
-- connection, and revokes its API keys, which all workers drop from their caches. Devices are locked before the
-- account, as a removal of a webhook locks them. No row: the password or passkey that was checked is not the
-- account's any more, its session has ended, or the account is gone.
-- params: account_id uuid, password_hash text?, credential_id text?, session_id uuid, address text
-- row: id uuid, told int8
-- rare: an owner ends all access, and its keys must stop working everywhere with the commit
WITH held AS MATERIALIZED (
	SELECT device.id
	FROM device
	WHERE account_id = :account_id AND EXISTS (SELECT FROM webhook WHERE webhook.account_id = :account_id)
	ORDER BY device.id
	FOR NO KEY UPDATE
), locked AS MATERIALIZED (
	SELECT id, email
	FROM account
	WHERE id = :account_id AND (SELECT count(*) FROM held) >= 0
	FOR NO KEY UPDATE
), owner AS MATERIALIZED (
	SELECT id, email
	FROM locked
	WHERE proof_holds(id, :password_hash, :credential_id, :session_id)
), passkeys AS (
	DELETE FROM passkey
	USING owner
	WHERE passkey.account_id = owner.id
	RETURNING 'passkey.remove' AS action, passkey.name AS target
), identities AS (
	DELETE FROM account_identity
	USING owner
	WHERE account_identity.account_id = owner.id
	RETURNING 'identity.remove' AS action, account_identity.label AS target
), keys AS (
	UPDATE api_key
	SET revoked_at = present_time()
	FROM owner
	WHERE api_key.account_id = owner.id AND api_key.revoked_at IS NULL
	RETURNING 'key.revoke' AS action, api_key.name AS target, api_key.secret_hash
), webhooks AS (
	DELETE FROM webhook
	USING owner
	WHERE webhook.account_id = owner.id
	RETURNING 'webhook.remove' AS action, webhook_host(webhook.url) AS target
), mqtt AS (
	DELETE FROM mqtt_connection
	USING owner
	WHERE mqtt_connection.account_id = owner.id
		AND (NOT mqtt_connection.is_of_instance OR mqtt_connection.held_until < present_time())
	RETURNING 'mqtt.remove' AS action, left(mqtt_connection.url, 200) AS target
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT owner.id, owner.email, ended.action, ended.target, :address, :session_id
	FROM owner
	CROSS JOIN (
		SELECT action, target FROM passkeys
		UNION ALL
		SELECT action, target FROM identities
		UNION ALL
		SELECT action, target FROM keys
		UNION ALL
		SELECT action, target FROM webhooks
		UNION ALL
		SELECT action, target FROM mqtt) AS ended
), hinted AS (
	SELECT pg_notify('displayd_hint', 'key:' || encode(secret_hash, 'hex'))
	FROM keys
	UNION ALL
	SELECT pg_notify('displayd_hint', 'mqtt:' || :account_id)
	FROM mqtt
)
SELECT owner.id, (SELECT count(hinted) FROM hinted) AS told
FROM owner
