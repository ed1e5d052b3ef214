-- Devices as their panels need them: settings, and the newest push that was not in the background.
-- A row has a temporary picture only if that is newer than the push that the caller knows, and
-- differs from that of the row before: a picture for all panels is sent once, and the other rows
-- have repeats_picture. number is the index of the device's ID in the array, from 1. turned_at is
-- NULL also if it is in the future, because the clock was wrong: a push after that is newer.
-- params: ids uuid[], known_push_generations int8[]
-- row: number int8, device, sleep_setting, dim_setting, turn_count int8, turned_at timestamptz?, link_key_hash bytea,
--   is_disabled bool, has_connected bool,
--   push_generation int8?, push_installation_id text?, push_picture bytea?,
--   push_duration_s int4?, push_created_at timestamptz?, push_displayed_at timestamptz?,
--   is_push_held bool, is_push_waking bool,
--   repeats_picture bool, pinned_installation_id text?, night_installation_id text?,
--   night_brightness int2, alias text?, alias_key_hash bytea?, is_alias_open bool,
--   is_alias_guessable bool, second_key_hash bytea?, order_generation int8?, firmware_generation int8?,
--   leader_id uuid?, own_brightness bool, own_sleep bool
SELECT number, {device}, {sleep_setting}, {dim_setting}, turn_count, turned_at, link_key_hash, is_disabled,
	has_connected,
	push_generation, push_installation_id,
	CASE WHEN NOT repeats_picture THEN push_picture END AS push_picture,
	push_duration_s, push_created_at, push_displayed_at, is_push_held, is_push_waking, repeats_picture,
	pinned_installation_id, night_installation_id, night_brightness, alias, alias_key_hash, is_alias_open,
	is_alias_guessable, second_key_hash, order_generation, firmware_generation, leader_id, own_brightness, own_sleep
FROM (
	SELECT wanted.number, device.online_by, device.{device},
		device.{sleep_setting}, device.{dim_setting}, device.turn_count,
		CASE WHEN device.turned_at <= present_time() THEN device.turned_at END AS turned_at,
		device.link_key_hash,
		device.disabled_at IS NOT NULL AS is_disabled,
		device.connected_at IS NOT NULL AS has_connected, device.pinned_installation_id,
		device.night_installation_id, device.night_brightness, device.alias, device.alias_key_hash,
		CASE WHEN device.alias_is_open THEN is_only_account(device.account_id)
			ELSE device.alias_key_hash IS NULL AND NOT device.alias_is_guessable END AS is_alias_open,
		device.alias_is_guessable AS is_alias_guessable, device.second_key_hash,
		device.firmware_generation, device.leader_id, device.own_brightness, device.own_sleep,
		CASE WHEN is_order_due(device.ordered_at) THEN device.order_generation END AS order_generation,
		showing.push_generation,
		showing.installation_id AS push_installation_id, newer.push_picture,
		showing.duration_s AS push_duration_s, showing.created_at AS push_created_at,
		showing.displayed_at AS push_displayed_at,
		coalesce(showing.held_generation = showing.push_generation, false) AS is_push_held,
		coalesce(showing.waking_generation = showing.push_generation, false) AS is_push_waking,
		coalesce(newer.push_picture = lag(newer.push_picture) OVER (), false)
			AS repeats_picture
	FROM unnest(:ids, :known_push_generations) WITH ORDINALITY AS wanted (id, known, number)
	JOIN device ON device.id = wanted.id
	LEFT JOIN LATERAL (
		SELECT *
		FROM showing
		WHERE showing.device_id = device.id
		OFFSET 0 -- one look-up a device, whatever the planner thinks
	) AS showing ON true
	CROSS JOIN LATERAL (
		SELECT CASE WHEN showing.push_generation > wanted.known THEN showing.picture END
			AS push_picture
	) AS newer
) AS loaded -- the order of its rows stays
