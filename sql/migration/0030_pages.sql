-- Owners give the entries of their rotations names: three clocks of one app are told apart. No entry has one yet, so
-- no row breaks the new rule.
--
-- Earlier programs may run meanwhile: they neither show nor set names.

CREATE DOMAIN entry_name AS text CHECK (char_length(VALUE) BETWEEN 1 AND 64);
ALTER TABLE installation ADD COLUMN name entry_name;
COMMENT ON COLUMN installation.name IS 'what its owner calls it; NULL: as its app, or its ID';

-- An administrator who is alone reviews, as the first account does from now on: versions that nobody could approve waited
-- for ever. Where there is a second account, nothing changes: administrators choose reviewers.
UPDATE account
SET is_reviewer = true
WHERE is_administrator AND closed_at IS NULL
	AND NOT EXISTS (
		SELECT FROM account AS other WHERE other.id <> account.id AND other.closed_at IS NULL);
