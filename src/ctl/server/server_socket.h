/* Asks the running server of a state directory, over its private socket there (HTTP/1.1). */
#pragma once

#include "base/buffer.h"
#include "main/reason.h"

struct server_request {
	const char *method;
	struct str path;    /* with its query; encoded */
	struct str account; /* e-mail address: Displayd-Account. data is NULL: none */
	struct str body;    /* JSON; data is NULL: none */
};

struct server_answer {
	int status;
	struct buffer body;
	struct buffer fields; /* of the head: "NAME:VALUE" and a newline for each */
};

void server_answer_finish(struct server_answer *answer);

enum server_result {
	SERVER_ANSWERED,
	SERVER_AWAY,   /* no server listens, or it has left: another try may reach one */
	SERVER_FAILED, /* it cannot be asked */
};

/* Sends the request once and reads the answer. A sentence says why there is none.
 * server_answer_finish(ret_answer) in either case. */
__attribute__((warn_unused_result)) enum server_result
server_socket_ask(const char *state_dir, const struct server_request *request,
		  struct server_answer *ret_answer, struct reason *reterr);

/* GET path. 0, with the body of the answer 200, which lies in *ret_text; or -1 with a sentence,
 * also if no server runs. buffer_finish(ret_text) in either case. */
__attribute__((warn_unused_result)) int server_socket_get(const char *state_dir, const char *path,
							  struct buffer *ret_text,
							  struct str *ret_body,
							  struct reason *reterr);
