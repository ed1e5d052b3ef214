-- Adds or changes an item, after so many seconds; below 0: once let_go has a row. When its transaction began.
-- params: id int8, name text, parent int8, seconds float8
-- row: began timestamptz
-- effect: write
-- work: bounded
-- commit: shared
-- refuse: item_name_unique -> name_taken, item_parent_fkey -> no_parent
INSERT INTO item (id, name, parent)
SELECT :id, :name, :parent
FROM hold(:seconds)
ON CONFLICT (id) DO UPDATE
SET name = excluded.name,
	parent = excluded.parent
RETURNING transaction_timestamp() AS began
