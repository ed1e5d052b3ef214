/* A process in the sandbox and the bytes that go between it and the worker.
 *
 *   sandboxed_start() --> on_started --> on_bytes ... --> on_gone
 *                             the socket has ended, then the process, which is killed if it goes on
 *
 * It goes with on_gone, or with sandboxed_end(). */
#pragma once

#include "base/buffer.h"
#include "host_link.h"

struct sandboxed;

enum sandboxed_end {
	SANDBOXED_ENDED,       /* with a status */
	SANDBOXED_LOST,	       /* because the render host is gone: the process is not to blame */
	SANDBOXED_NOT_STARTED, /* there is none; likewise */
};

struct sandboxed_events {
	/* The process accepts writes from now on. */
	void (*on_started)(struct sandboxed *process);
	/* The input has grown. Who does not consume it has to set a limit to it. */
	void (*on_bytes)(struct sandboxed *process, struct buffer *input);
	/* The last one. status: of waitpid(). What was not consumed of the input is still there. */
	void (*on_gone)(struct sandboxed *process, enum sandboxed_end end, int status);
};

/* events and context stay valid as long as it. Its callbacks come later, from the loop. */
struct sandboxed *sandboxed_start(struct loop *loop, struct host_link *host,
				  enum render_program program,
				  const struct sandboxed_events *events, void *context);

/* Notes that it works, so its end does not count as a crash loop (render/health.h). */
void sandboxed_note_ready(struct sandboxed *process);

void *sandboxed_context(const struct sandboxed *process);
struct buffer *sandboxed_input(struct sandboxed *process);

/* Takes the bytes, and empties the buffer. After on_started. A process that does not read them is
 * not waited for; its user has a deadline. */
void sandboxed_write(struct sandboxed *process, struct buffer *bytes);
/* Sends bytes at once, with a descriptor, which stays the caller's, unless it is -1. After
 * on_started. False: the process does not take all of them now; some may be gone. */
__attribute__((warn_unused_result)) bool sandboxed_send(struct sandboxed *process, struct str bytes,
							int descriptor);
/* Bytes of it that the process has not taken yet. */
size_t sandboxed_unwritten(const struct sandboxed *process);
/* Its socket or the process has ended, and on_gone comes: it takes nothing any more. */
bool sandboxed_is_ending(const struct sandboxed *process);
/* Whether it ended without reading everything that was written. */
bool sandboxed_is_deaf(const struct sandboxed *process);
/* Time of the processor that it has used, in on_gone(); 0: not known. */
unsigned sandboxed_cpu_ms(const struct sandboxed *process);
/* It reads the end after what was written. */
void sandboxed_shut(struct sandboxed *process);

/* Kills it. No callback comes any more. Not inside on_gone. */
void sandboxed_end(struct sandboxed *process);
