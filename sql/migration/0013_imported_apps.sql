-- Apps that an account has not written itself: they were imported from a checkout of the community's.

ALTER TABLE app
	ADD COLUMN author text,
	ADD COLUMN imported_as text,
	ADD CONSTRAINT app_author_length CHECK (char_length(author) BETWEEN 1 AND 100),
	ADD CONSTRAINT app_imported_as_length CHECK (char_length(imported_as) BETWEEN 1 AND 100);
COMMENT ON COLUMN app.author IS 'who wrote it, as its manifest says; NULL: the account that owns it';
COMMENT ON COLUMN app.imported_as IS
	'its ID in the checkout; only an import of the same changes the app. NULL: not imported';
