/* The renderers of a worker: processes that answer requests, one at a time. They are started when
 * there is a request, and end when there was none for a while.
 *
 *   request frame --> [fetch --> its answer]... --> answer frame
 *
 * Nothing that a renderer writes is believed: a frame that is none, one too many, or one that
 * nobody asked for ends the process. */
#pragma once

#include "base/buffer.h"
#include "host_link.h"

#include <yyjson.h>

struct renderers;
struct renderer;

enum renderer_outcome {
	RENDERER_ANSWERED,
	RENDERER_LATE,	  /* killed at its deadline */
	RENDERER_CRASHED, /* with a status; or it wrote what is no answer, status -1 */
	RENDERER_LOST,	  /* the request is not to blame */
};

struct renderer_answer {
	enum renderer_outcome outcome;
	int status;	  /* of waitpid() */
	yyjson_doc *head; /* an object, which is the taker's to free; NULL unless ANSWERED */
	struct str blob;  /* until done() returns */
};

/* Embed it. */
struct renderer_request {
	enum render_program program;
	struct buffer frame; /* is taken */
	unsigned timeout_ms; /* that the head names; the process gets some more */
	unsigned network_ms; /* that it may wait for answers to fetch() besides */
	/* Once, later from the loop. */
	void (*done)(struct renderer_request *request, const struct renderer_answer *answer);
	/* Its script asks for something of the network: see renderer_reply(). */
	void (*fetch)(struct renderer_request *request, yyjson_val *fetch, struct str body);
	struct renderer *renderer; /* private; NULL before and after */
};

/* idle_ms: after which one with nothing to do ends. */
struct renderers *renderers_create(struct loop *loop, struct host_link *host, unsigned idle_ms);
/* Ends all of them. No callback comes any more. */
void renderers_destroy(struct renderers *renderers);

/* Appends what each kind of renderer has said of itself. */
void renderers_describe(const struct renderers *renderers, struct buffer *text);

void renderers_ask(struct renderers *renderers, struct renderer_request *request);

/* Answers a fetch: head is {"fetch": {...}}. False: a part is too long. Nothing happens for a
 * request that is done. */
bool renderer_reply(struct renderer_request *request, struct str head, struct str blob)
    __attribute__((warn_unused_result));
