-- Ends an import. No row: there is no such import.
-- params: id uuid
-- row: id uuid
UPDATE account_import
SET ends_at = '-infinity'
WHERE id = :id AND ends_at > present_time()
RETURNING id
