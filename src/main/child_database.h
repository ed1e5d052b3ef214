/* Children for the database: functions for lines of the table, see main/child.h. */
#pragma once

#include "base/process.h"

struct instance;

/* Makes the private cluster if there is none, and ends processes that a killed server left in it.
 */
int child_prepare(struct instance *instance, unsigned index);

/* Starts the postmaster of the private cluster. */
pid_t child_start_postgres(struct instance *instance, const struct process *as);
const struct process_user *child_postgres_user(const struct instance *instance);
int child_postgres_output(const struct instance *instance);
void child_read_postgres(struct instance *instance);

/* Waits for the database, private or not, and migrates it. */
int child_migrate(struct instance *instance, unsigned index);

/* Logs the link of the first account: see main/first_link.h. */
int child_first_link(struct instance *instance, unsigned index);
