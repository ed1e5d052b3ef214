-- Adds an item under another, which is looked for only when the transaction is committed.
-- params: id int8, name text, parent int8
-- row: id int8
-- effect: write
-- work: bounded
-- refuse: item_parent_fkey -> no_parent
INSERT INTO item (id, name, parent) VALUES (:id, :name, :parent) RETURNING id
