/* Runs render jobs, for a worker.
 *
 *   engines_submit(job) -> queue: previews and others by turns, accounts fairly by CPU time
 *                           |
 *              Starlark     script -> renderer ----------------------> picture
 *              TypeScript   script -> compiler -> renderer -> painter -> picture
 *                           |                                            |
 *   job->done(job) <- checked and cut in a worker lane like an untrusted file
 *
 * A script runs in a process of its own kind, in the sandbox (subprojects/sandbox). The render host
 * starts it when a job needs it (render/host.h); it ends after LIMIT_RENDERER_IDLE_MS without a
 * job. A script can only fail its own job: its process is killed at its deadline, and at once if it
 * crashes, lies or floods.
 *
 * A script in Starlark that waits for the network gives its turn back, and gets another one with
 * the answer: its process stays, and computes nothing (LIMIT_PARKED_RENDERS).
 *
 * One process is reserved for previews, except those of accounts whose recent previews took long.
 * After a preview that has met a limit, the account's next ones get one second, for a minute
 * (src/render/preview_accounts.h).
 *
 * All runs on the loop's thread. */
#pragma once

#include "base/id.h"
#include "loop/loop.h"

struct engines;
struct host_link;
struct engine_run;

enum engine_language { ENGINE_STARLARK, ENGINE_TYPESCRIPT, ENGINE_LANGUAGE_COUNT };

/* A clause for why_public of a job: administrators have closed local addresses to all apps. */
#define ENGINE_LOCAL_IS_CLOSED                                                                     \
	"an administrator has closed local addresses to all apps: Administration, Instance"

/* Link to the render host; NULL: there is none, or the engines are drained. */
struct host_link *engines_host(const struct engines *engines);

/* By the name that versions have it by: "STARLARK", "TYPESCRIPT". */
__attribute__((warn_unused_result)) bool engine_language_read(struct str name,
							      enum engine_language *ret_language);

enum engine_what {
	ENGINE_PICTURE,
	ENGINE_SCHEMA,
	ENGINE_HANDLER, /* the answer of one of the schema's handlers */
	ENGINE_COMPILE, /* TypeScript: nothing but answer.compiled, or the problem */
};

enum engine_problem_kind {
	ENGINE_DONE,	     /* none */
	ENGINE_WRONG_SCRIPT, /* the render key is known, mostly */
	ENGINE_NO_APP,	     /* the upload is none: no main(), a bad archive, a bad manifest */
	ENGINE_LIMIT,	     /* of time of the processor, memory, recursion, size */
	ENGINE_LATE,  /* no script is to blame: the clock has ended it on a busy machine. To be
		       * tried again, later and later */
	ENGINE_CRASH, /* the process has ended, or has answered what is no answer */
	ENGINE_BAD_REQUEST,   /* the caller's fault: an unknown time zone, a size that is none */
	ENGINE_BAD_PICTURE,   /* what came is no picture for a panel */
	ENGINE_NOT_AVAILABLE, /* no script is to blame: a process could not be started, or ended
			       * because another one did. To be tried again */
	ENGINE_CANCELLED,
};

/* Texts are UTF-8, their lengths bounded; empty ones are not known. */
struct engine_problem {
	enum engine_problem_kind kind;
	struct str message;   /* a sentence for the author */
	struct str file;      /* as the author calls it */
	int line, column;     /* from 1; 0: not known */
	struct str backtrace; /* lines */
};

struct engine_answer {
	struct engine_problem problem;
	bool is_limited; /* the problem is the short time of its account: others' runs may do */

	/* ENGINE_PICTURE: a WebP that panels take, or empty: the app has nothing to show. */
	struct str picture;
	unsigned duration_ms; /* of one run of the animation; 0: a still */
	bool is_cut;	      /* the animation goes on longer, but was cut at a frame */
	int max_age_s;	      /* the script's wish; 0: none */
	int interval_s;	      /* the manifest's; 0: for each turn; -1: none */
	bool show_full_animation;

	struct str schema; /* ENGINE_SCHEMA: JSON, an object; empty: the app has none */
	struct str result; /* ENGINE_HANDLER: what the handler returned */
	/* TypeScript, if the job had none and the script compiles: JavaScript that ends with a
	 * map of its source. The same script always has the same one, which may be kept. */
	struct str compiled;

	struct str log;	      /* what it printed: lines that end with "\n", 50 at most, 8 KiB */
	unsigned log_dropped; /* lines that did not fit */
	struct str hosts;     /* that it has asked, separated by spaces */

	/* Sums of all processes that took part. */
	uint64_t elapsed_us; /* without what they took to start */
	uint64_t cpu_us;
	uint64_t memory_bytes; /* the most that they held */

	void *memory; /* private: what the texts lie in */
};

/* Embed it. What is set stays as it is, and texts where they are, until done(). */
struct engine_job {
	struct id account; /* whose share it uses */
	enum engine_what what;
	enum engine_language language;
	struct str script;   /* as it was uploaded: one file, or several as txtar */
	struct str compiled; /* TypeScript: an earlier answer's; empty: it is compiled first */
	/* The checksum of the version, or whatever else names the script: what it has asked for by
	 * network is cached in this name, and is shared with no other one. */
	struct str scope;
	struct str config; /* JSON, an object of settings; empty: {} */
	bool keeps_zone;   /* the settings' own "$tz" counts, if they have one */

	int64_t now_ms;		     /* the script's clock stands still at this Unix time */
	struct str timezone, locale; /* empty: UTC, en */
	uint64_t seed;
	unsigned width, height;	  /* 0: a panel's */
	unsigned max_duration_ms; /* an animation ends here; 0: 15 s */
	/* End of an animation with show_full_animation, if later; 0: as all others. */
	unsigned max_whole_ms;
	size_t max_bytes; /* a longer animation is cut at a frame; 0: as panels take it */
	bool has_network;
	bool is_refused; /* with it: each request is, and answer.hosts names whom it asks */
	/* Why it reaches public addresses only, and nothing that --egress-allow opens: a clause for
	 * its author, static. NULL: it does. */
	const char *why_public;
	bool is_preview; /* a person waits for it */

	struct str handler, parameter; /* ENGINE_HANDLER */

	/* Called from the loop, exactly once, however the job ends. The answer is the job's until
	 * engine_job_finish(). */
	void (*done)(struct engine_job *job);
	struct engine_answer answer;

	struct engine_run *run; /* private */
};

/* 0, or why it is refused, and done() is never called:
 *   -EAGAIN   the queue is full
 *   -EDQUOT   the account has its share of it
 *   -ENOTSUP  engines_has() says why
 *   -EINVAL   the config is no object, or a text no UTF-8
 * *ret_retry_after_s: when to try again, 1 to 30. */
__attribute__((warn_unused_result)) int
engines_submit(struct engines *engines, struct engine_job *job, unsigned *ret_retry_after_s);

/* Nobody waits for it any more: done() comes in the next turn, with ENGINE_CANCELLED. A process
 * that works on it goes on to its end or its deadline. */
void engines_cancel(struct engines *engines, struct engine_job *job);

/* Frees what the answer holds. One that has none is fine. */
void engine_job_finish(struct engine_job *job);

/* Whether this build has the language. False: *ret_why_not is a sentence for people, static. */
bool engines_has(const struct engines *engines, enum engine_language language,
		 const char **ret_why_not);

/* The names of the languages that this build has, static; how many. */
unsigned engines_languages(const struct engines *engines,
			   struct str ret_names[static ENGINE_LANGUAGE_COUNT]);

/* Version of everything that makes pictures, part of their key: changes if pictures may. Static. */
const char *engines_version(void);
