#include "base/memory.h"
#include "base/require.h"
#include "loop/loop.h"

/* A binary heap by filed_ms. A deadline that moves to a later time stays in place and is filed
 * again when its old time comes: a connection moves its deadline with every request, and most
 * deadlines never fire.
 *
 * filed_ms is the lower half of a time, because each panel has several deadlines. So that two such
 * halves can be compared, none is further than this from the time at which it was filed: a later
 * deadline is filed again until its own time comes. */
enum { FILED_AHEAD_MS = 1 << 29 };

static uint32_t file_time(const struct loop *loop, uint64_t at_ms)
{
	uint64_t now_ms = uv_now(&loop->uv);

	if (at_ms > now_ms + FILED_AHEAD_MS)
		return (uint32_t)(now_ms + FILED_AHEAD_MS);
	if (at_ms + FILED_AHEAD_MS < now_ms)
		return (uint32_t)(now_ms - FILED_AHEAD_MS);
	return (uint32_t)at_ms;
}

static bool is_before(uint32_t a_ms, uint32_t b_ms)
{
	return (int32_t)(a_ms - b_ms) < 0;
}

static void put(struct loop *loop, uint32_t position, struct deadline *deadline)
{
	loop->heap[position] = deadline;
	deadline->position = position;
}

static void sift_up(struct loop *loop, struct deadline *deadline)
{
	uint32_t i = deadline->position;

	for (; i > 1 && is_before(deadline->filed_ms, loop->heap[i / 2]->filed_ms); i /= 2)
		put(loop, i, loop->heap[i / 2]);
	put(loop, i, deadline);
}

static void sift_down(struct loop *loop, struct deadline *deadline)
{
	uint32_t i = deadline->position;

	for (uint32_t child = 2 * i; child <= loop->heap_count; i = child, child = 2 * i) {
		if (child < loop->heap_count &&
		    is_before(loop->heap[child + 1]->filed_ms, loop->heap[child]->filed_ms))
			child++;
		if (!is_before(loop->heap[child]->filed_ms, deadline->filed_ms))
			break;
		put(loop, i, loop->heap[child]);
	}
	put(loop, i, deadline);
}

static void on_timer(uv_timer_t *timer);

static void arm_timer(struct loop *loop)
{
	uint32_t now = (uint32_t)uv_now(&loop->uv);
	uint32_t first;

	if (loop->heap_count == 0) {
		uv_timer_stop(&loop->timer);
		return;
	}
	first = loop->heap[1]->filed_ms;
	uv_timer_start(&loop->timer, on_timer, is_before(now, first) ? first - now : 0, 0);
}

static void take_out(struct loop *loop, struct deadline *deadline)
{
	uint32_t position = deadline->position;
	struct deadline *last = loop->heap[loop->heap_count--];

	deadline->position = 0;
	if (last == deadline)
		return;
	put(loop, position, last);
	sift_up(loop, last);
	sift_down(loop, last);
}

static void on_timer(uv_timer_t *timer)
{
	struct loop *loop = timer->data;
	uint32_t now = (uint32_t)uv_now(&loop->uv);

	loop->deadlines_run = true;
	while (loop->heap_count && !is_before(now, loop->heap[1]->filed_ms)) {
		struct deadline *first = loop->heap[1];
		uint32_t filed_ms = file_time(loop, first->at_ms);

		if (is_before(first->filed_ms, filed_ms)) {
			first->filed_ms = filed_ms;
			sift_down(loop, first);
			continue;
		}
		take_out(loop, first);
		first->run(first);
	}
	loop->deadlines_run = false;
	arm_timer(loop);
}

void deadline_init(struct deadline *deadline, void (*run)(struct deadline *deadline))
{
	*deadline = (struct deadline){.run = run};
}

void deadline_set(struct loop *loop, struct deadline *deadline, uint64_t in_ms)
{
	deadline_set_at(loop, deadline, uv_now(&loop->uv) + in_ms);
}

void deadline_set_at(struct loop *loop, struct deadline *deadline, uint64_t at_ms)
{
	uint32_t filed_ms;

	/* Deadlines set by a deadline's run() wait for another turn: else one that sets itself
	 * again would keep the loop here forever. */
	if (loop->deadlines_run && at_ms <= uv_now(&loop->uv))
		at_ms = uv_now(&loop->uv) + 1;
	deadline->at_ms = at_ms;
	filed_ms = file_time(loop, at_ms);
	if (deadline->position && !is_before(filed_ms, deadline->filed_ms))
		return;
	deadline->filed_ms = filed_ms;
	if (!deadline->position) {
		if (loop->heap_count + 1 >= loop->heap_capacity) {
			loop->heap_capacity = loop->heap_capacity ? loop->heap_capacity * 2 : 64;
			loop->heap = memory_realloc(loop->heap, loop->heap_capacity *
								    sizeof(struct deadline *));
		}
		put(loop, ++loop->heap_count, deadline);
	}
	sift_up(loop, deadline);
	if (loop->heap[1] == deadline)
		arm_timer(loop);
}

void deadline_clear(struct loop *loop, struct deadline *deadline)
{
	if (deadline->position)
		take_out(loop, deadline);
}

bool deadline_is_set(const struct deadline *deadline)
{
	return deadline->position != 0;
}
