-- The webhooks of an account, oldest first.
-- params: account_id uuid
-- row: webhook
-- list: created_at, id
SELECT {webhook}
FROM webhook
CROSS JOIN LATERAL (SELECT webhook_event_names(events) AS event_names) AS wanted
WHERE account_id = :account_id AND {after}
{order}
