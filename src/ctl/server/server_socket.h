/* Asks a server by HTTP/1.1 with libcurl: that of a state directory over its private socket there,
 * or one by its URL. Threads may ask at the same time. */
#pragma once

#include "base/buffer.h"
#include "main/reason.h"

/* Server that is asked. */
struct server_place {
	const char *state_dir; /* NULL: the URL's */
	const char *base;      /* "https://panels.example.org" */
	const char *authority; /* "panels.example.org", for sentences */
	struct str
	    authorities; /* PEM of the only ones that are trusted; data is NULL: the system's */
	/* For a whole answer of a URL's server; of the other one, for a piece; there 0 is the usual
	 * time. */
	int patience_ms;
};

struct server_request {
	const char *method;
	struct str path;    /* with its query; encoded */
	struct str account; /* e-mail address: Displayd-Account. data is NULL: none */
	struct str body;    /* JSON; data is NULL: none */
	struct str fields;  /* further ones of the head, each with a newline */
	int patience_ms;    /* for each piece of the answer; 0: the usual time */
	/* NULL, or gets the body of an answer 200 instead, as it comes. False: it wants no more. */
	bool (*take)(void *context, const void *data, size_t size);
	void *take_context;
};

struct server_answer {
	int status;
	struct buffer body;
	struct buffer fields; /* of the head: "NAME:VALUE" and a newline for each */
};

void server_answer_finish(struct server_answer *answer);

enum server_result {
	SERVER_ANSWERED,
	SERVER_UNAVAILABLE, /* no server listens, or it has left: another try may reach one */
	SERVER_FAILED,	    /* it cannot be asked */
	SERVER_STOPPED,	    /* the request's take wants no more, and knows why: no sentence */
	SERVER_UNREACHED,   /* nothing was sent to the server of the URL */
};

/* Sends the request once and reads the answer. A sentence says why there is none.
 * server_answer_finish(ret_answer) in either case. */
__attribute__((warn_unused_result)) enum server_result
server_socket_ask(const struct server_place *place, const struct server_request *request,
		  struct server_answer *ret_answer, struct reason *reterr);
