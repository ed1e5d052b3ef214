/* Passkeys (W3C Web Authentication, level 2): reads the browser's data, and checks it with
 * libfido2. Pure: no database.
 *
 *   registration (section 7.1)   passkey_read_client("webauthn.create")
 *                                  -> passkey_register()  on a worker thread
 *   sign-in (section 7.2)        passkey_read_client("webauthn.get")
 *                                  -> passkey_verify()    on a worker thread
 *
 * No attestation is requested: the make of an authenticator is private. */
#pragma once

#include "domain/person.h"
#include "web/site.h"

enum { PASSKEY_KEY_BYTES_MAX = 512 };

/* Checks the client data of a browser (section 5.8.1): type and site. Returns the challenge, in the
 * arena. json: decoded. Returns NULL, or the fault. */
const char *passkey_read_client(struct str json, const char *type, const struct site *site,
				struct arena *arena, struct str *ret_challenge);

/* Decodes base64url without padding, into the arena. Returns false if it is invalid. */
bool passkey_decode(struct str text, struct arena *arena, struct str *ret_bytes);

struct passkey_job {
	const char *host;	/* the site's, see site.h */
	struct str client_data; /* all three are decoded */
	struct str authenticator_data;
	struct str signature;  /* for passkey_verify() */
	struct str public_key; /* for passkey_verify(); as it was registered */
	int algorithm;	       /* of COSE (RFC 9053); result of passkey_register() */
	bool is_right;	       /* result: if false, the members below are invalid */
	int64_t sign_count;    /* result */
	struct str found_key;  /* result of passkey_register(), within key */
	uint8_t key[PASSKEY_KEY_BYTES_MAX];
	char credential_id[CREDENTIAL_ID_MAX + 1]; /* result of passkey_register(), base64url */
};

/* Finds the public key of a new passkey, and checks that its owner was verified. Touches only the
 * job, on a worker thread. Returns false: there is no further step. */
bool passkey_register(void *job);
/* Checks whether the owner of the public key has signed this, and was verified. As
 * passkey_register(). */
bool passkey_verify(void *job);
