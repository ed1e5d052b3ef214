/* Process in the sandbox, and the bytes between it and the worker.
 *
 *   sandboxed_start() --> on_started --> on_bytes ... --> on_gone
 *                  the socket has ended, then the process, which is killed if it continues
 *
 * It is freed with on_gone, or by sandboxed_end(). */
#pragma once

#include "base/buffer.h"
#include "host_link.h"

struct sandboxed;

enum sandboxed_end {
	SANDBOXED_ENDED,       /* it has ended, with a status */
	SANDBOXED_LOST,	       /* lost with the render host: not the process's fault */
	SANDBOXED_NOT_STARTED, /* not started: not the process's fault */
};

struct sandboxed_events {
	/* Called when the process accepts writes. */
	void (*on_started)(struct sandboxed *process);
	/* Called when the input has grown. A receiver that does not consume it must limit it. */
	void (*on_bytes)(struct sandboxed *process, struct buffer *input);
	/* Called last. status: of waitpid(). Unconsumed input is still there. */
	void (*on_gone)(struct sandboxed *process, enum sandboxed_end end, int status);
};

/* Starts a process. events and context must outlive it. Its callbacks are called later, from the
 * loop. */
struct sandboxed *sandboxed_start(struct loop *loop, struct host_link *host,
				  enum render_program program,
				  const struct sandboxed_events *events, void *context);

/* Notes that the process works, so its end does not count for a crash loop (render/health.h). */
void sandboxed_note_ready(struct sandboxed *process);

void *sandboxed_context(const struct sandboxed *process);
struct buffer *sandboxed_input(struct sandboxed *process);

/* Writes the bytes, and empties the buffer. Call it after on_started. Does not wait for a process
 * that does not read; its user needs a deadline. */
void sandboxed_write(struct sandboxed *process, struct buffer *bytes);
/* Sends bytes at once, with a descriptor, which stays the caller's, unless it is -1. Call it after
 * on_started. Returns false if the process does not take all of them now; some may be sent. */
__attribute__((warn_unused_result)) bool sandboxed_send(struct sandboxed *process, struct str bytes,
							int descriptor);
/* Written bytes that the process has not taken yet. */
size_t sandboxed_unwritten(const struct sandboxed *process);
/* Whether its socket or the process has ended, so that on_gone will be called, and it takes nothing
 * any more. */
bool sandboxed_is_ending(const struct sandboxed *process);
/* Whether it ended without reading everything that was written. */
bool sandboxed_is_deaf(const struct sandboxed *process);
/* CPU time of the process, in on_gone(); 0: unknown. */
unsigned sandboxed_cpu_ms(const struct sandboxed *process);
/* Ends the input of the process, after the written bytes. */
void sandboxed_shut(struct sandboxed *process);

/* Kills the process. No callback is called any more. Do not call it inside on_gone. */
void sandboxed_end(struct sandboxed *process);
