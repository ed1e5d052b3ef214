/* A request to a renderer and its answer, with all that the script asks the network for in between.
 * Blocks, but for no side longer than for the others. */
#pragma once

#include "ctl/apps/app_network.h"

#include <yyjson.h>

struct renderer_answer {
	yyjson_doc *head;   /* an object; the caller's to free */
	struct buffer blob; /* the caller's to finish */
};

/* Sends the frame (an empty one: nothing is sent) and waits for a frame that is an answer. network
 * may be NULL: nothing is asked for. False if the renderer is gone, sends what is no frame, or
 * timeout_ms have passed. */
bool exchange_frames(int link, struct app_network *network, struct str frame, int64_t timeout_ms,
		     struct renderer_answer *ret_answer) __attribute__((warn_unused_result));
