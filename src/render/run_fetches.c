#include "run_fetches.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "frame.h"

/* ---- memory of answers that wait for a turn ---- */

static bool may_hold(struct engine_run *run, size_t bytes)
{
	if (run->state == RUN_AT_WORK)
		return true;
	if (!run->share)
		run->share = memory_budget_join(
		    run->tools->held,
		    (struct str){(const char *)run->account.bytes, sizeof(run->account.bytes)});
	if (!memory_budget_take(run->share, bytes, LIMIT_HELD_ANSWERS_BYTES))
		return false;
	run->held_bytes += bytes;
	return true;
}

static void give_memory_back(struct engine_run *run)
{
	if (run->share)
		memory_budget_leave(run->share, run->held_bytes);
	run->share = NULL;
	run->held_bytes = 0;
}

/* ---- answers ---- */

static void give_answer(struct engine_run *run, struct str head, struct str body)
{
	if (!frame_append(&run->held, head, body))
		log_warn("render", "a network response is too long for a renderer");
	if (run->state == RUN_AT_WORK) {
		renderer_reply(&run->request, &run->held);
	} else if (run->state == RUN_PARKED) {
		run->answered_us = clock_monotonic_us();
		run->resumes(run);
	}
}

static void give_error(struct engine_run *run, int64_t id, const char *words)
{
	char head[160];
	int length = snprintf(head, sizeof(head), "{\"fetch\":{\"id\":%lld,\"error\":\"%s\"}}",
			      (long long)id, words);

	give_answer(run, (struct str){head, (size_t)length}, (struct str){0});
}

static void refuse_fetch(struct engine_run *run, yyjson_val *fetch, const char *words)
{
	give_error(run, yyjson_get_sint(yyjson_obj_get(fetch, "id")), words);
}

static void on_fetched(struct egress_fetch *fetch, struct str head, struct str body)
{
	struct engine_run *run = container_of(fetch, struct run_fetch, fetch)->run;

	run->unanswered--;
	if (may_hold(run, head.length + body.length)) {
		give_answer(run, head, body);
		return;
	}
	run->lacks_answer = true;
	give_error(run, fetch->asked_id,
		   "too many answers of the network wait: the machine is too busy");
}

/* Tells the process that it has the turn that it asked for, and for how long it waited for it: that
 * is not the network's time. */
static void tell_queued(struct engine_run *run, unsigned long long queued_ms)
{
	struct buffer frame = {0};
	char turn[40] = "", head[120];
	int length;

	if (run->turn > 0)
		snprintf(turn, sizeof(turn), ",\"turn\":%lld", (long long)run->turn);
	length = snprintf(head, sizeof(head), "{\"fetch\":{\"id\":0,\"queued_ms\":%llu%s}}",
			  queued_ms, turn);
	if ((queued_ms > 0 || run->turn > 0) &&
	    frame_append(&frame, (struct str){head, (size_t)length}, (struct str){0}))
		renderer_reply(&run->request, &frame);
	run->turn = 0;
}

void run_go_on(struct engine_run *run)
{
	run->request.is_waiting = false;
	if (buffer_length(&run->held) == 0 && run->turn == 0)
		return;
	tell_queued(run, (clock_monotonic_us() - run->answered_us) / 1000);
	if (buffer_length(&run->held) > 0)
		renderer_reply(&run->request, &run->held);
	give_memory_back(run);
}

/* Gives a process whose timer is due its turn: at once, if it has it still. */
static void want_turn(struct engine_run *run, int64_t turn)
{
	run->turn = turn;
	if (run->state == RUN_AT_WORK) {
		tell_queued(run, 0);
	} else if (run->state == RUN_PARKED) {
		run->answered_us = clock_monotonic_us();
		run->resumes(run);
	}
}

/* A script in TypeScript continues to compute after a fetch, and reports when it has nothing else
 * to do. If an answer is on its way, it has. */
void run_on_waits(struct renderer_request *request, unsigned fetches, int64_t turn)
{
	struct engine_run *run = container_of(request, struct engine_run, request);

	if (fetches == 0 && turn > 0)
		want_turn(run, turn);
	else if (fetches == run->unanswered && fetches > 0 && run->state == RUN_AT_WORK)
		run->parks(run);
}

void run_on_fetch(struct renderer_request *request, yyjson_val *fetch, struct str body)
{
	struct engine_run *run = container_of(request, struct engine_run, request);
	struct run_fetch *mine = &run->fetches[run->fetch_count];
	struct egress_asker asker = {.account = run->account,
				     .scope = buffer_view(&run->scope),
				     .why_public = run->why_public};

	if (!run->has_network || run->is_refused) {
		refuse_fetch(run, fetch, "no network here");
		return;
	}
	if (run->fetch_count == RUN_FETCHES_MAX) {
		refuse_fetch(run, fetch, "an app asks the network 20 times at most");
		return;
	}
	run->fetch_count++;
	*mine = (struct run_fetch){.run = run, .fetch.answered = on_fetched};
	run->unanswered++;
	egress_ask(run->tools->egress, &mine->fetch, fetch, body, &asker);
	/* A script in Starlark waits for the answer at once. */
	if (request->program == RENDER_STARLARK && run->state == RUN_AT_WORK)
		run->parks(run);
}

void run_forget_fetches(struct engine_run *run)
{
	for (unsigned i = 0; i < run->fetch_count; i++)
		egress_forget(&run->fetches[i].fetch);
	run->fetch_count = run->unanswered = 0;
	run->turn = 0;
	buffer_finish(&run->held);
	give_memory_back(run);
}
