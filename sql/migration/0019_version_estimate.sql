-- Most apps have a few versions, some have thousands. Where PostgreSQL expects the usual few, it reads all
-- of an app's versions and sorts them: 10 ms for 10,000 of them, while others wait, to find that the list
-- is long. Where it expects many, it reads the newest ones in the order of the index, however many there are.
ALTER TABLE app_version ALTER COLUMN app_id SET (n_distinct = -0.001);
ANALYZE app_version;
