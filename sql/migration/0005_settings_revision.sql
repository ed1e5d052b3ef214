-- Callers change settings on condition that nobody else has changed them since (If-Match).

ALTER TABLE device ADD COLUMN settings_revision int8 NOT NULL DEFAULT 1;
COMMENT ON COLUMN device.settings_revision IS
	'grows with every change of the settings that the API shows; the first half of its entity tag';
