#include "main/children.h"
#include "base/log.h"
#include "base/memory.h"
#include "main/child_log.h"
#include "main/children_stop.h"
#include "metric/metric.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum {
	/* Time within which new children must serve. */
	RENEWAL_MS = 60 * 1000,
	/* Interval at which new children are checked for serving. */
	SERVING_LOOK_MS = 20,
};

static unsigned slots_of(const struct child_kind *kind, const struct instance *instance)
{
	return kind->count(instance) * (kind->is_renewed ? 2 : 1);
}

void children_init(struct children *children, const struct child_kind *const *kinds,
		   unsigned kind_count, const struct child_system *system,
		   struct instance *instance)
{
	struct child *child;

	*children = (struct children){
	    .instance = instance, .system = system, .kinds = kinds, .kind_count = kind_count};
	for (unsigned i = 0; i < kind_count; i++)
		children->count += slots_of(kinds[i], instance);
	child = children->all = memory_zalloc((children->count + 1) * sizeof(*child));
	for (unsigned i = 0; i < kind_count; i++)
		for (unsigned index = 0; index < slots_of(kinds[i], instance); index++)
			*child++ = (struct child){
			    .kind = kinds[i],
			    .index = index,
			    .role =
				index < kinds[i]->count(instance) ? CHILD_CURRENT : CHILD_UNUSED,
			};
}

void children_finish(struct children *children)
{
	free(children->all);
}

static void give_up(struct children *children, enum exit_code code, uint64_t now_ms)
{
	children->exit_code = code;
	children_begin_stop(children, now_ms);
}

/* Starts a child. Returns false, and logs the reason, on failure. */
static bool start(struct children *children, struct child *child, uint64_t now_ms)
{
	const struct child_kind *kind = child->kind;
	uint32_t beat = kind->heartbeat ? kind->heartbeat(children->instance, child->index) : 0;
	pid_t pid = children->system->start(children->instance, child);
	struct child_message text;

	child_note_start(child, pid, beat, now_ms);
	metric_add(METRIC_CHILDREN_STARTED, kind->metric, pid >= 0);
	if (pid < 0) {
		child_note_end(child, now_ms);
		return false;
	}
	if (kind->is_kept)
		log_info("supervisor", child_message(&text, child, "started"),
			 LOG_INT("number", child->index + 1), LOG_INT("pid", pid));
	return true;
}

/* ---- START ---- */

/* Starts the lines up to the next line that runs once: later lines wait for its end. */
static void go_on_starting(struct children *children, uint64_t now_ms)
{
	while (children->next_kind < children->kind_count) {
		const struct child_kind *kind = children->kinds[children->next_kind++];
		bool is_waited_for = false;

		if (kind->is_on_demand || kind->is_late)
			continue;
		for_each_child (child, children) {
			if (child->kind != kind || child->role != CHILD_CURRENT)
				continue;
			if (!start(children, child, now_ms)) {
				give_up(children, kind->is_kept ? kind->exit_code : EXIT_FAILED,
					now_ms);
				return;
			}
			is_waited_for = !kind->is_kept;
		}
		if (is_waited_for)
			return;
	}
	children->phase = CHILDREN_RUN;
}

void children_start(struct children *children, uint64_t now_ms)
{
	children->phase = CHILDREN_START;
	go_on_starting(children, now_ms);
}

static void on_end_at_start(struct children *children, struct child *child, int status,
			    uint64_t now_ms)
{
	enum exit_code code = WIFEXITED(status) ? (enum exit_code)WEXITSTATUS(status) : EXIT_FAILED;
	struct child_message text;

	if (!child->kind->is_kept && WIFEXITED(status) && code == EXIT_DONE) {
		go_on_starting(children, now_ms);
		return;
	}
	/* Other children have logged the reason themselves. */
	if (child->kind->is_kept || WIFSIGNALED(status))
		log_error("supervisor", "cannot start",
			  LOG_TEXT("reason", child_message(&text, child, "ended while starting")),
			  child_end_field(status));
	give_up(children, child->kind->is_kept ? child->kind->exit_code : code, now_ms);
}

