-- A webhook of an account. No row: the account has none with this ID.
-- params: id uuid, account_id uuid
-- row: webhook
SELECT {webhook}
FROM webhook
CROSS JOIN LATERAL (SELECT webhook_event_names(events) AS event_names) AS wanted
WHERE id = :id AND account_id = :account_id
