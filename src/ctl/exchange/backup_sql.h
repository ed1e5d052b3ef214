/* Statements of backup and restore, which print why they fail. */
#pragma once

#include "ctl/ctl.h"

enum ctl_exit backup_run(struct ctl *ctl, const char *sql);
/* Reads rows as text. Free *ret_result with PQclear(); NULL after a failure. */
enum ctl_exit backup_ask(struct ctl *ctl, const char *sql, PGresult **ret_result);
/* Starts a COPY FROM STDIN. */
enum ctl_exit backup_start_copy(struct ctl *ctl, const char *sql);
