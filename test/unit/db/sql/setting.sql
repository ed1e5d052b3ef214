-- A setting of the session.
-- params: name text
-- row: value text
-- effect: read
-- work: bounded
SELECT current_setting(:name) AS value
