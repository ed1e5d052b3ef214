-- When its transaction began.
-- row: began timestamptz
-- effect: write
-- work: bounded
SELECT transaction_timestamp() AS began