/* ---- RUN ---- */

static struct child *preparation_of(const struct children *children, const struct child *child)
{
	for_each_child (other, children)
		if (other->kind == child->kind->preparation)
			return other;
	return NULL;
}

/* Starts the child, or first its preparation. */
static void start_again(struct children *children, struct child *child, uint64_t now_ms)
{
	struct child *preparation = preparation_of(children, child);

	if (!preparation)
		start(children, child, now_ms);
	else if (!start(children, preparation, now_ms))
		child_note_end(child, now_ms);
}

/* Continues when a preparation has ended: starts the child, or lets it wait longer. */
static void on_prepared(struct children *children, const struct child *preparation, bool is_done,
			uint64_t now_ms)
{
	for_each_child (child, children) {
		if (child->pid || child->kind->preparation != preparation->kind)
			continue;
		if (is_done)
			start(children, child, now_ms);
		else
			child_note_end(child, now_ms);
	}
}

/* ---- RUN: renewal ---- */

static void retire(struct children *children, struct child *child, uint64_t now_ms)
{
	child->role = child->pid ? CHILD_DRAINING : CHILD_UNUSED;
	child->retire_at_ms = now_ms + child->kind->retire_ms;
	if (child->pid)
		children->system->signal(child->pid, child->kind->retire_signal);
}

/* Either lets the new children replace the current ones, or ends the new ones. */
static void end_renewal(struct children *children, enum children_renewal result, uint64_t now_ms)
{
	enum child_role leaving = result == RENEWAL_DONE ? CHILD_CURRENT : CHILD_NEW;

	children->renewal = result;
	for_each_child (child, children)
		if (child->kind->is_renewed && child->role == leaving)
			retire(children, child, now_ms);
	for_each_child (child, children)
		if (child->role == CHILD_NEW)
			child->role = CHILD_CURRENT;
}

static void on_new_end(struct children *children, struct child *child, int status, uint64_t now_ms)
{
	struct child_message text;

	child->role = CHILD_UNUSED;
	log_error("supervisor", child_message(&text, child, "ended before serving"),
		  LOG_INT("number", child->index + 1), child_end_field(status));
	end_renewal(children, RENEWAL_FAILED, now_ms);
}

static void on_retired(struct child *child, int status)
{
	struct child_message text;

	child->role = CHILD_UNUSED;
	child->delay_ms = 0;
	if (child_has_ended_well(status))
		log_info("supervisor", child_message(&text, child, "retired"),
			 LOG_INT("number", child->index + 1));
	else
		log_error("supervisor",
			  child_message(&text, child, "ended unexpectedly while draining"),
			  LOG_INT("number", child->index + 1), child_end_field(status));
}

static bool do_all_serve(const struct children *children)
{
	for_each_child (child, children)
		if (child->role == CHILD_NEW &&
		    !child->kind->is_ready(children->instance, child->index, child->pid))
			return false;
	return true;
}

static uint64_t keep_renewing(struct children *children, uint64_t now_ms)
{
	if (children->renewal == RENEWAL_STARTING && do_all_serve(children))
		end_renewal(children, RENEWAL_DONE, now_ms);
	/* A result waits to be taken, perhaps with no worker left to wake the supervisor. */
	if (children->renewal != RENEWAL_STARTING)
		return now_ms;
	if (now_ms < children->renewal_since_ms + RENEWAL_MS)
		return now_ms + SERVING_LOOK_MS;
	log_error("supervisor", "new processes did not serve in time",
		  LOG_INT("waited_ms", RENEWAL_MS));
	end_renewal(children, RENEWAL_FAILED, now_ms);
	return now_ms;
}

static void watch(struct children *children, struct child *child, uint64_t now_ms)
{
	if (now_ms >= child->watched_ms + CHILD_WATCH_MS &&
	    child_is_hung(child, child->kind->heartbeat(children->instance, child->index), now_ms))
		children_kill(children, child, "did not respond, killed");
}

