#include "api/version_wait.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "endpoints.h"
#include "render/engine.h"

enum {
	/* The hint of the verdict may be lost. */
	LOOK_MS = 1000,
	RETRY_AFTER_S = 5,
};

static struct loop *loop_of(struct version_wait *wait)
{
	return task_service(wait->task)->loop;
}

static void version_wait_on_deadline(struct deadline *deadline)
{
	struct version_wait *wait = container_of(deadline, struct version_wait, deadline);

	wait->is_waiting = false;
	task_resume(wait->task);
}

static void on_hint(struct hint_subscription *hints, struct str text)
{
	struct version_wait *wait = container_of(hints, struct version_wait, hints);
	char id[ID_TEXT_LENGTH + 1];

	id_format(wait->version_id, id);
	/* Later: the subscription ends with the task. */
	if (wait->is_waiting && str_starts_with(text, str_from(id)))
		deadline_set(loop_of(wait), &wait->deadline, 0);
}

/* Returns false if too many tasks wait. */
static bool version_wait_begin(struct task *task, struct version_wait *wait, struct id version_id)
{
	struct id account = task_account_id(task);

	wait->task = task;
	wait->version_id = version_id;
	wait->hints = (struct hint_subscription){.kind = STR("checked"), .on_hint = on_hint};
	deadline_init(&wait->deadline, version_wait_on_deadline);
	db_subscribe(task_service(task)->db, &wait->hints);
	wait->until_ms = loop_now_ms(loop_of(wait)) + LIMIT_VERSION_WAIT_MS;
	delivery_version_uploaded(api_delivery(task), version_id);
	wait->share =
	    memory_budget_join(&api_service(task)->version_waits,
			       (struct str){(const char *)account.bytes, sizeof(account.bytes)});
	if (memory_budget_take(wait->share, 1, LIMIT_VERSION_WAITS))
		return true;
	memory_budget_leave(wait->share, 0);
	wait->share = NULL;
	return false;
}

bool api_version_wait(struct task *task, struct version_wait *wait, struct id version_id,
		      task_step *next, struct step_result *ret_result)
{
	uint64_t now_ms = loop_now_ms(task_service(task)->loop);

	if (!wait->task && !version_wait_begin(task, wait, version_id))
		return false;
	if (!wait->share || now_ms >= wait->until_ms)
		return false;
	wait->is_waiting = true;
	deadline_set_at(loop_of(wait), &wait->deadline,
			wait->until_ms < now_ms + LOOK_MS ? wait->until_ms : now_ms + LOOK_MS);
	*ret_result = task_wait(task, next);
	return true;
}

void version_wait_finish(struct version_wait *wait)
{
	if (!wait->task)
		return;
	deadline_clear(loop_of(wait), &wait->deadline);
	db_unsubscribe(&wait->hints);
	if (wait->share)
		memory_budget_leave(wait->share, 1);
}

bool api_needs_check(struct task *task)
{
	return engines_exist(api_service(task)->engines);
}

struct step_result api_fail_unchecked(struct task *task, struct str language)
{
	enum engine_language known;
	const char *why_not;

	if (engine_language_read(language, &known) &&
	    !engines_has(api_service(task)->engines, known, &why_not))
		return task_fail(task, PROBLEM_VERSION_BEING_CHECKED,
				 "the version cannot be checked here: %s", why_not);
	task_add_field(task, STR("Retry-After"), arena_decimal(task_arena(task), RETRY_AFTER_S));
	return task_fail(task, PROBLEM_VERSION_BEING_CHECKED,
			 "the version is being checked, try again in a moment");
}

struct step_result api_fail_broken(struct task *task, const char *deed, struct str fault)
{
	return task_fail(task, PROBLEM_SCRIPT_INVALID,
			 "the version cannot run, so it cannot be %s: %.*s", deed, STR_ARG(fault));
}
