-- A setting of the session.
-- params: name text
-- row: value text
-- effect: read
SELECT current_setting(:name) AS value
