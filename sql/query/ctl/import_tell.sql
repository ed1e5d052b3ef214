-- Tells an import to who looks through what was done.
-- params: email text, action text
-- row: id int8
-- effect: write
-- work: bounded
INSERT INTO audit_entry (actor, action, target)
VALUES ('displayctl', :action, :email)
RETURNING id
