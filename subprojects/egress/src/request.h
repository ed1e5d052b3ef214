/* A checked request of a client: the head {"fetch":{"id":N,"scope":"...","method":
 * "GET","url":"...","headers":{"Name":"value"},"ttl_s":N,"public":"...","account":"...",
 * "stays":false,"paced":false,"download":N}} and the body as blob. */
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
	REQUEST_DOWNLOAD_MAX = 128 << 20, /* bytes of a file */
};

struct request {
	int64_t id;
	char method[8];
	char *url; /* this and the host are libcurl's */
	char *host;
	struct curl_slist *headers;
	bool has_user_agent;
	struct bytes body;
	size_t bytes; /* of head and body: what it takes, roughly */
	int64_t ttl_s;
	size_t download; /* most bytes of a body that is passed on in parts; 0: not a download */
	bool stays;	 /* redirects are not followed */
	bool is_paced;	 /* the client limits its requests to each host: no share is used */
	/* Why only public addresses may be reached, whatever --allow says; NULL: --allow counts. */
	char *why_public;
	struct key scope;     /* requests of one scope share their answers */
	struct key account;   /* whose shares it uses; without an account, those of its scope */
	struct key downloads; /* the account's share of downloads */
	struct key key;	      /* requests with the same key have the same answer */
};

enum request_status {
	REQUEST_FINE,
	REQUEST_REFUSED, /* ret_words gives the reason; the request's id is set. Also if there is no
			    memory */
	REQUEST_BROKEN,	 /* not a frame that our clients send */
};

/* Copies the body. The caller must call request_finish() in each case. */
enum request_status request_read(struct str head, struct str body, struct request *ret_request,
				 char ret_words[static REQUEST_WORDS_MAX])
    __attribute__((warn_unused_result));

void request_finish(struct request *request);
