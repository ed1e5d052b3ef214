-- Makes the account of an import, all of it or nothing: account_import_apply() of sql/migration. columns:
-- account_line_columns of domain/account_line.h.
-- params: id uuid, session_id uuid, limit_s int4, columns text
-- row: is_busy bool, account text, devices int8, entries int8, apps int8, versions int8, keys int8, skipped int8,
--   failed_line int8, failed_kind text, failed_name text, rule text
-- effect: write
-- work: grows with the lines of an import
-- connection: own
SELECT is_busy, account, devices, entries, apps, versions, keys, skipped, failed_line, failed_kind, failed_name, rule
FROM account_import_apply(:id, :session_id, :limit_s, nullif(:columns, '')::jsonb)
