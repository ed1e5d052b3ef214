-- Apps that have the same slug, where app_told() means none of them: account and ID of the first ten. No row: none.
-- params: slug text
-- row: owners text
-- work: grows with apps
SELECT string_agg(coalesce(account.email, 'no account') || ' (' || app.id || ')', ', ' ORDER BY app.id) AS owners
FROM (SELECT id, account_id FROM app WHERE slug = :slug AND NOT is_removed ORDER BY id LIMIT 10) AS app
LEFT JOIN account ON account.id = app.account_id
HAVING count(*) > 1
