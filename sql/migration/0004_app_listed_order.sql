-- The list of apps is sorted by bytes, whatever the database's own collation is: an index in that
-- order gives its first part without reading all apps.

DROP INDEX app_listed;
CREATE INDEX app_listed ON app (name COLLATE "C", id) WHERE status = 'active';
