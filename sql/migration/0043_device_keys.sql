-- The key of a device's URLs may open /v0 for that device, where its owner allows it.
--
-- No row changes: no device allows it yet. Earlier programs may run meanwhile: to them such a key opens nothing.

ALTER TABLE device ADD COLUMN allows_own_key boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN device.allows_own_key IS
	'the key of its URLs is taken by /v0, too: to push to it, and to list and remove its entries';
