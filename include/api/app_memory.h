/* Memory of large texts of apps that people wait for: forms, results of handlers, and code. An
 * account holds at most as much as it leaves free of LIMIT_APP_TEXTS_BYTES. Texts that are small
 * enough for the loop to read are not counted. */
#pragma once

#include "base/memory_budget.h"
#include "task/task.h"

enum {
	/* Memory per byte of a form or of a handler's result: the text, its parsed form, the
	 * answer. */
	APP_FORM_COST = 4,
	APP_CODE_COST = 2, /* Memory per byte of code: the text, and the copy for a renderer. */
};

/* Memory that one request has taken; zeroed: none. */
struct app_memory {
	struct memory_share *share; /* private */
	size_t bytes;		    /* private */
};

/* Takes memory for a text before it is read; it is kept until app_memory_leave(). Returns false if
 * the account has used its share; *ret_answer is 503 then. */
__attribute__((warn_unused_result)) bool app_memory_take(struct task *task,
							 struct app_memory *memory, size_t length,
							 unsigned cost,
							 struct step_result *ret_answer);
void app_memory_leave(struct app_memory *memory);
