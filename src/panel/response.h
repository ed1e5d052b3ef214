/* The answer to one request, as it comes in (RFC 9112), on llhttp. */
#pragma once

#include "base/buffer.h"

#include <llhttp.h>

enum {
	RESPONSE_HEAD_MAX = 16 * 1024,
	RESPONSE_NAME_MAX = 64,
	RESPONSE_VALUE_MAX = 256,
};

enum response_state {
	RESPONSE_MORE,	   /* not complete yet */
	RESPONSE_DONE,	   /* complete; on_header and body were filled */
	RESPONSE_UPGRADED, /* 101: what follows is another protocol */
	RESPONSE_FAILED,   /* fault says why */
};

struct response {
	llhttp_t parser;	    /* private */
	llhttp_settings_t settings; /* private */
	/* For each field; longer names and values are cut. May be NULL. */
	void (*on_header)(void *context, struct str name, struct str value);
	void *context;
	size_t body_max;
	struct buffer body;
	size_t head_bytes; /* of the status line and the fields, with their end */
	const char *fault;
	bool body_too_large; /* then the fault is about that */
	bool head_complete;
	bool complete;
	char name[RESPONSE_NAME_MAX];
	char value[RESPONSE_VALUE_MAX];
	size_t name_length;
	size_t value_length;
};

/* on_header and context are set by the caller afterwards. The structure must not move. */
void response_init(struct response *response, size_t body_max);
void response_finish(struct response *response);

/* Takes bytes; ret_used tells how many of them belong to the answer. */
enum response_state response_feed(struct response *response, const uint8_t *data, size_t size,
				  size_t *ret_used);

/* The peer sends no more: that ends a body without a length. */
enum response_state response_end(struct response *response);

/* 0 before the status line has come. */
int response_status(const struct response *response);
