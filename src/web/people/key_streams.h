#pragma once

#include "task/task.h"

/* Returns the number of streams that are open with the key: this number is in shared memory, not in
 * the database. */
int64_t key_streams_count(struct task *task, struct str secret_hash);
