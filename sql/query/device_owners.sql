-- Counts the devices, among these, that are the account's, and those of other accounts.
-- params: ids uuid[], account_id uuid
-- row: own int8, others int8
SELECT count(*) FILTER (WHERE account_id = :account_id) AS own,
	count(*) FILTER (WHERE account_id <> :account_id) AS others
FROM device
WHERE id = ANY (:ids)
