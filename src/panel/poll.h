/* The device link by HTTP polling, as the firmware polls: one GET a picture, each on a fresh
 * connection. */
#pragma once

#include "loop/loop.h"
#include "tls.h"
#include "url.h"

enum {
	POLL_TIMEOUT_MS = 20 * 1000,   /* for a whole exchange */
	POLL_RETRY_MS = 1000,	       /* after a failure */
	POLL_RETRY_LONG_MS = 6 * 1000, /* after 400, 404 and a body that is too large */
	/* A dwell of so many seconds or more is ignored (device-link.md). */
	POLL_DWELL_END_S = 300,
};

struct poll_config {
	struct panel_url url;
	struct tls_client *tls; /* NULL for http:// */
	const char *firmware_version;
	int64_t retry_ms; /* negative: as the firmware waits */
};

struct poll_picture {
	const uint8_t *data; /* valid during the call */
	size_t size;
	int brightness; /* of the header; -1: there was none, or it was no number */
	int dwell_s;	/* likewise */
};

struct poll_failure {
	int status; /* 0: no answer came */
	const char *reason;
	uint64_t retry_ms;
};

struct poll_events {
	void (*on_request)(void *context);
	/* 200. The next request is made by poll_next() only. */
	void (*on_picture)(void *context, const struct poll_picture *picture);
	/* It tries again by itself. */
	void (*on_failed)(void *context, const struct poll_failure *failure);
};

struct poll;

/* Makes the first request. config is copied. No call comes before this one has returned. */
struct poll *poll_start(struct loop *loop, const struct poll_config *config,
			const struct poll_events *events, void *context);

/* Asks for the next picture: once after each on_picture, when that one has come on. */
void poll_next(struct poll *poll);

/* Frees; no call comes after it. Not from inside one of the calls above. NULL is fine. */
void poll_stop(struct poll *poll);
