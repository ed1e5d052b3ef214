-- People remove their accounts: what others have installed stays, with another owner or disabled.

ALTER TABLE account ADD COLUMN closed_at timestamptz;
CREATE INDEX account_closed ON account (closed_at) WHERE closed_at IS NOT NULL;
COMMENT ON COLUMN account.closed_at IS
	'its owner has removed it: nobody can sign in, and what it owns goes in portions';

ALTER TABLE site ADD COLUMN heir_id uuid REFERENCES account ON DELETE SET NULL;
COMMENT ON COLUMN site.heir_id IS
	'the account that gets the public apps which others have installed when their owner goes';

ALTER TABLE app
	ALTER COLUMN account_id DROP NOT NULL,
	ADD CONSTRAINT app_owner CHECK (account_id IS NOT NULL OR status = 'disabled');
