/* Webhooks: URLs to which displayd sends events of an account's devices. Each message is signed
 * with the webhook's secret, as defined by Standard Webhooks. */
#pragma once

#include "domain/secret_settings.h"
#include "record/record.h"

enum {
	WEBHOOK_URL_BYTES_MAX = 2048,
	WEBHOOK_SECRET_BYTES = 32,
	WEBHOOK_SECRET_LENGTH = 50,    /* "whsec_" and 44 characters of base64 */
	WEBHOOK_SIGNATURE_LENGTH = 47, /* "v1," and 44 characters of base64 */
	WEBHOOK_SIGNATURES_LENGTH = 2 * WEBHOOK_SIGNATURE_LENGTH + 1,
};

/* Webhook, as its owner sees it. */
struct webhook {
	struct id id;
	struct str url;
	struct str events; /* JSON */
	bool is_enabled;
	int64_t created_at_us;
	int64_t last_status;	    /* 0: there was no answer, or nothing was sent */
	struct str last_problem;    /* data is NULL: none */
	int64_t last_at_us;	    /* 0: nothing was sent */
	int64_t failing_since_us;   /* 0: not failing */
	int64_t switched_off_at_us; /* after three days of failures or an answer 410; 0: not
				       switched off */
	struct str secret;	    /* only in new_webhook_record */
};

extern const struct record webhook_record;
/* Members of struct webhook, and the secret, which is shown once. */
extern const struct record new_webhook_record;

/* Body that makes or changes a webhook. */
struct webhook_body {
	struct str url; /* data is NULL: it was left out */
	const struct json_value *event_list;
	bool is_enabled;
	bool has_enabled; /* after the check */
	int64_t events;	  /* bits, after the check; 0: left out */
};

extern const struct record webhook_creation_record;
extern const struct record webhook_update_record;

/* Returns the host of a URL that a body's check accepted, without brackets. */
struct str webhook_url_host(struct str url);

/* Outcome of a test. */
struct webhook_outcome {
	int64_t status; /* 0: there was no answer */
	struct str problem;
	int64_t took_ms;
};

extern const struct record webhook_outcome_record;

/* Makes a new secret, and its encrypted form for the database. */
void webhook_secret_new(const struct settings_key *key, struct id webhook_id,
			char ret_text[static WEBHOOK_SECRET_LENGTH + 1],
			struct buffer *ret_encrypted);

/* Signs a message. Returns false if the secret was encrypted with another key. */
__attribute__((warn_unused_result)) bool
webhook_sign(const struct settings_key *key, struct id webhook_id, struct str encrypted,
	     struct str message_id, int64_t wall_s, struct str body, struct arena *arena,
	     char ret_signature[static WEBHOOK_SIGNATURE_LENGTH + 1]);
