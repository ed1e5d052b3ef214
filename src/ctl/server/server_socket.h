/* Asks the running server of a state directory, over its socket there. */
#pragma once

#include "base/buffer.h"
#include "main/reason.h"

/* GET path. 0, with the body of the answer, which lies in *ret_text; or -1 with a sentence, also
 * if no server runs. buffer_finish(ret_text) in either case. */
__attribute__((warn_unused_result)) int server_socket_get(const char *state_dir, const char *path,
							  struct buffer *ret_text,
							  struct str *ret_body,
							  struct reason *reterr);
