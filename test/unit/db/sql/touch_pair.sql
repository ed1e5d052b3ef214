-- Locks two items, one after the other.
-- params: first int8, second int8
-- row: done bool
-- effect: write
-- work: bounded
SELECT touch_pair(:first, :second) AS done
