-- Begins an import, unless the limit of imports under way is reached.
-- params: id uuid, email text, keeps_public bool, skips_missing bool, life_s int4, import_limit int4
-- row: id uuid
INSERT INTO account_import (id, email, keeps_public, skips_missing, ends_at)
SELECT :id, :email, :keeps_public, :skips_missing, present_time() + :life_s * interval '1 second'
WHERE (
	SELECT count(*)
	FROM (
		SELECT
		FROM account_import
		WHERE ends_at > present_time() AND result IS NULL
		ORDER BY ends_at DESC
		LIMIT :import_limit) AS under_way) < :import_limit
RETURNING id
