/* Shared state of one request. Each request has an engine of its own, so no change of a script's
 * affects the next one.
 *
 *   main -> engine -> request (the head) -> script (module, main(), jobs) -> tree (JSON)
 *                  `-> panel (imported by scripts), console, fault (errors and their locations) */
#pragma once

#include "clock.h"
#include "files.h"
#include "heap.h"

#include <quickjs.h>
#include <sandboxed/bytes.h>
#include <sandboxed/frame.h>
#include <stdbool.h>
#include <stdint.h>

#define SOLE_FILE "app.ts"

enum {
	TIMEOUT_MS = 2000,
	NETWORK_MS = 8000,
	HEAP_MAX = 24 << 20, /* bytes of a script's memory; the process may have 40 MiB */
	TREE_MAX = 4 << 20,
	TREE_DEPTH_MAX = 100,
	TREE_VALUES_MAX = 200000, /* all frames of an animation, ten widgets in each */
	FRAMES_MAX = 2048,	  /* limit of panels; the rest of an animation is not written */
	RAW_FRAMES_MAX = 400,	  /* frames of raw pictures: a tree has room for them */
	PIXELS_MAX = 1 << 16,
	MESSAGE_MAX = 2 << 10,
	FETCHES_MAX = 20,
	FETCH_HEAD_MAX = 128 << 10,
	FETCH_BODY_MAX = 1 << 20,
	IMPORT_PATH_MAX = 512,
	REJECTIONS_MAX = 1000, /* further ones are not stored */
};

enum what {
	WHAT_RENDER,  /* the tree that main() returns */
	WHAT_SCHEMA,  /* that of the export "schema" */
	WHAT_HANDLER, /* the result of a handler of one of the schema's fields */
};

/* The head of a request; its blob is the script, in JavaScript, with a source map at its end. */
struct request {
	enum what what;
	int64_t now_ms;
	uint64_t seed;
	int width, height;     /* of a panel that is not wide */
	bool is_2x;	       /* the panel has twice the width and height */
	int64_t timeout_ms;    /* without waiting for the network */
	int64_t wall_extra_ms; /* additional time by the clock */
	int64_t network_ms;
	bool has_network, reports_waits;
	JSValue timezone, locale, config; /* strings; an object */
	JSValue handler, parameter;	  /* strings: "FIELD$handler", and its argument */
	struct clock_change *changes;
	size_t change_count;
};

/* Lines that scripts have printed. */
struct logbook {
	struct bytes lines; /* JSON strings separated by commas */
	unsigned count;
	size_t bytes;
	unsigned dropped;
};

/* A request to the network that a script has made. */
struct fetch {
	int64_t id;	   /* 0: it was answered, or ended by the script */
	JSValue settle[2]; /* functions that fulfil and reject its promise */
	JSValue error;	   /* with the source location of the call */
};

/* A source location in one of the app's files; if file is NULL, it is unknown. */
struct source_location {
	const struct file *file;
	unsigned line, column; /* from 1 */
};

/* A field in the literal of a call for a widget. */
struct parameter {
	const char *name;
	size_t length;
	const char *at;			 /* in the script without types */
	struct source_location location; /* in the source */
};

/* A call that makes a widget: all widgets that are made there share it. */
struct site {
	const char *name;	       /* the widget's */
	struct source_location called; /* in the script without types */
	/* Set when the tree is written: */
	struct source_location location; /* in the source */
	unsigned number;		 /* in the tree's list, from 1; 0: it is not there */
	struct parameter *parameters;
	unsigned parameter_count;
};

struct rejection {
	JSValue promise, reason;
};

struct run {
	const struct heap *heap;
	JSRuntime *runtime;
	JSContext *context;
	JSClassID widget_class;
	struct sites *sites;
	struct request request;
	struct files files;		 /* the first has main() */
	const struct file *importer;	 /* the file that imports the missing module, */
	char specifier[IMPORT_PATH_MAX]; /* and the specifier of the import */
	int64_t started_us;
	int64_t cpu_deadline_us; /* in processor time of the process */
	int64_t deadline_us;	 /* by the clock; moved on by the time of waiting for the network */
	int64_t waited_us;
	bool is_late;	     /* one of the two deadlines is over */
	unsigned late_looks; /* how often the stack was looked at then */
	char *late_stack;    /* the stack of the script then; NULL: it is not known */
	struct logbook log;
	struct fetch fetches[FETCHES_MAX];
	unsigned fetch_count, fetches_open;
	unsigned unanswered;	       /* fetches, those included that the script has ended */
	int64_t first_fetch;	       /* ID of its first fetch */
	bool has_told_waiting;	       /* since the last answer */
	unsigned tellings;	       /* how often it has told that */
	int64_t turn;		       /* number of the turn that the parent gave last */
	char *host_names[FETCHES_MAX]; /* requested hosts, each once */
	size_t host_count;
	struct bytes hosts; /* the same as JSON strings separated by commas */
	struct bytes tree;
	JSValue surroundings;	      /* of surroundings.js: what the program calls there */
	double passed_ms;	      /* the time of the script's timers */
	struct rejection *rejections; /* rejected promises that nothing awaits, in order */
	unsigned rejection_count;
	struct source_location
	    where; /* in the source: for faults that have no source location of their own */
	struct bytes fault; /* the answer's "error", an object of JSON; empty: there is none */
};

