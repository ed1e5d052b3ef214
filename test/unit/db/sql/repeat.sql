-- As large an answer as one likes.
-- params: piece text, count int4
-- row: text text
-- effect: read
-- work: bounded
SELECT repeat(:piece, :count) AS text
