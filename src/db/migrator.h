/* Runs any list of migrations; include/db/migrate.h runs the embedded list. */
#pragma once

#include "db/migrate.h"

/* See migrate_run(). */
__attribute__((warn_unused_result)) int migrator_run(const char *url, struct timeline_known *known,
						     const struct migration *list, size_t count,
						     int *ret_applied,
						     struct migrate_error *reterr);
