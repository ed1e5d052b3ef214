/* Shared parts of the pages' endpoints. */
#pragma once

#include "task/task.h"
#include "web/operations.h"

/* Answers a constraint error in the pages' words. */
task_step web_fail_constraint;
/* Answers 404: the link is invalid, or not valid any more. */
task_step web_fail_link;
