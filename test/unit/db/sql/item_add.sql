-- Adds an item.
-- params: id int8, name text
-- row: id int8
-- effect: write
-- work: bounded
-- refuse: item_name_unique -> name_taken, item_name_length -> invalid_name
-- refuse: item_parent_fkey -> no_parent
INSERT INTO item (id, name) VALUES (:id, :name) RETURNING id
