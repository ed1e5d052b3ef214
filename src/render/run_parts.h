/* State of an engine run (run.h), for those that work on it. */
#pragma once

#include "answer.h"
#include "base/memory_budget.h"
#include "compiler.h"
#include "domain/app_files.h"
#include "egress.h"
#include "loop/lane_queue.h"
#include "picture_check.h"
#include "renderer.h"

struct run_tools {
	struct loop *loop;
	struct memory_budget *held; /* memory of answers that wait for their runs' turns */
	struct host_link *host;
	struct renderers *renderers;
	struct egress *egress;
};

/* State of a run with respect to the turns that the engines give. */
enum run_state {
	RUN_QUEUED,  /* waits for its first turn, or for a further one */
	RUN_AT_WORK, /* has a turn */
	RUN_PARKED,  /* its process waits for the network, and needs no turn */
};

/* Request of the script to the network. */
struct run_fetch {
	struct egress_fetch fetch;
	struct engine_run *run;
};

enum { RUN_FETCHES_MAX = 20 };

struct engine_run {
	struct list node;	 /* used by the engines */
	struct lane_job queued;	 /* used by the engines: node in a queue; no thread runs it */
	struct engine_job *job;	 /* NULL: nobody waits for it */
	struct later cancelled;	 /* used by the engines */
	struct engines *engines; /* used by the engines */
	bool is_preview, has_full_time, is_message, is_sketch;
	bool is_quick;	 /* used by the engines: its account may use the process reserved for
			    previews */
	bool is_limited; /* it gets PREVIEW_LIMITED_MS in all */
	bool is_late;	 /* a process was killed at its deadline */
	bool has_begun;	 /* used by the engines: it had its first turn */
	bool has_waited; /* used by the engines: for the network, in a turn */
	enum run_state state;
	uint64_t turn_us; /* used by the engines: when its turn began */
	uint64_t held_us; /* used by the engines: duration of its turns */

	/* Copies from the job, except texts that only the start needs. */
	struct id account;
	enum engine_what what;
	enum engine_language language;
	unsigned turn_ms;
	size_t max_bytes;
	struct panelimage_size size;
	yyjson_mut_doc *head;

	const struct run_tools *tools;
	struct compilation compilation;
	uint64_t file_began_us; /* begin of the current file */
	uint64_t compile_us;	/* wall time of the previous files */
	unsigned compile_cpu_ms;
	struct buffer script; /* of an app of several files in TypeScript, and its files */
	struct app_files files;
	unsigned next_file;
	struct later wrong; /* reports that the files are invalid */
	char why_wrong[APP_FILES_WHY_MAX];
	struct renderer_request request;
	struct run_fetch fetches[RUN_FETCHES_MAX];
	unsigned fetch_count;
	unsigned unanswered; /* fetches whose answer was not sent to the process */
	struct buffer held;  /* frames with answers of the network, until the run has a turn */
	struct memory_share *share; /* of the memory of held answers; NULL: it has none */
	size_t held_bytes;
	bool lacks_answer;    /* there was no memory for one */
	uint64_t answered_us; /* when the first of them came, or a timer was due */
	int64_t turn; /* number of the turn that the process asks for; 0: it asks for none */
	bool has_network;
	unsigned wall_extra_ms;
	bool is_refused;
	const char *why_public;
	struct buffer scope;
	struct picture_check check;
	bool is_painting;
	struct engine_answer answer;
	uint64_t started_us;
	void (*done)(struct engine_run *run);
	/* Called when its process waits for the network and computes nothing: gives its turn back,
	 * or keeps it if too many are parked. */
	void (*parks)(struct engine_run *run);
	/* Called when there is an answer, or a timer is due: the run needs a turn again, and then
	 * run_go_on(). */
	void (*resumes)(struct engine_run *run);
};
