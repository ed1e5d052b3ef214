-- Gives back a webhook whose message was not sent, as this worker ends: another worker may lease it
-- at once.
-- params: id uuid, lease uuid
UPDATE webhook
SET lease = NULL, leased_until = '-infinity', next_at = '-infinity'
WHERE id = :id AND lease = :lease
