/* Files from the internet, which displayd itself fetches through the egress: by https only, each
 * redirect checked as the first address, at most DOWNLOAD_BYTES_MAX and ten minutes, with a share
 * of the account's own (subprojects/egress/src/download.h).
 *
 *   download_start() -> the egress -> parts -> a worker thread: written, hashed -> done()
 *                                       ^-- the next ones come when these are stored
 *
 * The file lies in the state directory without a name: it goes with the worker. A worker has
 * DOWNLOADS_OF_WORKER of them, opened before it enters its sandbox. */
#pragma once

#include "base/id.h"
#include "render/outbound.h"

#include <sodium.h>

enum {
	DOWNLOAD_BYTES_MAX = 128 * 1024 * 1024,
	DOWNLOADS_OF_WORKER = 2,
	DOWNLOAD_ETAG_BYTES = 200,
};

struct engines;
struct downloads;
struct download_flight;

/* Embed it. Its public members, and the texts, must not change until done(). */
struct download {
	struct id account; /* whose share it uses; all zero: that of the scope */
	struct str scope;  /* what it is for: "firmware" */
	struct str url;
	/* Such as If-None-Match. */
	const struct outbound_header *headers;
	unsigned header_count;
	size_t bytes_max; /* at most DOWNLOAD_BYTES_MAX */
	bool is_paced;	  /* the caller limits its requests to a host, which uses no share then */
	/* Why it reaches only public addresses, as in outbound_request. */
	const char *why_public;

	/* Called once, later, from the loop. The file is the caller's until download_end(). */
	void (*done)(struct download *download);

	/* Set while it runs. */
	uint64_t bytes; /* stored so far */
	int64_t size;	/* of the whole file in bytes, as the server says; -1: not known */
	/* Set for done(). */
	int status; /* of the answer; 0: there was none, and problem has the reason */
	char problem[OUTBOUND_PROBLEM_BYTES];
	char etag[DOWNLOAD_ETAG_BYTES];		  /* empty: none, or a longer one */
	uint8_t sha256[crypto_hash_sha256_BYTES]; /* of the bytes */
	bool is_dropped; /* not completed, because this worker ends, or by download_cancel() */
	bool is_lost;	 /* failed because the egress ended: another try may succeed */
	int file;	 /* descriptor of the bytes, from offset 0; -1: there are none */

	struct download_flight *flight; /* private */
};

/* Returns the worker's downloads, valid as long as the engines. */
struct downloads *engines_downloads(struct engines *engines);

/* Starts a download. If the worker has no free file, or after engines_drain(), it fails at once. */
void download_start(struct downloads *downloads, struct download *download);
/* Ends a download before its time: done() follows soon, with is_dropped. Nothing happens if it has
 * ended. */
void download_cancel(struct downloads *downloads, struct download *download);
/* Gives the file up. Call it for each download after done(), once. */
void download_end(struct downloads *downloads, struct download *download);
