-- Writes into the audit log what the operator has changed, if the statement that changed it did not.
-- params: action text, target text, session_id uuid
-- row: noted int8
INSERT INTO audit_entry (actor, action, target, session_id)
VALUES ('displayctl', :action, :target, :session_id)
RETURNING id AS noted
