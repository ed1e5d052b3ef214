/* Search text of lists: the parameter "q", or "search". */
#pragma once

#include "task/list.h"

/* Reads the search text into *ret_wanted; empty if there is none. Returns true, with the answer
 * 400, if it is not a text or longer than LIMIT_SEARCH_BYTES. */
__attribute__((warn_unused_result)) bool web_has_bad_search(struct task *task,
							    const char *parameter,
							    struct str *ret_wanted,
							    struct step_result *ret_answer);

/* State of a task that answers with a long list of results. */
struct web_search {
	struct str wanted; /* the parameter "q"; empty: all */
};

/* Range of a short list, which ask_short() passes to ask_part() if there is a search text. */
extern const struct list_range web_search_short;

/* Answers with the list, whose functions find the search text in the task's state. */
__attribute__((warn_unused_result)) struct step_result
web_reply_found(struct task *task, const struct task_list *list);
