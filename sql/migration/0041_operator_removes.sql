-- An account that the operator of the machine removes goes with all its apps; of one that its owner removes, public
-- apps that others have installed stay. The server removes both in the background.
--
-- No row changes: accounts that are being removed were closed by their owners. Earlier programs may run meanwhile; one
-- that takes up an account which the operator removed keeps such apps.

ALTER TABLE account ADD COLUMN goes_with_apps boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN account.goes_with_apps IS
	'Whether apps that others have installed go, too, when the account is removed.';
