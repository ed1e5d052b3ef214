-- The last update of all panels of an account; of a key for chosen devices, only these. No row: the account is gone.
-- work: grows with the devices of the update
-- params: account_id uuid, chosen_ids uuid[]
-- row: firmware_series
SELECT {firmware_series}
FROM (
	SELECT shown.state, shown.problem, shown.started_at, shown.ended_at, coalesce((
			SELECT json_agg(item)
			FROM json_array_elements(shown.devices::json) AS item
			WHERE cardinality(:chosen_ids) = 0 OR (item ->> 'deviceId')::uuid = ANY (:chosen_ids)
		)::text, '[]') AS devices
	FROM firmware_series_shown AS shown
	WHERE shown.account_id = :account_id
) AS of_account
