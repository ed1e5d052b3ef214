-- The database knows when it was backed up, so that metrics and status show the age of the last backup. No row
-- changes: until the next backup there was none. Earlier programs may run meanwhile; their backups are not noted.

ALTER TABLE site ADD COLUMN backed_up_at timestamptz;
COMMENT ON COLUMN site.backed_up_at IS 'when displayctl backup was last done; NULL: never, as far as is known';
