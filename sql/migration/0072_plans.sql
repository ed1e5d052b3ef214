-- Plans of devices: windows of the week, and what holds in them.
--
-- No row has one, so what panels show stays. Older instances may run meanwhile: their panels follow sleep and dimming alone.
CREATE DOMAIN device_plan AS text CONSTRAINT device_plan_length CHECK (octet_length(VALUE) <= 16384);
ALTER TABLE device ADD COLUMN plan_json device_plan NOT NULL DEFAULT '';
COMMENT ON COLUMN device.plan_json IS 'windows of its plan, as the API shows them; empty: none besides sleep and dimming';

-- Another plan counts at once: what was set by hand ends. A place moves sunrise and sunset.
CREATE FUNCTION device_orders_unset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.is_sleep_set := false;
	NEW.is_dim_set := false;
	RETURN NEW;
END
$$;
CREATE TRIGGER device_orders_unset
	BEFORE UPDATE OF plan_json, place_json ON device
	FOR EACH ROW WHEN ((OLD.is_sleep_set OR OLD.is_dim_set) AND (OLD.plan_json IS DISTINCT FROM NEW.plan_json
		OR (NEW.plan_json LIKE '%"sun%' AND OLD.place_json IS DISTINCT FROM NEW.place_json)))
	EXECUTE FUNCTION device_orders_unset();
