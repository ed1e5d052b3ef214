/* The memory that large texts of apps take while somebody looks at them: forms, what handlers
 * return, and code. An account holds at most as much as it leaves free of LIMIT_APP_TEXTS_BYTES.
 * Texts that the loop reads by itself are too small to count. */
#pragma once

#include "base/memory_budget.h"
#include "task/task.h"

enum {
	/* Bytes for each of a form or of an answer: the text, what is read, what is sent. */
	APP_FORM_COST = 4,
	APP_CODE_COST = 2, /* for each of code, which goes to a renderer as a copy */
};

/* Memory that one request has taken; zeroed: none. */
struct app_memory {
	struct memory_share *share; /* private */
	size_t bytes;		    /* private */
};

/* Takes memory for a text before it is read; it is kept until app_memory_leave(). False: the
 * account has its share, and *ret_answer is 503. */
__attribute__((warn_unused_result)) bool app_memory_take(struct task *task,
							 struct app_memory *memory, size_t length,
							 unsigned cost,
							 struct step_result *ret_answer);
void app_memory_leave(struct app_memory *memory);
