/* The supervisor: opens what is shared, runs the table of children, ends them. One thread, one
 * poll(); it never runs a request and does nothing that blocks: a child does that.
 *
 * The server is ready once all workers serve (main/heartbeat.h): then it logs "ready", writes the
 * file public-url, logs the link of the first account and notifies the service manager. /readyz is
 * 503 until then. */
#pragma once

#include "main/config.h"
#include "main/exit_code.h"
#include "main/upgrade.h"

/* Runs the server until it has ended. upgrade: what was received of the program before, if
 * anything, and the arguments by which the configuration is read anew on SIGHUP. */
enum exit_code supervisor_run(const struct config *config, struct upgrade *upgrade);
