/* Assertions that stay in release builds.
 *
 * A bug in our own code ends the process, and the supervisor starts a new worker. Conditions that a
 * client, a panel or the database can cause are never checked with require(). */
#pragma once

#include <stddef.h>

#define require(condition) ((condition) ? (void)0 : require_failed(#condition, __FILE__, __LINE__))

/* Ends the process with a line on stderr that names the current request, see require_context(). */
_Noreturn __attribute__((cold)) void require_failed(const char *condition, const char *file,
						    int line);

/* Ends the process: there is no memory for a size that no client chose. */
_Noreturn __attribute__((cold)) void require_memory_failed(size_t size);

/* Sets the request ID that require_failed() prints, or NULL. The text must stay valid until the
 * next call, or until require_context_end(). Per thread. */
void require_context(const char *request_id);

/* Forgets the request ID if it is the one that is set: its owner frees the text. A task may go on
 * for a while after its request has ended. */
void require_context_end(const char *request_id);
