#include "main/children_stop.h"
#include "base/log.h"
#include "main/child_log.h"
#include "metric/metric.h"

#include <signal.h>
#include <sys/wait.h>

enum {
	/* Time after the second request to stop. */
	AT_ONCE_MS = 3 * 1000,
};

void children_log_unexpected_end(const struct child *child, int status)
{
	struct child_message text;

	metric_add(METRIC_CHILDREN_FAILED, child->kind->metric, 1);
	log_error("supervisor", child_message(&text, child, "ended unexpectedly"),
		  LOG_INT("number", child->index + 1), child_end_field(status),
		  LOG_INT("restart_in_ms", child->waits_ms));
}

void children_kill(const struct children *children, const struct child *child, const char *why)
{
	struct child_message text;

	log_error("supervisor", child_message(&text, child, why),
		  LOG_INT("number", child->index + 1), LOG_INT("pid", child->pid));
	children->system->signal(child->pid, SIGKILL);
}

static bool is_at_once(const struct children *children)
{
	return children->stop_requests > 1;
}

static int stop_signal_of(const struct children *children, const struct child *child)
{
	return is_at_once(children) ? child->kind->stop_at_once_signal : child->kind->stop_signal;
}

static void ask_to_stop(const struct children *children, const struct child *child)
{
	children->system->signal(child->pid, stop_signal_of(children, child));
}

/* Returns when the child is killed, if it was asked to stop and still runs. */
static uint64_t kill_at_ms(const struct children *children, const struct child *child)
{
	return children->stop_since_ms + (is_at_once(children) ? AT_ONCE_MS : child->kind->stop_ms);
}

/* Whether displayd ended the child. A process that runs once, or that was still starting, may end
 * by the signal; and whatever exits after the request to stop at once does so because of it. */
static bool is_own_end(const struct children *children, const struct child *child, int status,
		       uint64_t now_ms)
{
	if (child_has_ended_well(status) || !child->kind->is_kept)
		return true;
	if (WIFEXITED(status))
		return is_at_once(children);
	return WTERMSIG(status) == stop_signal_of(children, child) ||
	       WTERMSIG(status) == child->kind->stop_signal ||
	       (WTERMSIG(status) == SIGKILL && now_ms >= kill_at_ms(children, child));
}

/* Finds the lowest order with running children; false: none runs. */
static bool find_stop_order(const struct children *children, unsigned *ret_order)
{
	bool found = false;

	for_each_child (child, children) {
		if (!child->pid || (found && child->kind->stop_order >= *ret_order))
			continue;
		*ret_order = child->kind->stop_order;
		found = true;
	}
	return found;
}

/* Stops the children of the lowest order. */
static void stop_next(struct children *children, uint64_t now_ms)
{
	if (!find_stop_order(children, &children->stop_order)) {
		children->phase = CHILDREN_END;
		return;
	}
	children->stop_since_ms = now_ms;
	for_each_child (child, children)
		if (child->pid && child->kind->stop_order == children->stop_order)
			ask_to_stop(children, child);
}

void children_begin_stop(struct children *children, uint64_t now_ms)
{
	children->phase = CHILDREN_STOP;
	stop_next(children, now_ms);
}

void children_stop(struct children *children, uint64_t now_ms)
{
	children->stop_requests++;
	if (children->phase < CHILDREN_STOP)
		children_begin_stop(children, now_ms);
	if (!is_at_once(children))
		return;
	children->stop_since_ms = now_ms;
	for_each_child (child, children)
		if (child->pid)
			ask_to_stop(children, child);
}

void children_note_end_at_stop(struct children *children, const struct child *child, int status,
			       uint64_t now_ms)
{
	unsigned order = 0; /* initialized for gcc */
	struct child_message text;

	if (is_own_end(children, child, status, now_ms))
		log_info("supervisor", child_message(&text, child, "stopped"),
			 LOG_INT("number", child->index + 1));
	else
		children_log_unexpected_end(child, status);
	if (!find_stop_order(children, &order) || order != children->stop_order)
		stop_next(children, now_ms);
}

uint64_t children_keep_stopping(struct children *children, uint64_t now_ms)
{
	uint64_t next_ms = UINT64_MAX;

	for_each_child (child, children) {
		uint64_t end_ms = kill_at_ms(children, child);

		if (!child->pid || child->kind->stop_order != children->stop_order)
			continue;
		if (now_ms >= end_ms)
			children_kill(children, child, "did not stop in time, killed");
		else if (end_ms < next_ms)
			next_ms = end_ms;
	}
	return next_ms;
}
