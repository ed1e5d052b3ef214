/* Runs render jobs, for a worker.
 *
 *   engines_submit(job) -> queues: previews and others by turns, accounts fairly by CPU time
 *                           |
 *              Starlark     script -> renderer ----------------------> picture
 *              TypeScript   script -> compiler -> renderer -> painter -> picture
 *                           |                                            |
 *   job->done(job) <- checked and cut in a worker lane like an untrusted file
 *
 * A script runs in a process of its own kind, in the sandbox (subprojects/sandbox). The render host
 * starts it when a job needs it (render/host.h); it ends after LIMIT_RENDERER_IDLE_MS without a
 * job. A script can only fail its own job: its process is killed at its deadline, and at once if it
 * crashes, breaks the protocol or sends too much.
 *
 * A script that waits for the network gives its turn back, and gets another one with the answer:
 * its process stays, idle (LIMIT_PARKED_RENDERS).
 *
 * Messages have a queue and processes of their own, at the workers' priority: they cost little, and
 * a person waits; sketches of them are drawn while it types. One process is reserved for previews,
 * except those of accounts whose recent previews took long. After a preview that has met a limit,
 * the account's next ones get one second, for a minute (src/render/preview_accounts.h).
 *
 * All runs on the loop's thread. */
#pragma once

#include "base/id.h"
#include "loop/loop.h"

struct engines;
struct host_link;
struct engine_run;

enum engine_language { ENGINE_STARLARK, ENGINE_TYPESCRIPT, ENGINE_LANGUAGE_COUNT };

/* Returns the socket to the render host; NULL: there is none, or the engines are drained. */
struct host_link *engines_host(const struct engines *engines);

/* Reads the name of a language as versions have it: "STARLARK", "TYPESCRIPT". */
__attribute__((warn_unused_result)) bool engine_language_read(struct str name,
							      enum engine_language *ret_language);

enum engine_what {
	ENGINE_PICTURE,
	ENGINE_SCHEMA,
	ENGINE_HANDLER, /* the result of one of the schema's handlers */
	ENGINE_COMPILE, /* TypeScript: only answer.compiled, or the problem */
};

/* Processor time of a sketch, and how often it counts: an account draws them for a twelfth of the
 * time, not a quarter as previews. */
enum { ENGINE_SKETCH_MS = 20, ENGINE_SKETCH_WEIGHT = 3 };

enum engine_problem_kind {
	ENGINE_DONE,	     /* no problem */
	ENGINE_WRONG_SCRIPT, /* error in the script, mostly with its location */
	ENGINE_NO_APP, /* the upload is not an app: no main(), an invalid archive or manifest */
	ENGINE_LIMIT,  /* limit of CPU time, memory, recursion or size */
	ENGINE_LATE,   /* not the script's fault: out of wall time on a busy machine. Try again with
			* growing pauses */
	ENGINE_CRASH,  /* the process has ended, or its answer is invalid */
	ENGINE_BAD_REQUEST,   /* the caller's fault: an unknown time zone, an invalid size */
	ENGINE_BAD_PICTURE,   /* the result is not a picture for a panel */
	ENGINE_NOT_AVAILABLE, /* not the script's fault: a process could not be started, or ended
			       * because another one did. Try again */
	ENGINE_CANCELLED,
};

/* Texts are UTF-8 of bounded length; empty if not known. */
struct engine_problem {
	enum engine_problem_kind kind;
	struct str message;   /* sentence for the author */
	struct str file;      /* file's name in the author's archive */
	int line, column;     /* from 1; 0: not known */
	struct str backtrace; /* lines */
};

struct engine_answer {
	struct engine_problem problem;
	bool is_limited; /* the problem is the reduced time of its account: runs of others may
			    succeed */

	/* ENGINE_PICTURE: a WebP that panels take, or empty: the app has nothing to show. */
	struct str picture;
	unsigned duration_ms; /* duration of one loop of the animation; 0: a still */
	/* Part of the animation that was left out, and that its turn ends before it; empty: it is
	 * shown whole. */
	struct str cut;
	int max_age_s;	/* requested by the script; 0: none */
	int interval_s; /* from the manifest; 0: for each turn; -1: none */
	bool show_full_animation;

	struct str schema; /* ENGINE_SCHEMA: JSON, an object; empty: the app has none */
	struct str result; /* ENGINE_HANDLER: what the handler returned */
	/* TypeScript, if the job had none and the script compiles: JavaScript that ends with a map
	 * of its source. It depends only on the script, so it may be kept. */
	struct str compiled;