/* Names the kinds of faults, as render-starlark does. */
#define FAULT_SCRIPT "script"
#define FAULT_APP "app"
#define FAULT_LIMIT "limit"
#define FAULT_LATE "late" /* the machine is too busy */
#define FAULT_REQUEST "request"

/* ---- request.c ---- */

/* Returns the number, truncated, or 0 if the value is no number. Frees the value. */
int64_t request_take_int64(JSContext *context, JSValue value);
/* Reads the head into run->request. Returns 0, or -1 with the fault set. */
int request_read(struct run *run, const char *head, size_t length)
    __attribute__((warn_unused_result));
void request_finish(struct run *run);
/* Returns by which factor the app draws wider and higher than the request's size: 2 on a wide panel
 * if its manifest supports that; else 1. The files must have been read. */
int request_magnification(const struct run *run);

/* ---- timers.c ---- */

/* Waits for an answer of the network or for the next timer, whichever comes first, and settles or
 * runs it. While a fetch is open, timers count the time of waiting; otherwise the clock stands
 * still, and the next timer runs at once. Returns false if there is nothing to wait for, or if the
 * fault is set. */
bool timers_wait(struct run *run) __attribute__((warn_unused_result));

/* ---- script.c ---- */

/* Callback for JS_SetHostPromiseRejectionTracker(); opaque is the run. */
void script_note_rejection(JSContext *context, JSValueConst promise, JSValueConst reason,
			   bool is_handled, void *opaque);
void script_forget_rejections(struct run *run);
/* Runs the script; sets the tree, or a fault. */
void script_run(struct run *run);

/* ---- missing.c ---- */

/* Returns 0, or -1 with an exception. */
int missing_define(struct run *run) __attribute__((warn_unused_result));
/* Returns the replacement to suggest if the message says that something is not defined; or NULL. */
const char *missing_hint(const char *message);

/* ---- imports.c ---- */

/* Resolves the name of an import in the file base: to the name of a file of the app, or of a
 * module. */
void imports_resolve(const struct run *run, const char *base, const char *name,
		     char to[static IMPORT_PATH_MAX]);
/* Finds the file's import of this specifier, in the script without types. */
bool imports_find(const struct file *file, const char *name, struct source_location *ret_location);
/* Finds the import of the name that the engine reports missing in a module. */
bool imports_find_missing(const struct run *run, const char *message,
			  struct source_location *ret_location);

/* ---- module.c ---- */

/* For JS_SetModuleLoaderFunc(). */
char *module_normalize(JSContext *context, const char *base, const char *name, void *opaque);
JSModuleDef *module_load(JSContext *context, const char *name, void *opaque);

/* ---- handler.c ---- */

/* Finds the handler that the request names in the schema, and calls it. *ret_field becomes the name
 * of the field's type, a static text. Returns the result; after an exception the fault is set, or
 * fault_take_exception() has to set it. */
JSValue handler_call(struct run *run, JSValueConst schema, const char **ret_field);

/* ---- source_location.c ---- */

/* Reads a line of a stack, as in "    at draw (app.ts:12:9)". Returns false if it names no source
 * location in the app. The location is in the script without types: location_map() maps it to the
 * source. */
bool location_read(const struct run *run, const char *line, struct source_location *ret_location);
void location_map(struct source_location *location);
/* Finds the script's call, in the script without types. Returns 0, or -1 with an exception. */
int location_of_call(struct run *run, struct source_location *ret_location)
    __attribute__((warn_unused_result));
/* Finds the start of the function, in the source. Returns false if it is not in the app. */
bool location_of_function(struct run *run, JSValueConst function,
			  struct source_location *ret_location);
/* Returns the stack as the engine writes it, to be freed; NULL: no function of the script is in it.
 */
char *location_stack(struct run *run);
/* Returns the location in the source of the line in the first file that begins with the
 * declaration; else that file's beginning. */
