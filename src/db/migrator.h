/* Runs any list of migrations; include/db/migrate.h runs the embedded list. */
#pragma once

#include "db/migrate.h"

/* See migrate_run() and migrate_check(). */
__attribute__((warn_unused_result)) int migrator_run(const char *url, const struct migration *list,
						     size_t count, int *ret_applied,
						     struct migrate_error *reterr);
__attribute__((warn_unused_result)) int migrator_check(const char *url,
						       const struct migration *list, size_t count,
						       struct migrate_error *reterr);
