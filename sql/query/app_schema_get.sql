-- A large schema of a version, as app_source found it. No row: it was made again, or is gone.
-- params: version_id uuid, locale text, engine text
-- row: schema text?
SELECT schema
FROM app_schema
WHERE version_id = :version_id AND locale = :locale AND engine = :engine
