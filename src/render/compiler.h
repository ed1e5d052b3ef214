/* Strips the types of a script in TypeScript with esbuild, in the sandbox, one process a script.
 * Its output ends with a map of the source, so that errors name the author's line. The process that
 * runs the script reads the map: there a hostile map does no harm. */
#pragma once

#include "base/buffer.h"
#include "host_link.h"

enum {
	COMPILER_MS = 10 * 1000, /* CPU time for all scripts of an app; also in program.c */
	COMPILER_SCRIPT_MAX = 1 << 20,
	COMPILER_OUTPUT_MAX = 4 << 20,
};

enum compiler_outcome {
	COMPILER_DONE,
	COMPILER_COMPLAINED, /* about the script */
	COMPILER_LATE,	     /* out of wall time: not the script's fault */
	COMPILER_SPENT,	     /* out of CPU time, or too much output */
	COMPILER_CRASHED,
	COMPILER_LOST, /* not the script's fault */
};

struct compiler;

/* Compilation. Embed it. */
struct compilation {
	struct buffer script; /* taken over */
	unsigned timeout_ms;  /* wall time */
	unsigned cpu_ms;      /* CPU time used, in done() */
	/* Called once, later, from the loop. output: valid until it returns; JavaScript that ends
	 * with a map of its source, or the complaint. */
	void (*done)(struct compilation *compilation, enum compiler_outcome outcome,
		     struct str output);
	struct compiler *compiler; /* private; NULL before and after */
};

void compiler_start(struct loop *loop, struct host_link *host, struct compilation *compilation);
/* Stops a compilation, even a finished or unstarted one. done() is not called any more. */
void compiler_stop(struct compilation *compilation);
