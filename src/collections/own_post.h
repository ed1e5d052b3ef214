/* POST of this worker to its own HTTP server, as the operator's for an account: it passes the same
 * routes, checks and limits as one of displayctl. */
#pragma once

#include "base/buffer.h"
#include "http/server.h"
#include "loop/loop.h"

enum { OWN_POST_ANSWER_MAX = 256 * 1024 };

/* Embed it, zeroed. */
struct own_post {
	/* Called once, later. status: 0: there was no answer. body: valid until it returns. */
	void (*done)(struct own_post *post, int status, struct str body);

	struct loop *loop; /* from here on private */
	uv_pipe_t pipe;
	uv_write_t write;
	struct buffer request, answer;
	bool is_open;
};

/* Sends the body, which is emptied. account: e-mail address of the account. listener must outlive
 * the request. */
void own_post_start(struct own_post *post, struct loop *loop, struct http_server *http,
		    const struct http_listener_settings *listener, const char *path,
		    struct str account, struct buffer *body);
