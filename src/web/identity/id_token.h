/* ID tokens of OpenID Connect (Core 1.0 section 2): reading and checking. Pure. */
#pragma once

#include "base/arena.h"
#include "issuer_keys.h"

enum { ID_TOKEN_MAX = 16 * 1024, ID_TOKEN_SUBJECT_MAX = 255 };

struct id_token {
	enum key_algorithm algorithm;
	struct str key_id; /* data is NULL: it names none */
	struct str signed_text, signature;
	struct str issuer, subject, nonce;
	struct str email; /* data is NULL unless the issuer has verified it */
	struct str name;
	bool is_for_us; /* the audience is the client, and no other party was authorized */
	int64_t ends_at_s, made_at_s;
	int64_t begins_at_s; /* 0: at once */
};

struct id_token_wanted {
	const char *issuer, *client_id;
	struct str nonce;
	int64_t now_s;
};

/* Reads a token. Returns NULL, or why it cannot be used: "is not a token", as one with two members
 * of a name that is read. Texts lie in the arena. */
const char *id_token_read(struct str text, const char *client_id, struct arena *arena,
			  struct id_token *ret);
/* Checks everything but the signature. Returns NULL, or what is wrong: "has expired". */
const char *id_token_check(const struct id_token *token, const struct id_token_wanted *wanted);
