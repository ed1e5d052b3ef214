-- Finds the kind and the email address of a valid one-time link. A link for the first account is
-- invalid once there is an account. A link is also invalid once its owner has removed the account,
-- or once its maker may make no links any more.
-- params: secret_hash bytea
-- row: link_entry
SELECT account_link.kind, coalesce(account.email, account_link.email) AS email,
	account_link.expires_at
FROM account_link
JOIN site ON site.is_it
LEFT JOIN account ON account.id = account_link.account_id
WHERE account_link.secret_hash = :secret_hash
	AND link_holds(account_link.kind, account_link.expires_at, account_link.is_operators, account_link.maker_id)
	AND account.closed_at IS NULL
	AND (account_link.kind <> 'first' OR site.account_count = 0)
