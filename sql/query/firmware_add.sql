-- Adds an image of panels' firmware. A row without id: none was added; is_known: the board has an image of this
-- version; else there are 32 images, or another one was added at the same moment. No row: the actor is no administrator
-- any more.
-- params: id uuid, board text, version text, chip text, project text, sha256 text, content bytea, by_operator bool,
--   actor_id uuid, address text, session_id uuid
-- row: id uuid?, is_known bool, created_at timestamptz?
WITH maker AS (
	SELECT id
	FROM account
	WHERE id = :actor_id AND is_administrator AND closed_at IS NULL
	FOR SHARE
), allowed AS (
	SELECT :by_operator::bool OR EXISTS (SELECT FROM maker) AS is_allowed
), free AS (
	SELECT min(slot)::int2 AS slot
	FROM generate_series(1, 32) AS slot
	WHERE NOT EXISTS (SELECT FROM firmware_image WHERE firmware_image.slot = slot.slot)
), added AS (
	INSERT INTO firmware_image (id, slot, board, version, chip, project, sha256, size_bytes, content)
	SELECT :id, free.slot, :board, :version, :chip, :project, :sha256, octet_length(:content), :content
	FROM free
	CROSS JOIN allowed
	WHERE free.slot IS NOT NULL AND allowed.is_allowed
	ON CONFLICT DO NOTHING
	RETURNING id, board, version, created_at
), audited AS (
	INSERT INTO audit_entry (account_id, actor, action, target, address, session_id)
	SELECT account.id, coalesce(account.email, 'displayctl'), 'firmware.add', added.board || ' ' || added.version,
		:address, :session_id
	FROM added
	LEFT JOIN account ON account.id = :actor_id
)
SELECT added.id, EXISTS (SELECT FROM firmware_image WHERE board = :board AND version = :version) AS is_known,
	added.created_at
FROM allowed
LEFT JOIN added ON true
WHERE allowed.is_allowed
