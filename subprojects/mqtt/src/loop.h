/* Threads that serve connections: each a part of them, and all of its part in turn. No connection
 * waits in it. They are never ended, so that their eventfds stay valid. */
#pragma once

#include "account.h"

enum { LOOPS_MAX = 4 };

struct loop;

/* Returns NULL if there is no memory, descriptor or thread. */
struct loop *loop_start(void) __attribute__((warn_unused_result));
/* Number of connections that were added and have not ended. */
unsigned loop_connection_count(const struct loop *loop);
/* Gives a new connection to the loop, which reports in connection_take() that it is over. */
void loop_add(struct loop *loop, struct connection *connection);
/* Number of turns that the loop has taken. It takes one each second, or it hangs. */
unsigned loop_turn_count(const struct loop *loop);
