#include "base/clock.h"
#include "base/limits.h"
#include "base/require.h"
#include "downloads.h"
#include "metric/metric.h"
#include "outbound.h"
#include "preview_accounts.h"
#include "render/engines.h"
#include "run.h"
#include "run_fetches.h"

#include <errno.h>

/* Previews, other runs and messages: each kind has its own queue, fair between accounts. */
enum { PREVIEWS, RENDERS, MESSAGES, QUEUES };

enum {
	RETRY_AFTER_S = 2,
	LEAST_CPU_PART = 8,
	MESSAGES_RUNNING = 2, /* at the same time: each takes a few tenths of a second at most */
};

struct engines {
	struct loop *loop;
	struct engines_settings settings;
	struct run_tools tools;
	struct outbound *outbound;
	struct downloads *downloads;
	struct lane_queue queues[QUEUES];
	struct preview_accounts accounts, sketchers;
	struct memory_budget held;
	unsigned quick_previews; /* running ones */
	unsigned parked;	 /* runs that wait for the network, or then for a turn */
	struct list running;	 /* of struct engine_run */
	bool preview_was_last;
	bool is_draining;
};

/* ---- the end of a run ---- */

/* Delivers the answer; the receiver may submit the next job. */
static void deliver(struct engine_run *run)
{
	struct engine_job *job = run->job;

	loop_later_cancel(&run->cancelled);
	if (!job)
		return;
	run->job = NULL;
	job->run = NULL;
	job->answer = run->answer;
	run->answer = (struct engine_answer){0};
	job->done(job);
}

static void free_run(struct engine_run *run)
{
	list_remove(&run->node);
	run_finish(run);
	free(run);
}

static struct lane_queue *queue_of(struct engine_run *run)
{
	if (run->is_message)
		return &run->engines->queues[MESSAGES];
	return &run->engines->queues[run->is_preview ? PREVIEWS : RENDERS];
}

/* Ends a turn, which costs its account the time for which others had to wait. is_whole: the run has
 * ended with it. */
static void end_turn(struct engine_run *run, bool is_whole)
{
	uint64_t turn_us = clock_monotonic_us() - run->turn_us;
	struct lane_slice slice = {.cpu_us = turn_us, .wall_us = turn_us, .is_dropped = !is_whole};

	run->held_us += turn_us;
	run->engines->quick_previews -= run->is_quick;
	run->is_quick = false;
	lane_queue_give_back(queue_of(run), &run->queued, &slice);
}

/* Drops a turn in which nothing was done. */
static void drop_turn(struct engine_run *run)
{
	struct lane_slice slice = {.is_dropped = true};

	run->engines->quick_previews -= run->is_quick;
	lane_queue_give_back(queue_of(run), &run->queued, &slice);
}

/* Returns what a preview costs its account: its CPU time, since other programs decide how long a
 * turn takes. Its process reports that, so it is at least a part of its turns; a run that waited
 * for the network in a turn is charged all of them. */
static uint64_t preview_cost_us(const struct engine_run *run)
{
	uint64_t least_us = run->has_waited ? run->held_us : run->held_us / LEAST_CPU_PART;

	if (run->answer.cpu_us < least_us)
		return least_us;
	return run->answer.cpu_us < run->held_us ? run->answer.cpu_us : run->held_us;
}

static void leave(struct engine_run *run)
{
	switch (run->state) {
	case RUN_AT_WORK:
		end_turn(run, true);
		break;
	case RUN_PARKED:
		run->engines->parked--;
		break;
	case RUN_QUEUED:
		run->engines->parked--;
		lane_queue_remove(queue_of(run), &run->queued);
		break;
	}
	if (run->is_preview)
		preview_note(&run->engines->accounts, run->account, run->what,
			     run->has_full_time ? ENGINE_DONE : run->answer.problem.kind,
			     preview_cost_us(run), clock_monotonic_us());
	if (run->is_sketch)
		preview_note(&run->engines->sketchers, run->account, run->what, ENGINE_DONE,
			     ENGINE_SKETCH_WEIGHT * preview_cost_us(run), clock_monotonic_us());
}

