-- Chooses the collection into which a checkout is imported, and makes it where there is none (see
-- app_collection_chosen).
-- params: account_id uuid, name text, is_given bool, source text, origins text[], authors text[],
--   is_dry bool
-- row: id uuid?, name text?
-- effect: write
-- work: grows with apps
SELECT id, name
FROM app_collection_chosen(:account_id, :name, :is_given, :source, :origins, :authors, :is_dry)
