-- When its transaction began.
-- row: began timestamptz
-- effect: write
SELECT transaction_timestamp() AS began
