/* Reports why the database has not done what a command asked it for. A full disk is called that,
 * whichever way it shows: PostgreSQL refuses a statement for it, or ends. */
#pragma once

#include "ctl/ctl.h"

/* result: of a statement that failed. Without an SQLSTATE the connection is lost. */
enum ctl_exit database_fault_of(const struct ctl *ctl, const PGresult *result);

/* The connection is lost, or could not be made. what: such as "the database is gone"; words:
 * libpq's. */
enum ctl_exit database_fault_lost(const struct ctl *ctl, const char *what, struct str words);
