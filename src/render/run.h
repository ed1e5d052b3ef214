/* Engine run on its way through the processes.
 *
 *   STARLARK    -> SCRIPT ---------------------> CHECK -> done
 *   TYPESCRIPT  -> COMPILE -> SCRIPT -> PAINT -> CHECK -> done
 *
 * Only a picture is checked. A job runs to its end even if its result is no longer needed: the
 * processes are at work. */
#pragma once

#include "answer.h"
#include "compiler.h"
#include "domain/app_files.h"
#include "egress.h"
#include "loop/lane_queue.h"
#include "picture_check.h"
#include "renderer.h"

struct run_tools {
	struct loop *loop;
	struct host_link *host;
	struct renderers *renderers;
	struct egress *egress;
};

/* Place of a run among its turns, which the engines give. */
enum run_place {
	RUN_QUEUED,  /* waits for its first turn, or for a further one */
	RUN_AT_WORK, /* has one */
	RUN_PARKED,  /* its process waits for the network, and needs none */
};

/* Request of the script to the network. */
struct run_fetch {
	struct egress_fetch fetch;
	struct engine_run *run;
};

enum { RUN_FETCHES_MAX = 20 };

struct engine_run {
	struct list node;	 /* the engines' */
	struct lane_job queued;	 /* the engines': its place in a queue; no thread runs it */
	struct engine_job *job;	 /* NULL: nobody waits for it */
	struct later cancelled;	 /* the engines' */
	struct engines *engines; /* the engines' */
	bool is_preview;
	bool is_quick;	 /* the engines': its account may have the place of previews */
	bool is_limited; /* it gets PREVIEW_LIMITED_MS in all */
	bool is_late;	 /* a process was killed at its deadline */
	bool has_begun;	 /* the engines': it had its first turn */
	enum run_place place;
	uint64_t turn_us; /* the engines': when its turn began */
	uint64_t held_us; /* the engines': how long its turns were */

	/* Copies from the job, except texts that only the start needs. */
	struct id account;
	enum engine_what what;
	enum engine_language language;
	size_t max_bytes;
	struct panelimage_size size;
	yyjson_mut_doc *head;

	const struct run_tools *tools;
	struct compilation compilation;
	uint64_t file_began_us; /* of the file in it */
	uint64_t compile_us;	/* by the clock, of the files before */
	unsigned compile_cpu_ms;
	struct buffer script; /* of an app of several files in TypeScript, and its files */
	struct app_files files;
	unsigned next_file;
	struct later wrong; /* it has no such files */
	char why_wrong[APP_FILES_WHY_MAX];
	struct renderer_request request;
	struct run_fetch fetches[RUN_FETCHES_MAX];
	unsigned fetch_count;
	struct buffer held_head, held_body; /* an answer of the network, until it has a turn */
	bool has_held;
	bool has_network;
	bool is_refused;
	const char *why_public;
	struct buffer scope;
	struct picture_check check;
	bool is_painting;
	struct engine_answer answer;
	uint64_t started_us;
	void (*done)(struct engine_run *run);
	/* Its process waits for the network and computes nothing: gives its turn back, or keeps it
	 * where too many have done so. */
	void (*parks)(struct engine_run *run);
	/* There is an answer: wants a turn again, and then run_go_on(). */
	void (*resumes)(struct engine_run *run);
};

/* 0 or -EINVAL; then there is nothing to finish. */
__attribute__((warn_unused_result)) int run_init(struct engine_run *run, struct engine_job *job);
/* After done(), or before run_start(). */
void run_finish(struct engine_run *run);

/* The job is there. done() comes once, later from the loop. */
void run_start(struct engine_run *run, const struct run_tools *tools);
/* Gives the process the answer that it has waited for. */
void run_go_on(struct engine_run *run);
