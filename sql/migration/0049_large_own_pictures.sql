-- Pictures that apps of a collection bring along may have 1 MiB: many are magnified for a web page. They are kept until
-- a worker has made a picture of at most 60,000 bytes of them, so a collection takes no more room for long. Imports come
-- from the operator alone. Earlier programs may run meanwhile, but refuse to decode larger files.

ALTER TABLE app_own_picture
	DROP CONSTRAINT app_own_picture_source_size,
	ADD CONSTRAINT app_own_picture_source_size CHECK (length(source) BETWEEN 1 AND 1048576);
