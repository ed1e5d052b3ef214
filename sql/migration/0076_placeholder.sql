-- Keeps the number of a migration that another branch has.
SELECT;
