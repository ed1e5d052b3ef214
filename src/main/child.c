#include "main/child.h"

enum {
	DELAY_FIRST_MS = 100,
	DELAY_MAX_MS = 10 * 1000,
	/* If a child ran for so long, its end counts as a new problem. */
	RAN_WELL_MS = 30 * 1000,
};

void child_note_start(struct child *child, pid_t pid, uint32_t beat, uint64_t now_ms)
{
	child->pid = pid;
	child->started_ms = now_ms;
	child->beat = beat;
	child->has_beaten = false;
	child->watched_ms = now_ms;
	child->silent_ms = 0;
}

void child_note_end(struct child *child, uint64_t now_ms)
{
	child->pid = 0;
	if (now_ms - child->started_ms > RAN_WELL_MS || child->delay_ms == 0)
		child->delay_ms = DELAY_FIRST_MS;
	child->waits_ms = child->delay_ms;
	child->start_at_ms = now_ms + child->waits_ms;
	child->delay_ms = child->delay_ms * 2 < DELAY_MAX_MS ? child->delay_ms * 2 : DELAY_MAX_MS;
}

void child_note_restart(struct child *child, uint64_t now_ms)
{
	child->is_restarted = false;
	child->start_at_ms = now_ms;
	child->delay_ms = 0;
}

bool child_is_hung(struct child *child, uint32_t beat, uint64_t now_ms)
{
	uint64_t passed_ms = now_ms - child->watched_ms;
	unsigned limit_ms;

	child->watched_ms = now_ms;
	if (beat != child->beat) {
		child->beat = beat;
		child->has_beaten = true;
		child->silent_ms = 0;
		return false;
	}
	child->silent_ms +=
	    passed_ms < 2 * CHILD_WATCH_MS ? (unsigned)passed_ms : 2 * CHILD_WATCH_MS;
	limit_ms = child->has_beaten ? child->kind->silence_ms : CHILD_FIRST_BEAT_MS;
	if (child->silent_ms < limit_ms)
		return false;
	child->silent_ms = 0;
	return true;
}
