/* The answer to an app that an operator names and that is not found. */
#pragma once

#include "db/statements.h"
#include "task/task.h"

/* Begins the state of endpoints that call app_unknown(). */
struct app_unknown {
	struct app_homonyms_row row;
};

/* Replies 404 if no app has this slug; 409 with account and ID of each if several have it and none
 * is public, so that the slug means none. app: the first parameter of the path. */
struct step_result app_unknown(struct task *task);
