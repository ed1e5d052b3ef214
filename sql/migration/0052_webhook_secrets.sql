-- A webhook's secret that was replaced signs messages for another day, beside the new one, so that receivers can be
-- changed meanwhile.
--
-- Older instances may run meanwhile: they sign with the new secret only, and a secret that they replace ends at once.
-- No row breaks a rule.

ALTER TABLE webhook
	ADD COLUMN previous_secret bytea,
	ADD COLUMN previous_until timestamptz,
	ADD CONSTRAINT webhook_previous_ends CHECK ((previous_secret IS NULL) = (previous_until IS NULL));
COMMENT ON COLUMN webhook.previous_secret IS
	'the secret before this one, encrypted likewise; signs beside it until previous_until; NULL: none';
