-- Items with names that begin so.
-- params: prefix text
-- row: count int8
-- effect: read
-- work: bounded
SELECT count(*) AS count FROM item WHERE starts_with(name, :prefix)
