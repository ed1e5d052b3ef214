-- Gives an item a name, in a group commit.
-- params: id int8, name text
-- row: name text
-- effect: write
-- work: bounded
-- commit: shared
-- refuse: item_name_unique -> name_taken
UPDATE item SET name = :name WHERE id = :id RETURNING name
