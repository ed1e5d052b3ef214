#pragma once

#include "domain/api_key.h"
#include "task/task.h"

/* Sets the number of streams that are open with the key: workers have it, not the database. */
void key_streams_count(struct task *task, struct key_entry *key);
