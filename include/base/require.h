/* Assertions that stay in release builds.
 *
 * A broken promise of our own code ends the process; the supervisor starts a new worker. What a
 * client, a panel or the database can cause is never checked with require(). */
#pragma once

#include <stddef.h>

#define require(condition) ((condition) ? (void)0 : require_failed(#condition, __FILE__, __LINE__))

/* Ends the process with a line on stderr that names the request at work, see require_context(). */
_Noreturn __attribute__((cold)) void require_failed(const char *condition, const char *file,
						    int line);

/* Out of memory for a size that no client chose: ends the process. */
_Noreturn __attribute__((cold)) void require_memory_failed(size_t size);

/* The request ID that require_failed() prints, or NULL. The text must stay valid until the next
 * call. Per thread. */
void require_context(const char *request_id);
