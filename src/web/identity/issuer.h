/* The issuer of OpenID Connect by which people can sign in: where its endpoints are (Discovery 1.0)
 * and its keys.
 *
 * A worker asks for them by the egress when they are first needed, keeps them for an hour, and asks
 * again for the keys if a token names an unknown one. Nobody asks more often than once in
 * ISSUER_AGAIN_S, whatever comes of it, so a dead issuer costs nothing and an invented key ID
 * little. Sign-ins that come meanwhile wait for the same answer. */
#pragma once

#include "base/list.h"
#include "issuer_keys.h"
#include "render/outbound.h"
#include "web/web.h"

struct issuer;

enum { ISSUER_URL_BYTES = 1000, ISSUER_KEPT_S = 3600, ISSUER_AGAIN_S = 10 };

enum issuer_part { ISSUER_PLACES, ISSUER_KEYS, ISSUER_NEW_KEYS };

struct issuer_places {
	char authorization[ISSUER_URL_BYTES];
	char token[ISSUER_URL_BYTES];
	char keys[ISSUER_URL_BYTES];
	bool takes_secret_in_body; /* the client's secret; else in Authorization */
};

struct issuer_wait {
	struct list node; /* private */
	/* Called once, later, from the loop. */
	void (*done)(struct issuer_wait *wait);
};

struct issuer *issuer_create(struct outbound *outbound, const struct web_issuer *settings);
/* NULL: does nothing. */
void issuer_destroy(struct issuer *issuer);

const struct web_issuer *issuer_settings(const struct issuer *issuer);
struct outbound *issuer_outbound(const struct issuer *issuer);

/* Asks for a part. Returns true if it is there or cannot be asked for now: then done() is not
 * called. */
__attribute__((warn_unused_result)) bool issuer_has(struct issuer *issuer, enum issuer_part part,
						    struct issuer_wait *wait);

/* NULL: they are not known, and issuer_problem() has the reason. */
const struct issuer_places *issuer_places(const struct issuer *issuer);
const struct issuer_keys *issuer_known_keys(const struct issuer *issuer);
/* Returns why the last request failed; empty: it did not. */
const char *issuer_problem(const struct issuer *issuer);
