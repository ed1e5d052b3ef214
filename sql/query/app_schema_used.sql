-- Counts that an account has used the form of a version, at most once a minute.
-- params: version_id uuid, locale text, account_id uuid
UPDATE app_schema
SET use_count = least(use_count, 1000000) + 1, used_at = present_time(), used_by = :account_id
WHERE version_id = :version_id AND locale = :locale
	AND used_at < present_time() - interval '1 minute'
