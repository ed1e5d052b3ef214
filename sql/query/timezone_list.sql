-- The names of time zones that a device can have, as a JSON array, without those that are only other spellings for
-- tools.
-- row: timezone_names
-- effect: read
-- work: bounded
SELECT coalesce(json_agg(name ORDER BY name), '[]')::text AS names
FROM pg_timezone_names
WHERE name ~ '^[A-Z][A-Za-z_]+/[A-Za-z0-9_/+-]+$' OR name = 'UTC'
