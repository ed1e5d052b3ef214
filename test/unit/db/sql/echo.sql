-- Returns its parameter.
-- params: value int8
-- row: value int8
-- effect: read
-- work: bounded
SELECT :value AS value
