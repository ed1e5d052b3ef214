-- What a one-time link is for. One for the first account is worth nothing once there is one, nor is
-- one of an account that its owner has removed, or one whose maker may make none any more.
-- params: secret_hash bytea
-- row: link_entry
-- effect: read
-- work: bounded
SELECT account_link.kind, coalesce(account.email, account_link.email) AS email,
	account_link.expires_at
FROM account_link
JOIN site ON site.is_it
LEFT JOIN account ON account.id = account_link.account_id
WHERE account_link.secret_hash = :secret_hash
	AND link_holds(account_link.kind, account_link.expires_at, account_link.is_operators, account_link.maker_id)
	AND account.closed_at IS NULL
	AND (account_link.kind <> 'first' OR site.account_count = 0)
