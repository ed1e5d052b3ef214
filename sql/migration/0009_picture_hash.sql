-- Pages name a picture by its hash: a browser keeps it for ever, and asks once for each.

ALTER TABLE installation ADD COLUMN picture_hash bytea
	GENERATED ALWAYS AS (substring(sha256(picture) FOR 16)) STORED;
ALTER TABLE showing ADD COLUMN picture_hash bytea
	GENERATED ALWAYS AS (substring(sha256(picture) FOR 16)) STORED;
COMMENT ON COLUMN installation.picture_hash IS 'the first 16 bytes of its SHA-256';
COMMENT ON COLUMN showing.picture_hash IS 'the first 16 bytes of its SHA-256';