	struct str log;	      /* printed lines, each with "\n": at most 50 and 8 KiB */
	unsigned log_dropped; /* number of lines that did not fit */
	struct str hosts;     /* hosts that it has asked, separated by spaces */

	/* Sums over all processes of the run. */
	uint64_t elapsed_us; /* without the time to start them */
	uint64_t cpu_us;
	uint64_t held_us;      /* time in which it occupied a renderer */
	uint64_t memory_bytes; /* peak of their memory */

	void *memory; /* private: memory of the texts */
};

/* Engine run to be done. Embed it. Its public members, and the texts, must not change until done().
 */
struct engine_job {
	struct id account; /* account whose share it uses */
	enum engine_what what;
	enum engine_language language;
	struct str script;   /* as uploaded: one file, or several as txtar */
	struct str compiled; /* TypeScript: from an earlier answer; empty: it is compiled first */
	/* Checksum of the version, or another name of the script. Answers to its network requests
	 * are cached under this name, and not shared with others. */
	struct str scope;
	struct str config; /* JSON, an object of settings; empty: {} */
	bool keeps_zone;   /* use the settings' own "$tz", if they have one */

	int64_t now_ms;		     /* fixed Unix time of the script's clock */
	struct str timezone, locale; /* empty: UTC, en */
	uint64_t seed;
	unsigned width, height; /* 0: those of the smallest panels */
	bool is_doubled; /* the picture has twice the width and height: an app that supports it is
			  * drawn so, another one is enlarged */
	unsigned max_duration_ms; /* an animation is cut here; 0: 15 s */
	/* End of an animation with show_full_animation, if later; 0: max_duration_ms. */
	unsigned max_whole_ms;
	/* The turn of an animation that is shown to its end: answer.cut says if the turn ends
	 * before it; 0: nothing is said of it. */
	unsigned turn_ms;
	size_t max_bytes; /* a larger animation gets more effort, and is cut at a frame; 0: the
			   * limit of panels */
	bool has_network;
	bool is_refused; /* all network requests are refused; answer.hosts names their hosts */
	/* Why the script reaches only public addresses, and nothing that --egress-allow opens: a
	 * clause for its author, static. NULL: no such restriction. */
	const char *why_public;
	bool is_preview; /* a person waits for it */
	bool
	    has_full_time; /* a preview that the account's earlier ones do not limit, nor it them */
	/* Additional time by the clock for a script in Starlark, and for painting: for a run that
	 * was ENGINE_LATE before. */
	unsigned wall_extra_ms;
	/* The server's own script, in Starlark: it has a queue and processes of its own, at the
	 * workers' priority. */
	bool is_message;
	/* A message that is still being written: it gets ENGINE_SKETCH_MS, which includes its
	 * encoding, and its account a twelfth of a processor in the long run. Set is_message, too.
	 */
	bool is_sketch;

	struct str handler, parameter; /* ENGINE_HANDLER */

	/* Called from the loop, exactly once, however the job ends. The answer belongs to the job
	 * until engine_job_finish(). */
	void (*done)(struct engine_job *job);
	struct engine_answer answer;

	struct engine_run *run; /* private */
};

/* Submits a job. Returns 0, or an error, and done() is never called:
 *   -EAGAIN   the queue is full
 *   -EDQUOT   the account has its share of it, or its sketches took their share of the time
 *   -ENOTSUP  engines_has() says why
 *   -EINVAL   the config is no object, or a text no UTF-8
 * *ret_retry_after_s: when to try again, 1 to 30. */
__attribute__((warn_unused_result)) int
engines_submit(struct engines *engines, struct engine_job *job, unsigned *ret_retry_after_s);

/* Cancels a job: done() is called in the next turn, with ENGINE_CANCELLED. A process that works on
 * it continues to its end or its deadline. */
void engines_cancel(struct engines *engines, struct engine_job *job);

/* Frees the answer of a job, if it has one. */
void engine_job_finish(struct engine_job *job);

/* Whether this build has the language. If not, *ret_why_not is a static sentence for people. */
bool engines_has(const struct engines *engines, enum engine_language language,
		 const char **ret_why_not);

/* Whether there are engines at all: this build has the one for Starlark, which both languages need.
 */
bool engines_exist(const struct engines *engines);

/* Lists the names of the languages of this build, static. Returns how many. */
unsigned engines_languages(const struct engines *engines,
			   struct str ret_names[static ENGINE_LANGUAGE_COUNT]);

/* Version of everything that makes pictures, part of their key: changes if pictures may. Static. */
const char *engines_version(void);
