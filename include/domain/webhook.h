/* Webhooks: URLs to which displayd sends events of an account's devices. Each message is signed
 * with the webhook's secret, as defined by Standard Webhooks. */
#pragma once

#include "domain/secret_settings.h"
#include "domain/webhook_records.h"

enum {
	WEBHOOK_URL_BYTES_MAX = 2048,
	WEBHOOK_SECRET_BYTES = 32,
	WEBHOOK_SECRET_LENGTH = 50,    /* "whsec_" and 44 characters of base64 */
	WEBHOOK_SIGNATURE_LENGTH = 47, /* "v1," and 44 characters of base64 */
	WEBHOOK_SIGNATURES_LENGTH = 2 * WEBHOOK_SIGNATURE_LENGTH + 1,
};

/* Returns the host of a URL that a body's check accepted, without brackets. */
struct str webhook_url_host(struct str url);

/* Makes a new secret, and its encrypted form for the database. */
void webhook_secret_new(const struct settings_key *key, struct id webhook_id,
			char ret_text[static WEBHOOK_SECRET_LENGTH + 1],
			struct buffer *ret_encrypted);

/* Signs a message. Returns false if the secret was encrypted with another key. */
__attribute__((warn_unused_result)) bool
webhook_sign(const struct settings_key *key, struct id webhook_id, struct str encrypted,
	     struct str message_id, int64_t wall_s, struct str body, struct arena *arena,
	     char ret_signature[static WEBHOOK_SIGNATURE_LENGTH + 1]);