static void start_waiting(struct engines *engines);

/* The metrics name languages and results in this order. */
_Static_assert((int)ENGINE_LANGUAGE_COUNT == METRIC_TYPESCRIPT + 1 &&
		   (int)ENGINE_TYPESCRIPT == (int)METRIC_TYPESCRIPT,
	       "enum metric_language has the engines' languages");
_Static_assert((int)ENGINE_CANCELLED == (int)METRIC_RENDER_CANCELLED &&
		   (int)ENGINE_CRASH == (int)METRIC_RENDER_CRASH,
	       "enum metric_render_result has the engines' results");

static void count(const struct engine_run *run)
{
	metric_add(METRIC_RENDERS,
		   metric_pair(METRIC_RENDERS, run->language, run->answer.problem.kind), 1);
	metric_observe(METRIC_RENDER_DURATION, run->language, run->answer.elapsed_us);
}

static unsigned lane_of(const struct engine_run *run)
{
	if (run->is_message)
		return METRIC_LANE_MESSAGE;
	return run->is_preview ? METRIC_LANE_PREVIEW : METRIC_LANE_RENDER;
}

static void on_done(struct engine_run *run)
{
	struct engines *engines = run->engines;

	if (run->answer.elapsed_us == 0)
		run->answer.elapsed_us = clock_monotonic_us() - run->started_us;
	count(run);
	leave(run);
	run->answer.held_us = run->held_us;
	deliver(run);
	free_run(run);
	start_waiting(engines);
}

/* ---- runs that wait for the network ---- */

/* Whether the run occupies a process without a turn: until it has one again. */
static bool is_parked(const struct engine_run *run)
{
	return run->state == RUN_PARKED || (run->state == RUN_QUEUED && run->has_begun);
}

/* Whether a run of the account may be parked: an account may park as many as it leaves to others,
 * since each occupies a process and its memory. */
static bool may_park(const struct engines *engines, struct id account)
{
	unsigned own = 0;

	list_for_each (node, &engines->running) {
		const struct engine_run *run = container_of(node, struct engine_run, node);

		own += is_parked(run) && id_equal(run->account, account);
	}
	return engines->parked + own < LIMIT_PARKED_RENDERS;
}

static void on_parks(struct engine_run *run)
{
	struct engines *engines = run->engines;

	if (!may_park(engines, run->account)) {
		run->has_waited = true;
		return;
	}
	end_turn(run, false);
	run->state = RUN_PARKED;
	run->request.is_waiting = true;
	engines->parked++;
	start_waiting(engines);
}

static void on_resumes(struct engine_run *run)
{
	uint64_t wait_us;

	run->state = RUN_QUEUED;
	run->queued.goes_on = true;
	require(lane_queue_add(queue_of(run), &run->queued, &wait_us) == 0);
	start_waiting(run->engines);
}

/* ---- turns ---- */

/* Whether a process is free, not counting the one reserved for previews of accounts that are not
 * slow. */
static bool has_common_room(const struct engines *engines)
{
	unsigned common = engines->queues[RENDERS].running + engines->queues[PREVIEWS].running -
			  (engines->quick_previews > 0);

	return common < engines->settings.processes;
}

static bool may_preview(const struct lane_queue *queue, struct id account)
{
	const struct engines *engines = container_of(queue, struct engines, queues[PREVIEWS]);

	return has_common_room(engines) ||
	       (engines->quick_previews == 0 &&
		!preview_is_slow(&engines->accounts, account, clock_monotonic_us()));
}

static struct lane_job *take_from(struct engines *engines, unsigned queue)
{
	struct lane_job *job = NULL;

	if (queue == PREVIEWS || has_common_room(engines))
		job = lane_queue_take(&engines->queues[queue]);
	if (job)
		engines->preview_was_last = queue == PREVIEWS;
	return job;
}

/* Messages have processes of their own. Of the others previews go first, but not twice if others
 * wait. */
static struct lane_job *take(struct engines *engines)
{
	unsigned first = engines->preview_was_last ? RENDERS : PREVIEWS;
	struct lane_job *job = lane_queue_take(&engines->queues[MESSAGES]);

