-- Own points of the curve by which brightness fits a panel.
--
-- No row has points, so no row breaks the new rule; those with a board follow its curve from now on. Older instances may
-- run meanwhile: their panels are sent the number unchanged.
CREATE DOMAIN brightness_points AS text
	CONSTRAINT brightness_points_form CHECK (VALUE ~ '^([0-9]{1,3}(,[0-9]{1,3}){4})?$');
ALTER TABLE device ADD COLUMN brightness_curve brightness_points NOT NULL DEFAULT '';
COMMENT ON COLUMN device.brightness_curve IS
	'per cent that the panel is sent at 20, 40, 60, 80 and 100, with commas; empty: those of its board';
