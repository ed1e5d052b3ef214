-- Ends what an API key of an account has set up and may not have any more, or makes it the owner's if the key keeps it.
-- A statement of its own after the one that revoked or limited the key, since it must see what was committed until
-- then. If it is never sent, key_end_next does the same. address and session_id are for the audit log.
-- params: id uuid, address text?, session_id uuid
-- row: ended int8
-- effect: write
SELECT key_set_up_end(:id, :address, :session_id) AS ended
