/* A request as a client has sent it, checked: the head {"fetch":{"id":N,"scope":"...","method":
 * "GET","url":"...","headers":{"Name":"value"},"ttl_s":N,"public":"...","account":"...",
 * "stays":false,"paced":false}} and the body as blob. */
#pragma once

#include "cache.h"

#include <curl/curl.h>
#include <stdbool.h>

enum {
	REQUEST_HEAD_MAX = 256 << 10,
	REQUEST_BODY_MAX = 1 << 20,
	REQUEST_URL_MAX = 8 << 10,
	REQUEST_HEADERS_MAX = 64,
	REQUEST_WORDS_MAX = 256,
};

struct request {
	int64_t id;
	char method[8];
	char *url;
	char *host;
	struct curl_slist *headers;
	bool has_user_agent;
	struct bytes body;
	int64_t ttl_s;
	bool stays;    /* redirects are not followed */
	bool is_paced; /* the client limits what goes to a host: it takes nothing from its share */
	/* Why it reaches public addresses only, whatever --allow says; NULL: it does not. */
	char *why_public;
	struct key scope;   /* what it shares its answers with */
	struct key account; /* whose shares it uses; without an account, those of its scope */
	struct key key;	    /* what has the same answer */
};

enum request_status {
	REQUEST_FINE,
	REQUEST_REFUSED, /* ret_words says why; its id is set */
	REQUEST_BROKEN,	 /* it is no frame that a client of ours sends */
};

/* Copies the body. The request is the caller's to finish in each case. */
enum request_status request_read(struct str head, struct str body, struct request *ret_request,
				 char ret_words[static REQUEST_WORDS_MAX])
    __attribute__((warn_unused_result));

void request_finish(struct request *request);
