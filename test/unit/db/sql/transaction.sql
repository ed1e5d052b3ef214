-- When its transaction began: the same for all that share a sync.
-- row: began timestamptz
-- effect: read
-- work: bounded
SELECT transaction_timestamp() AS began
