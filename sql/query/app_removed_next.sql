-- Finds an account, or nobody, with apps that the operator has removed and that still exist. Apps
-- of an account that is being removed are removed with it.
-- row: account_id uuid?
-- effect: read
-- work: grows with the apps that are being removed
SELECT app.account_id
FROM app
LEFT JOIN account ON account.id = app.account_id
WHERE app.is_removed AND account.closed_at IS NULL
LIMIT 1
