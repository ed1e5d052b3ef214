/* Strips the types of a script in TypeScript: esbuild, in the sandbox, with the limits of the
 * renderer for Starlark, since it is a program in Go, too. Blocks. */
#pragma once

#include "renderer.h"

enum {
	TYPESCRIPT_SOURCE_MAX = 1 << 20,
	TYPESCRIPT_MS = 10 * 1000, /* of the processor, for all scripts of an app */
	TYPESCRIPT_CLOCK_MS = 3 * TYPESCRIPT_MS + 5 * 1000, /* for each */
};

/* Compiles the script. 0: the answer is like one of a renderer; its blob is JavaScript that ends
 * with a map of its source, or its head has an "error" with the place in the source. The same
 * source always has the same answer, which may be kept. -1 with a sentence in ret_why if there
 * was none. */
int typescript_compile(struct str source, struct renderer_answer *ret_answer,
		       char ret_why[static RENDERER_WHY_MAX]) __attribute__((warn_unused_result));
