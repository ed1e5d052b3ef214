/* Download: an answer whose body goes to its client in parts, as it comes, and is never in memory
 * as a whole.
 *
 *   {"fetch":{..., "download":N}}  -->  at most N bytes, by https only, also after redirects
 *   {"part":{"id":N,"size":S}}     <--  bytes of the body; S: of all of it, -1: not known
 *   {"take":{"id":N,"bytes":B}}    -->  the client has stored so many of them
 *   {"drop":{"id":N}}              -->  the client wants no more: there is no answer
 *   {"fetch":{...}}                <--  the answer, without a body, or an error
 *
 * DOWNLOAD_WINDOW bytes may be on their way to the client; beyond, the transfer pauses, and the
 * server has to wait. The body is passed on as it is sent: no coding is offered or decoded, so
 * nothing grows here. Only the body of a 200 or 206 is passed on. */
#pragma once

#include "transfer_state.h"

enum {
	DOWNLOADS_MAX = 4, /* at once; one of an account */
	DOWNLOAD_TIMEOUT_MS = 10 * 60 * 1000,
	DOWNLOAD_CONNECT_MS = 10 * 1000,
	/* A server that sends less in a second, on average over DOWNLOAD_SLOW_S, is given up. */
	DOWNLOAD_SLOW_BYTES = 1000,
	DOWNLOAD_SLOW_S = 30,
	/* Bytes beyond those of the body: of redirects, and of an answer that is not passed on. */
	DOWNLOAD_OTHER_BYTES_MAX = 64 << 10,
};

/* Sets the options in which a download differs from other transfers. */
void download_set_up(struct transfer *transfer);
/* A callback of libcurl for a part of the body. */
size_t download_write(char *data, size_t size, size_t count, void *context);
/* Whether so many bytes of bodies are within the limits; notes that they are not. */
bool download_may_move(struct transfer *transfer, int64_t more);

/* Order of a client about its download. */
struct download_order {
	int64_t id;
	size_t bytes; /* that it has stored; 0: it wants no more */
};

/* Returns false if the head is not an order. */
bool download_order_read(struct str head, struct download_order *ret_order)
    __attribute__((warn_unused_result));
/* Continues a paused transfer, if the client has stored enough. */
void download_take(struct transfer *transfer, size_t bytes);

/* Explains the end of a download in its own words. Returns false if those of other transfers fit.
 */
bool download_explain(const struct transfer *transfer, CURLcode code, const char *host,
		      struct reply *reply);
