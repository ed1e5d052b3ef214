-- Takes a passkey away from its account. No row: the account has no such passkey.
-- params: account_id uuid, id uuid, address text
-- row: id uuid
-- effect: write
WITH removed AS (
	DELETE FROM passkey
	WHERE id = :id AND account_id = :account_id
	RETURNING id, account_id, name
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address)
	SELECT account.id, account.email, 'passkey.remove', removed.name, :address
	FROM removed
	JOIN account ON account.id = removed.account_id
)
SELECT id
FROM removed
