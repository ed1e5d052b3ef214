-- Every column of an item: its shape follows the table's.
-- params: id int8
-- row: id int8, name text, parent int8
-- effect: read
-- work: bounded
SELECT * FROM item WHERE id = :id
