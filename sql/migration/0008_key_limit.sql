-- An account that had more keys than the limit when the limit came could not change its row any more,
-- not even to sign in: a CHECK holds for every update, also where it was added as NOT VALID. As many
-- keys as it has are its limit.

ALTER TABLE account ADD COLUMN key_limit int4 NOT NULL DEFAULT 1000;
COMMENT ON COLUMN account.key_limit IS
	'API keys that it may have; more than others where it had more before there was a limit';
ALTER TABLE account DROP CONSTRAINT account_key_limit;
UPDATE account SET key_limit = key_count WHERE key_count > 1000;
ALTER TABLE account
	ADD CONSTRAINT account_key_limit CHECK (key_count BETWEEN 0 AND key_limit);
