-- A part of all accounts, oldest first: at most so many that come after a place.
-- Of those that have a text.
-- params: wanted text, after_created_at timestamptz, after_id uuid, row_limit int8
-- row: member
-- effect: read
-- work: grows with accounts
SELECT account.{person}, account.last_sign_in_at,
	account.id IS NOT DISTINCT FROM (SELECT heir_id FROM site WHERE is_it) AS is_heir,
	(SELECT count(*) FROM device WHERE device.account_id = account.id) AS devices,
	(SELECT count(*) FROM app WHERE app.account_id = account.id) AS apps
FROM account
WHERE (account.created_at, account.id) > (:after_created_at, :after_id)
	AND position(lower(:wanted) IN lower(concat_ws(E'\n', account.name, account.email))) > 0
ORDER BY account.created_at, account.id
LIMIT :row_limit