/* Returns when it looks again. The heartbeat of a child in an earlier program's memory cannot be
 * read. */
static uint64_t keep_draining(struct children *children, struct child *child, uint64_t now_ms)
{
	if (now_ms < child->retire_at_ms && child->has_beaten) {
		watch(children, child, now_ms);
		return child->watched_ms + CHILD_WATCH_MS;
	}
	if (now_ms < child->retire_at_ms)
		return child->retire_at_ms;
	children_kill(children, child, "did not end in time, killed");
	child->retire_at_ms = now_ms + child->kind->retire_ms;
	return child->retire_at_ms;
}

bool children_may_renew(const struct children *children)
{
	for_each_child (child, children)
		if (child->role == CHILD_DRAINING)
			return false;
	return true;
}

void children_renew(struct children *children, uint64_t now_ms)
{
	children->renewal = RENEWAL_STARTING;
	children->renewal_since_ms = now_ms;
	for_each_child (child, children) {
		if (child->role != CHILD_UNUSED)
			continue;
		child->role = CHILD_NEW;
		if (!start(children, child, now_ms)) {
			child->role = CHILD_UNUSED;
			end_renewal(children, RENEWAL_FAILED, now_ms);
			return;
		}
	}
}

enum children_renewal children_take_result(struct children *children)
{
	enum children_renewal result = children->renewal;

	if (result != RENEWAL_STARTING)
		children->renewal = RENEWAL_NONE;
	return result == RENEWAL_STARTING ? RENEWAL_NONE : result;
}

/* ---- RUN: crash loops ---- */

static bool is_ready(const struct children *children, const struct child *child, pid_t pid)
{
	return pid && child->kind->is_ready(children->instance, child->index, pid);
}

/* Counts the end of the child's process. Returns whether too many of its line have ended since one
 * was ready. */
static bool is_crash_loop(struct children *children, struct child *ended, pid_t pid)
{
	bool one_is_ready;
	unsigned crashes = 0;

	if (!ended->kind->is_ready)
		return false;
	ended->crashes++;
	one_is_ready = is_ready(children, ended, pid);
	for_each_child (child, children) {
		if (child->kind != ended->kind)
			continue;
		crashes += child->crashes;
		one_is_ready |= is_ready(children, child, child->pid);
	}
	for_each_child (child, children)
		if (child->kind == ended->kind && one_is_ready)
			child->crashes = 0;
	return !one_is_ready && crashes >= CHILD_CRASHES_MAX;
}

static void end_crash_loop(struct children *children, struct child *child, int status,
			   uint64_t now_ms)
{
	struct child_message text;

	metric_add(METRIC_CHILDREN_FAILED, child->kind->metric, 1);
	if (!child->kind->given_up) {
		children->crashed = child;
		children->crash_status = status;
		give_up(children, EXIT_CRASHES, now_ms);
		return;
	}
	log_error(
	    "supervisor",
	    child_message(&text, child,
			  "crashed too often, not started until a reload, upgrade or restart"),
	    LOG_INT("times", CHILD_CRASHES_MAX), child_end_field(status));
	child->is_given_up = true;
	child->kind->given_up(children->instance);
}

void children_try_again(struct children *children, uint64_t now_ms)
{
	for_each_child (child, children) {
		if (!child->is_given_up)
			continue;
		child->is_given_up = false;
		child->crashes = 0;
		child->delay_ms = 0;
		child->start_at_ms = now_ms;
	}
}

/* ---- RUN: all else ---- */

bool children_are_ready(const struct children *children)
{
	for_each_child (child, children)
		if (child->kind->is_renewed && child->role == CHILD_CURRENT &&
		    !is_ready(children, child, child->pid))
			return false;
	return true;
}

/* A worker that never serves does not keep the others' renderers away. */
static bool any_is_ready(const struct children *children)
{
	for_each_child (child, children)
		if (child->kind->is_renewed && child->role == CHILD_CURRENT &&
		    is_ready(children, child, child->pid))
			return true;
	return false;
}

