-- An account may claim 1,000 former addresses a day: each claim shows whether another device has the address.
--
-- No row breaks the new rule: counting begins now. Earlier programs may run meanwhile: they count no claims.

ALTER TABLE account
	ADD COLUMN address_claims int4 NOT NULL DEFAULT 0,
	ADD COLUMN address_claims_since timestamptz NOT NULL DEFAULT '-infinity',
	ADD CONSTRAINT account_address_claims CHECK (address_claims BETWEEN 0 AND 1000);
COMMENT ON COLUMN account.address_claims IS
	'former addresses that its imports have claimed, with or without success, in the day from address_claims_since';