	if (!job)
		job = take_from(engines, first);
	return job ? job : take_from(engines, first == RENDERS ? PREVIEWS : RENDERS);
}

static void begin_turn(struct engine_run *run)
{
	struct engines *engines = run->engines;

	engines->parked -= run->has_begun;
	run->state = RUN_AT_WORK;
	run->turn_us = clock_monotonic_us();
	run->is_quick =
	    run->is_preview && !preview_is_slow(&engines->accounts, run->account, run->turn_us);
	engines->quick_previews += run->is_quick;
}

static void engine_begin(struct engine_run *run)
{
	struct engines *engines = run->engines;

	if (!run->job) {
		drop_turn(run);
		free_run(run);
		return;
	}
	run->has_begun = true;
	/* Compiles are exempt: their result is kept for everybody, and they are few. */
	run->is_limited =
	    run->is_preview && !run->has_full_time && run->what != ENGINE_COMPILE &&
	    preview_is_limited(&engines->accounts, run->account, run->what, run->turn_us);
	metric_observe(METRIC_LANE_WAIT, lane_of(run), run->turn_us - run->queued.submitted_us);
	run_start(run, &engines->tools);
}

static void start_waiting(struct engines *engines)
{
	struct lane_job *queued;

	while (!engines->is_draining && (queued = take(engines))) {
		struct engine_run *run = container_of(queued, struct engine_run, queued);

		begin_turn(run);
		/* A process works on it, even if nobody waits for the result. */
		if (run->has_begun)
			run_go_on(run);
		else
			engine_begin(run);
	}
}

static void on_cancelled(struct later *later)
{
	struct engine_run *run = container_of(later, struct engine_run, cancelled);
	struct engine_job *job = run->job;

	run->job = NULL;
	job->run = NULL;
	(void)answer_begin(&job->answer);
	answer_fail(&job->answer, ENGINE_CANCELLED, "cancelled: no request waits for it");
	job->done(job);
}

/* ---- public functions ---- */

/* Returns NULL, or why the language is missing. */
static const char *missing(const struct engines *engines, enum engine_language language)
{
	/* The renderer for Starlark paints for both. */
	static const enum render_program programs[] = {RENDER_STARLARK, RENDER_TYPESCRIPT,
						       RENDER_COMPILER};
	unsigned count = language == ENGINE_STARLARK ? 1 : array_length(programs);
	const char *why_not = engines->settings.missing[language];

	return why_not ? why_not : render_health_problem(engines->settings.health, programs, count);
}

int engines_submit(struct engines *engines, struct engine_job *job, unsigned *ret_retry_after_s)
{
	struct engine_run *run;
	uint64_t wait_us, now_us = clock_monotonic_us();
	int error;

	*ret_retry_after_s = RETRY_AFTER_S;
	job->answer = (struct engine_answer){0};
	if (missing(engines, job->language) ||
	    (job->is_message && !render_health_has(engines->settings.health, RENDER_MESSAGE)))
		return -ENOTSUP;
	if (engines->is_draining)
		return -EAGAIN;
	if (job->is_sketch && preview_is_slow(&engines->sketchers, job->account, now_us))
		return -EDQUOT;
	run = memory_zalloc(sizeof(*run));
	error = run_init(run, job);
	if (error < 0) {
		free(run);
		return error;
	}
	run->engines = engines;
	run->done = on_done;
	run->parks = on_parks;
	run->resumes = on_resumes;
	run->queued.account = job->account;
	loop_later_init(&run->cancelled, on_cancelled);
	error = lane_queue_add(queue_of(run), &run->queued, &wait_us);
	if (error < 0) {
		lane_count_refusal(lane_of(run), error);
		free_run(run);
		return error;
	}
	run->queued.submitted_us = now_us;
	job->run = run;
	list_append(&engines->running, &run->node);
	start_waiting(engines);
	return 0;
}

void engines_cancel(struct engines *engines, struct engine_job *job)
{
	if (job->run)
		loop_later(engines->loop, &job->run->cancelled);
}

void engine_job_finish(struct engine_job *job)
{
	require(!job->run);
	answer_finish(&job->answer);
}

