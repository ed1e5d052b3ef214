/* Passkeys (W3C Web Authentication, level 2): what browsers send of them is read here, and checked
 * by libfido2. Pure: nothing is asked of the database.
 *
 *   registration (section 7.1)   passkey_read_client("webauthn.create")
 *                                  -> passkey_register()  on a worker thread
 *   sign-in (section 7.2)        passkey_read_client("webauthn.get")
 *                                  -> passkey_verify()    on a worker thread
 *
 * No attestation is asked for: which make an authenticator is of is nobody's business. */
#pragma once

#include "domain/person.h"
#include "web/site.h"

enum { PASSKEY_KEY_BYTES_MAX = 512 };

/* The client data of a browser (section 5.8.1): that it is of this type and for this site, and its
 * challenge, in the arena. json: decoded. NULL, or what is wrong with it. */
const char *passkey_read_client(struct str json, const char *type, const struct site *site,
				struct arena *arena, struct str *ret_challenge);

/* Decodes base64url without padding, into the arena. False: it is none. */
bool passkey_decode(struct str text, struct arena *arena, struct str *ret_bytes);

struct passkey_job {
	const char *host;	/* the site's, see site.h */
	struct str client_data; /* all three decoded */
	struct str authenticator_data;
	struct str signature;  /* verify */
	struct str public_key; /* verify; as it was registered */
	int algorithm;	       /* of COSE (RFC 9053). register: found */
	bool is_right;	       /* found: else nothing below holds */
	int64_t sign_count;    /* found */
	struct str found_key;  /* register: found, in the key below */
	uint8_t key[PASSKEY_KEY_BYTES_MAX];
	char credential_id[CREDENTIAL_ID_MAX + 1]; /* register: found, base64url */
};

/* The public key of a new passkey, whose owner was verified when it was made. Works on the job
 * alone; on a worker thread. false: there is no further step. */
bool passkey_register(void *job);
/* Whether the holder of the public key has signed this, and was verified. Likewise. */
bool passkey_verify(void *job);
