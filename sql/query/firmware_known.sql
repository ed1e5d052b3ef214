-- Hash of the image that the server has of a version for a board. No row: it has none.
-- params: board text, version text
-- row: sha256 text
SELECT sha256
FROM firmware_image
WHERE board = :board AND version = :version
