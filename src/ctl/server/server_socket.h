/* Asks a server by HTTP/1.1 with libcurl: that of a state directory over its private socket, or one
 * by its URL. Thread-safe. */
#pragma once

#include "base/buffer.h"
#include "main/reason.h"

/* Server to ask. */
struct server_target {
	const char *state_dir;	/* NULL: use base */
	const char *base;	/* "https://panels.example.org" */
	const char *authority;	/* "panels.example.org", for messages */
	struct str authorities; /* certificates to trust, PEM; data NULL: the system's */
	/* Time limit for a whole answer of a URL's server; for each pause in an answer of a state
	 * directory's server, 0: the usual time. */
	int patience_ms;
	/* NULL, or the connection for all requests, so that one worker gets them: while a database
	 * comes back, one worker may be ready and another not. */
	struct server_connection *connection;
};

struct server_request {
	const char *method;
	struct str path;    /* with its query, encoded */
	struct str account; /* e-mail address for the field Displayd-Account; data NULL: none */
	struct str body;    /* JSON; data NULL: none */
	struct str fields;  /* further header fields, each with a newline */
	int patience_ms;    /* limit for each pause in the answer; 0: the usual time */
	/* NULL, or receives the body of an answer 200 in parts. Returns false to stop. */
	bool (*take)(void *context, const void *data, size_t size);
	void *take_context;
};

struct server_answer {
	int status;
	struct buffer body;
	struct buffer fields; /* header: "NAME:VALUE" and a newline for each field */
};

/* Returns a connection, which the first request opens. Free it with server_connection_free(). */
struct server_connection *server_connection_new(void);
/* Closes a connection; the next request opens another one, which another worker may get. */
void server_connection_close(struct server_connection *connection);
void server_connection_free(struct server_connection *connection);

/* Frees an answer, and makes it empty. */
void server_answer_finish(struct server_answer *answer);

enum server_result {
	SERVER_ANSWERED,
	SERVER_UNAVAILABLE, /* no server listens, or it closed the connection: try again */
	SERVER_FAILED,	    /* not permitted, timed out or malformed */
	SERVER_STOPPED,	    /* take() returned false; reterr is not set */
	SERVER_UNREACHED,   /* the request was not sent to the server of the URL */
};

/* Sends the request once and reads the answer; only a GET may be sent again, if a kept connection
 * has ended. Without an answer, reterr has the reason. Free
 * ret_answer with server_answer_finish() in either case. */
__attribute__((warn_unused_result)) enum server_result
server_socket_ask(const struct server_target *target, const struct server_request *request,
		  struct server_answer *ret_answer, struct reason *reterr);
