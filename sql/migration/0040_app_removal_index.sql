-- Finds the apps that the operator has removed, also those of nobody: they are removed in portions, in the background.
--
-- No row changes. Earlier programs may run meanwhile: they leave such apps, which nobody sees, to those that know them.

CREATE INDEX app_removed ON app (account_id) WHERE is_removed;
COMMENT ON COLUMN app.is_removed IS
	'its account is being removed, or the operator has removed it: nobody sees it any more';
