/* The parameter "q" of lists that are searched. */
#pragma once

#include "task/task.h"

/* The text that is wanted, in *ret_wanted; empty where there is none. True, with the answer 400,
 * where it is no text or longer than LIMIT_SEARCH_BYTES. */
__attribute__((warn_unused_result)) bool
web_has_bad_search(struct task *task, struct str *ret_wanted, struct verdict *ret_answer);
