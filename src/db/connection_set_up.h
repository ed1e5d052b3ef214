/* What a fresh connection is sent before it is used: settings and all statements, in one pipeline.
 */
#pragma once

#include "connection.h"

/* Sends it. 0 or -EIO, with a reason. */
__attribute__((warn_unused_result)) int set_up_begin(struct connection *connection);

/* Takes what has arrived. 1: done; 0: more is to come; -EIO: it failed, with a reason. */
__attribute__((warn_unused_result)) int set_up_receive(struct connection *connection);
