-- Notes that a passkey has answered a challenge: once, and with a higher count than before if its
-- authenticator counts. Removes challenges that have expired. No row: this challenge was answered
-- before, or the count says that the passkey was copied, or it is gone.
-- params: id uuid, sign_count int8, challenge bytea, life_s int4
-- row: id uuid
WITH expired AS (
	DELETE FROM used_challenge
	WHERE challenge IN (
		SELECT challenge
		FROM used_challenge
		WHERE used_at < (SELECT present_time() - 2 * :life_s * interval '1 second')
		ORDER BY used_at
		LIMIT 100
		FOR UPDATE SKIP LOCKED)
), answered AS (
	INSERT INTO used_challenge (challenge)
	VALUES (:challenge)
	ON CONFLICT DO NOTHING
	RETURNING challenge
)
UPDATE passkey
SET sign_count = :sign_count,
	last_used_at = present_time()
FROM answered
WHERE passkey.id = :id
	AND (:sign_count > passkey.sign_count OR :sign_count = 0 AND passkey.sign_count = 0)
RETURNING passkey.id
