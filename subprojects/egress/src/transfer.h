/* Sends one request, by libcurl: the address of each connection is checked when it is opened, and
 * the answer is bounded. Each request that it makes, those of redirects and retries included, is
 * taken from the account's shares, as are the bytes sent and received. */
#pragma once

#include "reply.h"
#include "request.h"
#include "shares.h"

#include <text/reach.h>

enum {
	TRANSFER_TIMEOUT_MS = 5000, /* redirects included */
	TRANSFER_BODY_MAX = 2 << 20,
	TRANSFER_HEADERS_MAX = 64 << 10,	/* of one answer */
	TRANSFER_HEADERS_TOTAL_MAX = 256 << 10, /* of redirects and hints as well */
	TRANSFER_REDIRECTS_MAX = 5,
	TRANSFER_PAID_MAX = 8,
};

/* Objects that all transfers of a process share. */
struct transfer_tools {
	CURLM *multi;
	struct shares *shares;
	const struct network_list *allowed;
	const char *certificates; /* a file; NULL: the system's */
};

struct transfer {
	const struct request *request;
	const struct transfer_tools *tools;
	CURL *easy;
	struct bytes headers; /* of the last answer */
	struct bytes body;
	size_t headers_total; /* of the answers before it as well */
	bool is_too_large;
	bool is_new;	    /* until libcurl has had a turn with it */
	bool is_looking_up; /* a name */
	int refused_port;   /* of another protocol, where it was led to; or 0 */
	char refused[64];   /* the address that it was not let to; or empty */
	const char *why_refused;
	/* Payments from the account's share of hosts for the next request: for its name, and for
	 * the addresses that were tried. */
	bool has_paid_name;
	struct address paid[TRANSFER_PAID_MAX];
	unsigned paid_count;
	enum share_result share; /* what was refused; else SHARE_TAKEN */
	int64_t moved;		 /* bytes of bodies, of the request under way */
	char why[CURL_ERROR_SIZE];
};

/* Starts it among the others; the name's share was taken. The request and the tools must live as
 * long as it. False: there is no memory for it. */
bool transfer_start(struct transfer *transfer, const struct transfer_tools *tools,
		    const struct request *request) __attribute__((warn_unused_result));

/* Makes a reply of what has come; *ret_lifetime_s says how long it may be kept. */
void transfer_end(struct transfer *transfer, CURLcode code, struct reply *ret_reply,
		  int64_t *ret_lifetime_s);

void transfer_finish(struct transfer *transfer);
