/* State of one request that is on its way (transfer.h), also for the sentence that explains its
 * failure (explain.h). */
#pragma once

#include "reply.h"
#include "request.h"
#include "shares.h"
#include "tenant.h"
#include "trust.h"

#include <text/reach.h>

enum {
	TRANSFER_TIMEOUT_MS = 5000, /* redirects included */
	TRANSFER_BODY_MAX = 2 << 20,
	TRANSFER_HEADERS_MAX = 64 << 10,	/* bytes of one answer's headers */
	TRANSFER_HEADERS_TOTAL_MAX = 256 << 10, /* bytes, those of redirects and 1xx answers
						   included */
	TRANSFER_REDIRECTS_MAX = 5,
	TRANSFER_PAID_MAX = 8,
};

/* Why an address is refused that is not public, in transfer.why_refused. */
#define TRANSFER_NOT_PUBLIC "not public"

/* Objects that all transfers of a process share. */
struct transfer_tools {
	struct shares *shares;
	const struct network_list *allowed;
	struct trust trust;
};

enum { DOWNLOAD_WINDOW = 256 << 10 }; /* bytes of a download that its client has not stored yet */

/* Body that is passed on to its client (download.h). */
struct download {
	struct client *client; /* NULL: the transfer is not a download */
	int64_t id;
	size_t window; /* bytes that may be sent to the client now */
	size_t bytes;  /* that were sent to it */
	int64_t moved; /* bytes of all bodies, those of redirects included */
	bool is_paused;
};

struct transfer {
	const struct request *request;
	const struct transfer_tools *tools;
	struct tenant *tenant;
	CURL *easy;
	struct bytes headers; /* header lines of the last answer */
	struct bytes body;
	struct download download;
	size_t headers_total;  /* bytes, those of the answers before it included */
	bool is_too_large;     /* the body */
	bool has_long_headers; /* beyond TRANSFER_HEADERS_MAX */
	bool has_many_headers; /* beyond TRANSFER_HEADERS_TOTAL_MAX */
	bool is_other_coding;  /* the answer has a coding that was not offered */
	bool has_coding;       /* the last answer has named a coding of its content */
	bool is_answered;      /* the last request has got a status line */
	bool has_head;	       /* and the empty line after the last status line */
	bool is_new;	       /* libcurl has not worked on it yet */
	bool is_looking_up;    /* a look-up of its name is running */
	int refused_port;      /* port of another protocol that a redirect named; or 0 */
	char refused[64];      /* the address that was refused; or empty */
	const char *why_refused;
	bool is_unlisted; /* --egress-allow does not list it */
	/* Shares that the next request has already taken from the account's shares of hosts: for
	 * its name, and for the addresses that were tried. */
	bool has_paid_name;
	struct address paid[TRANSFER_PAID_MAX];
	unsigned paid_count;
	enum share_result share; /* the share that is used up; else SHARE_TAKEN */
	int64_t moved;		 /* bytes of bodies of the current request */
	char why[CURL_ERROR_SIZE];
};
