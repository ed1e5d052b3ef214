/* Answers with the report of an import. */
#pragma once

#include "task/task.h"

/* Answers with the report; the task's state is a struct tronbyt_importing. */
task_step import_report;