void children_run(struct children *children, const char *name, uint64_t now_ms)
{
	for_each_child (child, children)
		if (!child->pid && strcmp(child->kind->name, name) == 0)
			(void)start(children, child, now_ms);
}

void children_restart(struct children *children, const char *name)
{
	for_each_child (child, children) {
		if (!child->pid || strcmp(child->kind->name, name) != 0)
			continue;
		child->is_restarted = true;
		children->system->signal(child->pid, child->kind->stop_signal);
	}
}

static void on_end_at_run(struct children *children, struct child *child, pid_t pid, int status,
			  uint64_t now_ms)
{
	if (!child->kind->is_kept)
		on_prepared(children, child, child_has_ended_well(status), now_ms);
	else if (child->role == CHILD_NEW)
		on_new_end(children, child, status, now_ms);
	else if (child->role == CHILD_DRAINING)
		on_retired(child, status);
	else if (child->is_restarted)
		child_note_restart(child, now_ms);
	else if (is_crash_loop(children, child, pid))
		end_crash_loop(children, child, status, now_ms);
	else
		children_log_unexpected_end(child, status);
}

/* Returns when it looks again. */
static uint64_t keep_one(struct children *children, struct child *child, uint64_t now_ms)
{
	const struct child *preparation = preparation_of(children, child);

	if (!child->kind->is_kept || child->role == CHILD_UNUSED || child->is_given_up ||
	    (preparation && preparation->pid))
		return UINT64_MAX;
	if (!child->pid && child->kind->is_late && !children->has_been_ready)
		return now_ms + SERVING_LOOK_MS;
	if (child->role == CHILD_DRAINING)
		return keep_draining(children, child, now_ms);
	/* A child started now would get the configuration under test: wait for the result. */
	if (!child->pid && child->kind->is_renewed &&
	    (children->renewal == RENEWAL_STARTING || children->renewal == RENEWAL_FAILED))
		return UINT64_MAX;
	if (!child->pid && now_ms >= child->start_at_ms)
		start_again(children, child, now_ms);
	else if (child->pid && child->kind->heartbeat)
		watch(children, child, now_ms);
	if (!child->pid)
		return preparation && preparation->pid ? UINT64_MAX : child->start_at_ms;
	return child->kind->heartbeat ? child->watched_ms + CHILD_WATCH_MS : UINT64_MAX;
}

static uint64_t keep_running(struct children *children, uint64_t now_ms)
{
	uint64_t next_ms = UINT64_MAX;

	children->has_been_ready = children->has_been_ready || any_is_ready(children);
	if (children->renewal != RENEWAL_NONE)
		next_ms = keep_renewing(children, now_ms);
	for_each_child (child, children) {
		uint64_t at_ms = keep_one(children, child, now_ms);

		next_ms = at_ms < next_ms ? at_ms : next_ms;
	}
	return next_ms;
}

void children_note_end(struct children *children, pid_t pid, int status, uint64_t now_ms)
{
	for_each_child (child, children) {
		if (child->pid != pid)
			continue;
		if (child->kind->read_output)
			child->kind->read_output(children->instance);
		if (child->kind->ended)
			child->kind->ended(children->instance, child->index);
		child_note_end(child, now_ms);
		if (children->phase == CHILDREN_START)
			on_end_at_start(children, child, status, now_ms);
		else if (children->phase == CHILDREN_RUN)
			on_end_at_run(children, child, pid, status, now_ms);
		else
			children_note_end_at_stop(children, child, status, now_ms);
		return;
	}
}

uint64_t children_run_due(struct children *children, uint64_t now_ms)
{
	switch (children->phase) {
	case CHILDREN_RUN:
		return keep_running(children, now_ms);
	case CHILDREN_STOP:
		return children_keep_stopping(children, now_ms);
	default:
		return UINT64_MAX;
	}
}
