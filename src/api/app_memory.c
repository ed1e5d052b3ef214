#include "api/app_memory.h"
#include "base/limits.h"
#include "endpoints.h"

bool app_memory_take(struct task *task, struct app_memory *memory, size_t length, unsigned cost,
		     struct step_result *ret_answer)
{
	struct id account = task_account_id(task);

	if (length <= LIMIT_LOOP_TEXT_BYTES)
		return true;
	if (!memory->share)
		memory->share =
		    memory_budget_join(&api_service(task)->app_texts,
				       (struct str){(const char *)account.bytes, ID_BYTES});
	if (memory_budget_take(memory->share, length * cost, LIMIT_APP_TEXTS_BYTES)) {
		memory->bytes += length * cost;
		return true;
	}
	*ret_answer = task_fail_busy(task, PROBLEM_MEMORY_FULL, 1,
				     "too many large apps of this account are running, try again");
	return false;
}

void app_memory_leave(struct app_memory *memory)
{
	if (memory->share)
		memory_budget_leave(memory->share, memory->bytes);
	*memory = (struct app_memory){0};
}
