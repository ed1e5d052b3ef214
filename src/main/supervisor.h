/* The supervisor: opens what is shared, keeps the database and the workers running, ends them.
 *
 *                helper                    helper
 *   PREPARE --(initdb, leftovers)--> MIGRATE --(wait, migrate)--> RUN
 *      |                                |                          |  SIGTERM, SIGINT, or an error
 *      +--------------------------------+--------------------------+
 *                                                                  v
 *      END <--(postmaster has ended)-- STOP_CLUSTER <--(no worker left)-- DRAIN
 *
 * PREPARE is passed over with --database. A helper is a child that does what blocks, so that the
 * supervisor is always there for signals. One thread, one poll(); it never runs a request. */
#pragma once

#include "main/config.h"
#include "main/exit_code.h"

/* Runs the server until it has ended. */
enum exit_code supervisor_run(const struct config *config);