bool engines_has(const struct engines *engines, enum engine_language language,
		 const char **ret_why_not)
{
	*ret_why_not = missing(engines, language);
	return !*ret_why_not;
}

bool engines_exist(const struct engines *engines)
{
	return !engines->settings.missing[ENGINE_STARLARK];
}

void engines_describe(const struct engines *engines, struct buffer *text)
{
	if (engines->tools.renderers)
		renderers_describe(engines->tools.renderers, text);
}

void engines_tell(const struct engines *engines)
{
	lane_tell(METRIC_LANE_PREVIEW, &engines->queues[PREVIEWS]);
	lane_tell(METRIC_LANE_RENDER, &engines->queues[RENDERS]);
	lane_tell(METRIC_LANE_MESSAGE, &engines->queues[MESSAGES]);
}

struct outbound *engines_outbound(struct engines *engines)
{
	return engines->outbound;
}

struct downloads *engines_downloads(struct engines *engines)
{
	return engines->downloads;
}

struct host_link *engines_host(const struct engines *engines)
{
	return engines->is_draining ? NULL : engines->tools.host;
}

struct engines *engines_create(struct loop *loop, const struct engines_settings *settings)
{
	struct engines *engines = memory_zalloc(sizeof(*engines));

	engines->loop = loop;
	engines->settings = *settings;
	list_init(&engines->running);
	lane_queue_init(&engines->queues[PREVIEWS], settings->processes + 1, LIMIT_PREVIEWS, 0);
	lane_queue_init(&engines->queues[RENDERS], settings->processes, LIMIT_RENDERS, 0);
	lane_queue_init(&engines->queues[MESSAGES], MESSAGES_RUNNING, LIMIT_PREVIEWS, 0);
	engines->queues[PREVIEWS].may_run = may_preview;
	preview_accounts_init(&engines->accounts);
	preview_accounts_init(&engines->sketchers);
	engines->tools.loop = loop;
	engines->tools.held = &engines->held;
	if (settings->host >= 0) {
		engines->tools.host = host_link_open(loop, settings->host, settings->health);
		engines->tools.renderers = renderers_create(
		    loop, engines->tools.host,
		    settings->idle_ms ? settings->idle_ms : LIMIT_RENDERER_IDLE_MS);
		engines->tools.egress = egress_create(loop, engines->tools.host);
	}
	engines->outbound = outbound_create(loop, engines->tools.egress);
	engines->downloads =
	    downloads_create(loop, engines->tools.egress, settings->download_folder);
	return engines;
}

/* A check in a lane runs to its end, and the lane is waited for; everything else can be abandoned.
 */
void engines_drain(struct engines *engines)
{
	if (engines->is_draining)
		return;
	engines->is_draining = true;
	list_for_each (node, &engines->running) {
		struct engine_run *run = container_of(node, struct engine_run, node);

		if (run->job)
			loop_later(engines->loop, &run->cancelled);
		compiler_stop(&run->compilation);
	}
	outbound_drain(engines->outbound);
	downloads_drain(engines->downloads);
	if (!engines->tools.host)
		return;
	renderers_destroy(engines->tools.renderers);
	egress_destroy(engines->tools.egress);
	host_link_close(engines->tools.host);
}

void engines_destroy(struct engines *engines)
{
	list_for_each (node, &engines->running) {
		struct engine_run *run = container_of(node, struct engine_run, node);

		require(!run->job);
		if (run->state == RUN_QUEUED)
			continue;
		if (run->state == RUN_AT_WORK)
			drop_turn(run);
		free_run(run);
	}
	for (int i = 0; i < QUEUES; i++) {
		for (struct lane_job *queued; (queued = lane_queue_take(&engines->queues[i]));) {
			struct engine_run *run = container_of(queued, struct engine_run, queued);

			drop_turn(run);
			free_run(run);
		}
		lane_queue_finish(&engines->queues[i]);
	}
	preview_accounts_finish(&engines->accounts);
	preview_accounts_finish(&engines->sketchers);
	outbound_destroy(engines->outbound);
	downloads_destroy(engines->downloads);
	free(engines);
}
