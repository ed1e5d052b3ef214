-- Makes the account the successor, which gets public apps that others have installed when their
-- owner is removed; or ends that, if it is the successor. No row: there is no such account.
-- params: account_id uuid, is_heir bool, actor_id uuid, address text, session_id uuid
-- row: member
WITH chosen AS (
	SELECT *
	FROM account
	WHERE id = :account_id AND closed_at IS NULL
	FOR SHARE
), changed AS (
	UPDATE site
	SET heir_id = CASE WHEN :is_heir THEN chosen.id END
	FROM chosen
	WHERE site.is_it AND (:is_heir OR site.heir_id = chosen.id)
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, account.email, 'account.heir',
		CASE WHEN :is_heir THEN chosen.email END, :address, :session_id
	FROM chosen
	JOIN account ON account.id = :actor_id
)
SELECT chosen.{person}, chosen.last_sign_in_at, :is_heir AS is_heir,
	chosen.device_count::int8 AS devices, chosen.key_count::int8 AS keys,
	chosen.owned_app_count AS apps,
	account_bytes(chosen.id) AS bytes,
	bytes_allowed(chosen.byte_limit, chosen.device_count) AS bytes_allowed, chosen.byte_limit,
	chosen.reaches_local
FROM chosen
