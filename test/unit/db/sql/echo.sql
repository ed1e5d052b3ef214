-- Returns its parameter.
-- params: value int8
-- row: value int8
-- effect: read
SELECT :value AS value
