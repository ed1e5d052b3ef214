/* Prepares a new connection for use: sends settings and all its statements, in one pipeline. */
#pragma once

#include "connection.h"

/* Sends settings and statements. 0, or -EIO with a reason in the pipeline. */
__attribute__((warn_unused_result)) int set_up_begin(struct connection *connection);

/* Reads the answers that have arrived. 1: all are there; 0: more will come; -EIO: one failed, with
 * a reason in the pipeline. */
__attribute__((warn_unused_result)) int set_up_receive(struct connection *connection);
