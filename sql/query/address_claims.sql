-- Counts that an account claims so many former addresses, whether it gets them or not: 1,000 in the
-- day that begins with the first one. wait_s: 0, or the seconds until that many may be claimed; then
-- none is counted. No row: the account is gone.
-- params: account_id uuid, claims int4
-- row: wait_s int8
WITH counted AS (
	UPDATE account
	SET address_claims = :claims + CASE WHEN address_claims_since > present_time() - interval '1 day'
			THEN address_claims ELSE 0 END,
		address_claims_since = CASE WHEN address_claims_since > present_time() - interval '1 day'
			THEN address_claims_since ELSE present_time() END
	WHERE id = :account_id AND closed_at IS NULL AND (
		address_claims + :claims <= 1000 OR address_claims_since <= present_time() - interval '1 day')
	RETURNING id
)
SELECT CASE WHEN EXISTS (SELECT FROM counted) THEN 0
	ELSE greatest(1, ceil(extract(epoch FROM address_claims_since + interval '1 day' - present_time()))) END::int8
	AS wait_s
FROM account
WHERE id = :account_id AND closed_at IS NULL
