-- How many of these devices are an account's, and how many are others'.
-- params: ids uuid[], account_id uuid
-- row: own int8, others int8
-- effect: read
-- work: bounded
SELECT count(*) FILTER (WHERE account_id = :account_id) AS own,
	count(*) FILTER (WHERE account_id <> :account_id) AS others
FROM device
WHERE id = ANY (:ids)
