/* Stores the devices of an import. The task's state is a struct tronbyt_importing. */
#pragma once

#include "task/task.h"

/* Counts the former addresses that the devices claim, which are limited; then import_store(). */
task_step import_claim;
/* Stores all devices, and answers. */
task_step import_store;
/* Continues after a constraint error. */
task_step import_refused;
