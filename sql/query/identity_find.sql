-- The account of an identity, and what the issuer calls it now. No row: no account that stays has it.
-- params: issuer text, subject text, label text
-- row: account_id uuid
UPDATE account_identity
SET label = :label, last_used_at = present_time()
FROM account
WHERE account_identity.issuer = :issuer AND account_identity.subject = :subject
	AND account.id = account_identity.account_id AND account.closed_at IS NULL
RETURNING account_identity.account_id
