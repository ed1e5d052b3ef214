-- Ends a lease: the app's settings are encrypted, or will be tried again later.
-- params: lease uuid, has_failed bool
WITH later AS (
	UPDATE app_to_seal
	SET claim = NULL,
		due_at = present_time() + least(3600, 30 * 2 ^ least(tries, 10)) * interval '1 second'
	WHERE claim = :lease AND :has_failed
)
DELETE FROM app_to_seal
WHERE claim = :lease AND NOT :has_failed
