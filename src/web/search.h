/* Text that lists are searched for: the parameter "q", or "search". */
#pragma once

#include "task/list.h"

/* The text that is wanted, in *ret_wanted; empty if there is none. True, with the answer 400,
 * if it is no text or longer than LIMIT_SEARCH_BYTES. */
__attribute__((warn_unused_result)) bool web_has_bad_search(struct task *task,
							    const char *parameter,
							    struct str *ret_wanted,
							    struct step_result *ret_answer);

/* State of a task that answers with a long list of what is found. */
struct web_search {
	struct str wanted; /* the parameter "q"; empty: all */
};

/* The range of a short list: what ask_short() gives to ask_part() if a text is wanted. */
extern const struct list_range web_search_short;

/* Answers with the list, whose functions find wanted in the task's state. */
__attribute__((warn_unused_result)) struct step_result
web_reply_found(struct task *task, const struct task_list *list);
