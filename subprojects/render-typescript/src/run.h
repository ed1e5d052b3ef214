/* One request on its way: what its parts share. A request has an engine of its own, so nothing that
 * a script has changed is there for the next one.
 *
 *   main -> engine -> request (the head) -> script (module, main(), jobs) -> tree (JSON)
 *                  `-> panel (what scripts import), console, fault (errors, with their place) */
#pragma once

#include "clock.h"
#include "heap.h"
#include "text.h"

#include <quickjs.h>
#include <stdbool.h>
#include <stdint.h>

#define SOLE_FILE "app.ts"

enum {
	TIMEOUT_MS = 2000,
	HEAP_MAX = 24 << 20, /* what a script may hold; the process may have 32 MiB */
	TREE_MAX = 4 << 20,
	TREE_DEPTH_MAX = 100,
	TREE_VALUES_MAX = 20000,
	FRAMES_MAX = 400,
	PIXELS_MAX = 1 << 16,
	LOG_LINES_MAX = 50,
	LOG_BYTES_MAX = 8 << 10,
	MESSAGE_MAX = 2 << 10,
};

enum what {
	WHAT_RENDER, /* the tree that main() returns */
	WHAT_SCHEMA, /* that of the export "schema" */
};

/* The head of a request; its blob is the script, in JavaScript, with a source map at its end. */
struct request {
	enum what what;
	int64_t now_ms;
	uint64_t seed;
	int width, height;
	int64_t timeout_ms;
	JSValue timezone, locale, config; /* strings; an object */
	struct clock_change *changes;
	size_t change_count;
};

/* What scripts have printed. */
struct logbook {
	struct text lines; /* strings of JSON, with commas */
	unsigned count;
	size_t bytes;
	unsigned dropped;
};

struct run {
	const struct heap *heap;
	JSRuntime *runtime;
	JSContext *context;
	JSClassID widget_class;
	struct request request;
	const char *script;
	size_t script_length;
	int64_t started_us;
	int64_t deadline_us;
	bool is_late;
	struct logbook log;
	struct text tree;
	struct text fault; /* the answer's "error", an object of JSON; empty: there is none */
};

/* Names the kinds of faults, as render-starlark does. */
#define FAULT_SCRIPT "script"
#define FAULT_APP "app"
#define FAULT_LIMIT "limit"
#define FAULT_REQUEST "request"

/* ---- request.c ---- */

/* Reads the head into run->request. 0, or -1 with the fault set. */
int request_read(struct run *run, const char *head, size_t length)
    __attribute__((warn_unused_result));
void request_finish(struct run *run);

/* ---- script.c ---- */

/* Runs the script and leaves the tree, or a fault. */
void script_run(struct run *run);

/* ---- panel.c ---- */

/* The module "panel". 0, or -1 with an exception. */
int panel_define(struct run *run) __attribute__((warn_unused_result));
/* The name of the widget, like "Text" or "filter.Blur"; NULL where the value is none. */
const char *panel_widget_name(struct run *run, JSValueConst value);

/* ---- console.c ---- */

/* print() and console. 0, or -1 with an exception. */
int console_define(struct run *run) __attribute__((warn_unused_result));

/* ---- tree.c ---- */

/* Writes what main() has returned into run->tree. 0, or -1 with an exception. */
int tree_write(struct run *run, JSValueConst value) __attribute__((warn_unused_result));

/* ---- fault.c ---- */

/* Sets the fault, unless one is set. Where the memory was full, that is what it says. */
__attribute__((format(printf, 3, 4))) void fault_set(struct run *run, const char *kind,
						     const char *format, ...);
/* Takes the exception and makes a fault of it. */
void fault_take_exception(struct run *run);
/* The same with the reason of a promise. */
void fault_take(struct run *run, JSValueConst reason);
/* Whether the time is over; the fault is set then. */
bool fault_check_time(struct run *run);
/* "the app takes more than 2s". */
void fault_describe_time(char *to, size_t size, int64_t timeout_ms);
