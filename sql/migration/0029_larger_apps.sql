-- Apps that are imported may have 8 MiB, and their schemas 4 MiB.
--
-- All rows keep the wider rules. Earlier programs may run meanwhile: they import and store what fits the
-- narrower ones, and render what is larger as they do all others.

ALTER TABLE app_version
	DROP CONSTRAINT app_version_script_size,
	ADD CONSTRAINT app_version_script_size CHECK (octet_length(script_content) BETWEEN 1 AND 8388608);
ALTER TABLE app_schema
	DROP CONSTRAINT app_schema_size,
	ADD CONSTRAINT app_schema_size CHECK (octet_length(schema) <= 4194304);
