-- Sets a device asleep or awake, or dims it or ends its dimming, until a time that follows from its plan. No row: the
-- device is gone, or its settings have another revision. until_us: microseconds since 1970; 0: no end.
-- params: id uuid, settings_revision int8, is_sleep bool, is_set bool, is_on bool, until_us int8
-- row: generation int8
UPDATE device
SET is_sleep_set = CASE WHEN :is_sleep THEN :is_set ELSE is_sleep_set END,
	is_set_asleep = CASE WHEN :is_sleep THEN :is_on ELSE is_set_asleep END,
	sleep_set_until = CASE WHEN :is_sleep THEN ends.at ELSE sleep_set_until END,
	is_dim_set = CASE WHEN :is_sleep THEN is_dim_set ELSE :is_set END,
	is_set_dimmed = CASE WHEN :is_sleep THEN is_set_dimmed ELSE :is_on END,
	dim_set_until = CASE WHEN :is_sleep THEN dim_set_until ELSE ends.at END,
	generation = generation + 1
FROM (SELECT CASE WHEN :until_us > 0 THEN to_timestamp(:until_us / 1000000.0) END AS at) AS ends
WHERE id = :id AND settings_revision = :settings_revision
RETURNING generation