struct source_location location_of_export(const struct run *run, const char *declaration);

/* ---- parameters.c ---- */

/* Finds the fields in the literal of the call, whose name begins at call, at most max. budget:
 * bytes that may still be read. Returns their number. */
unsigned parameters_find(const struct file *file, const char *call, size_t *budget,
			 struct parameter *to, unsigned most);

/* ---- sites.c ---- */

/* Returns the site of the widget at the source location. After a thousand sites, all further ones
 * share one without a location. Returns NULL if there is no memory. */
const struct site *sites_find(struct run *run, const char *name,
			      const struct source_location *location);
/* Maps the locations of the sites and their fields to the source, numbers the sites, and writes
 * them as JSON. */
void sites_write(struct run *run, struct bytes *to);
/* Returns the location in the source of the field's name in the call; that of the call if it has no
 * such field. */
struct source_location site_location(const struct site *site, const char *field);
void sites_finish(struct run *run);

/* ---- panel.c ---- */

/* Defines the module "panel". Returns 0, or -1 with an exception. */
int panel_define(struct run *run) __attribute__((warn_unused_result));
/* Returns the name of the widget, like "Text" or "filter.Blur"; NULL if the value is no widget. */
const char *panel_widget_name(struct run *run, JSValueConst value);

/* Returns the site that made it; NULL if the value is no widget. */
const struct site *panel_site(struct run *run, JSValueConst value);

/* Whether it is a field of a schema, an option, or the schema. */
bool panel_is_form(const char *widget_name);

/* Adds the defaults of the module's schema to the request's config where a setting is missing.
 * Returns 0, or -1 with an exception. */
int defaults_set(struct run *run, JSValueConst module);

/* ---- console.c ---- */

/* Defines print() and console. Returns 0, or -1 with an exception. */
int console_define(struct run *run) __attribute__((warn_unused_result));

/* ---- fetch.c ---- */

/* Defines fetch(). Returns 0, or -1 with an exception. */
int fetch_define(struct run *run) __attribute__((warn_unused_result));
/* Waits for an answer, at most so long, and settles its promise. Returns false if the time is over:
 * then the fault is set. */
bool fetch_wait(struct run *run, double most_ms) __attribute__((warn_unused_result));
/* Waits until the process may compute, if it has told its parent that it waits. Returns as
 * fetch_wait() does. */
bool fetch_take_turn(struct run *run) __attribute__((warn_unused_result));
/* Whether the frame is not a request but the answer to a fetch, perhaps of an earlier request. */
bool fetch_is_answer(const struct frame *frame);
void fetch_finish(struct run *run);

/* ---- hosts.c ---- */

/* Notes the host of the URL, if there is one, for the author and the app's page. */
void hosts_note(struct run *run, const char *url);
void hosts_forget(struct run *run);

/* ---- response.c ---- */

/* Makes the result of a fetch; answer is an object with status, url and headers. The body is
 * NUL-terminated. */
JSValue response_make(struct run *run, JSValueConst answer, const char *body, size_t length);

/* ---- tree.c ---- */

/* Writes the result of main(), or a schema, into run->tree. Returns 0, or -1 with an exception. */
int tree_write(struct run *run, JSValueConst value) __attribute__((warn_unused_result));
/* Writes the result of the handler of such a field; a list of fields is written as a schema. */
int tree_write_reply(struct run *run, const char *field, JSValueConst value)
    __attribute__((warn_unused_result));

/* ---- fault.c ---- */

/* Sets the fault, unless one is set. If the memory was full, the fault says that instead. */
__attribute__((format(printf, 3, 4))) void fault_set(struct run *run, const char *kind,
						     const char *format, ...);
/* Makes a fault of the current exception. */
void fault_take_exception(struct run *run);
/* Makes a fault of the reason of a rejected promise. */
void fault_take(struct run *run, JSValueConst reason);
/* Whether the time is over; if so, sets the fault. */
bool fault_check_time(struct run *run);
/* Whether it is an error, or inherits from one, as a DOMException does. */
bool fault_is_error(JSContext *context, JSValueConst value);
/* "the app takes more than 2s". */
/* Returns the processor time that this process has used. */
int64_t cpu_us(void);
/* Returns the limit by the clock, in ms. */
int64_t fault_wall_ms(const struct request *request);
/* Message if the clock ends a request. */
#define FAULT_STARVED "the app's time is over: the machine is too busy"
/* Whether the time is over; stays true once it was. */
bool fault_is_late(struct run *run);
void fault_describe_time(char *to, size_t size, int64_t timeout_ms);
