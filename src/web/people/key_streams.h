#pragma once

#include "domain/api_key.h"
#include "task/task.h"

/* Sets the number of streams that are open with the key: this number is in shared memory, not in
 * the database. */
void key_streams_count(struct task *task, struct key_entry *key);
