/* Heads of request frames to renderers. */
#pragma once

#include "base/buffer.h"
#include "render/engine.h"

#include <yyjson.h>

/* Makes the members that all requests of a job have. Returns NULL if the config is not an object, a
 * text is not UTF-8, a time zone is unknown, or everything together is too long. */
yyjson_mut_doc *request_head_create(const struct engine_job *job);

struct request_time {
	unsigned timeout_ms;
	unsigned encode_ms;  /* additional time to encode the picture; 0: it makes none */
	unsigned network_ms; /* additional time to wait for answers of the network; 0: none */
};

/* Writes the whole frame; what must be a static text. */
void request_head_write(yyjson_mut_doc *head, const char *what, const struct request_time *time,
			struct str blob, struct buffer *ret_frame);
