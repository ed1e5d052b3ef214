/* Result of a request: an answer of a server, or words that say why there is none. */
#pragma once

#include <sandboxed/bytes.h>

#include <stdbool.h>
#include <stdint.h>

struct reply {
	/* Members of JSON without braces: "status":200,"url":"...","headers":{...}, or "error". */
	struct bytes members;
	struct bytes body;
};

void reply_finish(struct reply *reply);

/* The reply is words, by printf(); what is no UTF-8 in them is replaced. */
__attribute__((format(printf, 2, 3))) void reply_set_error(struct reply *reply, const char *format,
							   ...);

/* The reply is an answer. headers are lines "name: value\r\n", those of the last answer only; names
 * become small, and values of the same name one; those after the first 200 are left out. What was
 * true of the connection, or of the body before it was unpacked, is left out. body moves into the
 * reply. */
void reply_set_answer(struct reply *reply, long status, const char *url,
		      const struct bytes *headers, struct bytes *body);

/* Returns how long the answer may be kept, in seconds; 0: not at all. ttl_s is the app's wish, 0
 * for none. The rules are those of the community apps' library: without a wish Cache-Control
 * counts, up to an hour, and for a GET at least 5 s. */
int64_t reply_lifetime_s(const char *method, int64_t ttl_s, long status,
			 const struct bytes *headers);
