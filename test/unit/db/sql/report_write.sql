-- Sends a message with an SQLSTATE to the client, in a transaction whose commit takes so long; below 0: until let_go().
-- params: sqlstate text, seconds float8
-- row: done bool
-- effect: write
-- work: bounded
WITH held AS (
	INSERT INTO held (seconds)
	VALUES (:seconds)
)
SELECT report(:sqlstate) AS done
