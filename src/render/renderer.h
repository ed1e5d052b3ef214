/* Renderers of a worker: processes that answer requests, one at a time. They are started on
 * request, and end when idle.
 *
 *   request frame --> [fetch --> its answer]... --> answer frame
 *
 * Output of a renderer is untrusted: an invalid, excessive or unrequested frame ends the process.
 */
#pragma once

#include "base/buffer.h"
#include "host_link.h"

#include <yyjson.h>

struct renderers;
struct renderer;

enum renderer_outcome {
	RENDERER_ANSWERED,
	RENDERER_LATE,	  /* killed at its deadline */
	RENDERER_CRASHED, /* with a status; or its answer was invalid, status -1 */
	RENDERER_LOST,	  /* not the request's fault */
};

struct renderer_answer {
	enum renderer_outcome outcome;
	int status;	  /* status of waitpid() */
	yyjson_doc *head; /* an object, which the receiver frees; NULL unless ANSWERED */
	struct str blob;  /* valid until done() returns */
};

/* Request. Embed it. */
struct renderer_request {
	enum render_program program;
	struct buffer frame;	/* taken over */
	unsigned timeout_ms;	/* time in the head; the process gets some more */
	unsigned network_ms;	/* additional time to wait for answers to fetch() */
	unsigned wall_extra_ms; /* additional time by the clock */
	/* Called once, later, from the loop. */
	void (*done)(struct renderer_request *request, const struct renderer_answer *answer);
	/* Called when the script sends a request to the network: see renderer_reply(). */
	void (*fetch)(struct renderer_request *request, yyjson_val *fetch, struct str body);
	/* Called when the script computes nothing until one of so many fetches is answered; or,
	 * with 0, if one of its timers is due: it computes after an answer to the fetch 0 that has
	 * this turn, a number. */
	void (*waits)(struct renderer_request *request, unsigned fetches, int64_t turn);
	bool is_waiting;	   /* its fetches were not answered: it can only give up */
	struct renderer *renderer; /* private; NULL before and after */
};

/* idle_ms: idle time after which a process ends. */
struct renderers *renderers_create(struct loop *loop, struct host_link *host, unsigned idle_ms);
/* Ends all of them. No callback is called any more. */
void renderers_destroy(struct renderers *renderers);

/* Appends the greeting of each kind of renderer. */
void renderers_describe(const struct renderers *renderers, struct buffer *text);

void renderers_ask(struct renderers *renderers, struct renderer_request *request);

/* Sends frames that answer fetches: their heads are {"fetch": {...}}. Takes the bytes over. Does
 * nothing else for a request that is done. */
void renderer_reply(struct renderer_request *request, struct buffer *frames);
