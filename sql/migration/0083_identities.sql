-- Identities at an issuer of OpenID Connect, by which accounts sign in. There are none so far.
--
-- Older instances that run meanwhile do not know them.
CREATE TABLE account_identity (
	id uuid PRIMARY KEY,
	account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
	issuer text NOT NULL,
	subject text NOT NULL,
	label text NOT NULL,
	created_at timestamptz NOT NULL DEFAULT present_time(),
	last_used_at timestamptz,
	CONSTRAINT account_identity_issuer_length CHECK (char_length(issuer) <= 300),
	CONSTRAINT account_identity_subject_length CHECK (octet_length(subject) BETWEEN 1 AND 255),
	CONSTRAINT account_identity_label_length CHECK (char_length(label) BETWEEN 1 AND 254),
	CONSTRAINT account_identity_unique UNIQUE (issuer, subject),
	CONSTRAINT account_identity_one UNIQUE (account_id, issuer)
);
COMMENT ON COLUMN account_identity.issuer IS 'its URL, compared byte by byte';
COMMENT ON COLUMN account_identity.subject IS 'who it is at the issuer, who gives it to nobody else';
COMMENT ON COLUMN account_identity.label IS 'for its owner: the e-mail address or name, as the issuer said last';

-- Whether an account still has an identity. Volatile: a statement that has waited for the account's row sees what was
-- committed meanwhile.
CREATE FUNCTION identity_holds(issuer_url text, subject_id text, owner_id uuid) RETURNS boolean LANGUAGE sql VOLATILE AS $$
	SELECT EXISTS (
		SELECT
		FROM account_identity
		WHERE issuer = issuer_url AND subject = subject_id AND account_identity.account_id = owner_id)
$$;
