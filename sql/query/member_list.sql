-- All accounts as administrators see them, oldest first; at most 101, one more than a short list
-- has. Of those that have a text in their name or address.
-- params: wanted text
-- row: member
-- effect: read
-- work: grows with accounts
SELECT account.{person}, account.last_sign_in_at,
	account.id IS NOT DISTINCT FROM (SELECT heir_id FROM site WHERE is_it) AS is_heir,
	(SELECT count(*) FROM device WHERE device.account_id = account.id) AS devices,
	(SELECT count(*) FROM app WHERE app.account_id = account.id) AS apps
FROM account
WHERE position(lower(:wanted) IN lower(concat_ws(E'\n', account.name, account.email))) > 0
ORDER BY account.created_at, account.id
LIMIT 101
