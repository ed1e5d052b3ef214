/* Strips the types of a script in TypeScript: esbuild, in the sandbox, a process a script. What
 * comes out ends with a map of the source, by which errors name the line that the author wrote. The
 * process that runs the script reads the map, where a hostile one can do no harm. */
#pragma once

#include "base/buffer.h"
#include "host_link.h"

enum {
	COMPILER_MS =
	    10 * 1000, /* of the processor, for all scripts of an app; program.c has it, too */
	COMPILER_SCRIPT_MAX = 1 << 20,
	COMPILER_OUTPUT_MAX = 4 << 20,
};

enum compiler_outcome {
	COMPILER_DONE,
	COMPILER_COMPLAINED, /* of the script */
	COMPILER_LATE,	     /* the clock has ended it: the script is not to blame */
	COMPILER_SPENT,	     /* the time of the processor, or the bytes of its output */
	COMPILER_CRASHED,
	COMPILER_LOST, /* the script is not to blame */
};

struct compiler;

/* Embed it. */
struct compilation {
	struct buffer script; /* is taken */
	unsigned timeout_ms;  /* by the clock */
	unsigned cpu_ms;      /* that it has used, in done() */
	/* Once, later from the loop. output: until it returns; JavaScript that ends with a map of
	 * its source, or the complaint. */
	void (*done)(struct compilation *compilation, enum compiler_outcome outcome,
		     struct str output);
	struct compiler *compiler; /* private; NULL before and after */
};

void compiler_start(struct loop *loop, struct host_link *host, struct compilation *compilation);
/* Stops a compilation, also a finished or unstarted one. done() is not called any more. */
void compiler_stop(struct compilation *compilation);
