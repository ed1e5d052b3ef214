-- A part of the webhooks of an account, oldest first: at most so many after a list position.
-- params: account_id uuid, after_created_at timestamptz, after_id uuid, row_limit int8
-- row: webhook
-- effect: read
-- work: bounded
SELECT {webhook}
FROM webhook
CROSS JOIN LATERAL (SELECT webhook_event_names(events) AS event_names) AS wanted
WHERE account_id = :account_id AND (created_at, id) > (:after_created_at, :after_id)
ORDER BY created_at, id
LIMIT :row_limit
