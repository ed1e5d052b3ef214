/* The heads of the frames that ask renderers for something. */
#pragma once

#include "base/buffer.h"
#include "render/engine.h"

#include <yyjson.h>

/* The members that all requests of a job have. NULL: the config is no object, a text no UTF-8, a
 * time zone unknown, or all of it is too long. */
yyjson_mut_doc *request_head_create(const struct engine_job *job);

struct request_time {
	unsigned timeout_ms;
	unsigned network_ms; /* that it may wait for answers of the network besides; 0: none */
};

/* The whole frame; what is a static text. */
void request_head_write(yyjson_mut_doc *head, const char *what, const struct request_time *time,
			struct str blob, struct buffer *ret_frame);
