/* Result of a request: an answer of a server, or a message that says why there is none. */
#pragma once

#include <sandboxed/bytes.h>

#include <stdbool.h>
#include <stdint.h>

struct reply {
	/* Members of JSON without braces: "status":200,"url":"...","headers":{...}, or "error".
	 * Empty: there was no memory. */
	struct bytes members;
	struct bytes body;
};

void reply_finish(struct reply *reply);

/* Makes the reply an error message, formatted as by printf(); invalid UTF-8 in it is replaced. */
__attribute__((format(printf, 2, 3))) void reply_set_error(struct reply *reply, const char *format,
							   ...);

/* Makes the reply an answer. headers are lines "name: value\r\n", those of the last answer only;
 * names become lower case, and values of the same name are joined; lines after the first 200 are
 * left out, and so are headers about the connection or the body's encoding. body moves into the
 * reply. If there is no memory, the reply is empty. */
void reply_set_answer(struct reply *reply, long status, const char *url,
		      const struct bytes *headers, struct bytes *body);

/* Returns how long the answer may be cached, in seconds; 0: not at all. ttl_s is the time that the
 * app has set, 0 for none. The rules are those of the community apps' library: if the app has set
 * none, Cache-Control counts, up to an hour, and for a GET at least 5 s. */
int64_t reply_lifetime_s(const char *method, int64_t ttl_s, long status,
			 const struct bytes *headers);
