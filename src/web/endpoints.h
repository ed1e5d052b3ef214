/* Shared parts of the pages' endpoints. */
#pragma once

#include "task/task.h"
#include "web/operations.h"

/* Answers a constraint error in the pages' words. */
task_step web_fail_constraint;
/* 404 for a link that is worth nothing (any more). */
task_step web_fail_link;
