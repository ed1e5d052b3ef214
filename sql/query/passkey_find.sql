-- A passkey by the ID that its authenticator has given it, and the key that signs challenges.
-- Always one row: if there is no such passkey, or its account is being removed, the IDs are all
-- zero.
-- params: credential_id text
-- row: id uuid, account_id uuid, algorithm int4, public_key bytea?, sign_count int8, challenge_key bytea
SELECT coalesce(found.id, '00000000-0000-0000-0000-000000000000') AS id,
	coalesce(found.account_id, '00000000-0000-0000-0000-000000000000') AS account_id,
	coalesce(found.algorithm, 0) AS algorithm, found.public_key,
	coalesce(found.sign_count, 0) AS sign_count, site.challenge_key
FROM site
LEFT JOIN (
	SELECT passkey.*
	FROM passkey
	JOIN account ON account.id = passkey.account_id
	WHERE passkey.credential_id = :credential_id AND account.closed_at IS NULL
) AS found ON true
WHERE site.is_it
