-- Whether an account may reach the addresses of --egress-allow: not if they are closed to all, or it is not marked.
-- stored_url: of its webhook with this ID, or if that is all zero, of its MQTT connection. No row: the account is gone.
-- params: account_id uuid, webhook_id uuid
-- row: is_local_closed bool, is_marked bool, stored_url text?
SELECT NOT site.apps_reach_local AS is_local_closed, account.reaches_local AS is_marked,
	CASE WHEN :webhook_id = '00000000-0000-0000-0000-000000000000'
		THEN (SELECT url FROM mqtt_connection WHERE account_id = account.id)
		ELSE (SELECT url FROM webhook WHERE webhook.id = :webhook_id AND webhook.account_id = account.id)
	END AS stored_url
FROM account
JOIN site ON site.is_it
WHERE account.id = :account_id
