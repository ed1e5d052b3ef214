/* Supervisor: opens shared resources, runs the table of children, ends them. It has one thread and
 * one poll(), never handles a request and never blocks: children do such work.
 *
 * The server is ready once all workers serve (main/heartbeat.h): then it logs "ready", writes the
 * file public-url, logs the link of the first account and notifies the service manager. /readyz is
 * 503 until then. */
#pragma once

#include "main/config.h"
#include "main/exit_code.h"
#include "main/upgrade.h"

/* Runs the server until it has ended. upgrade: the handover of the old program, if any, and the
 * arguments with which the configuration is read again on SIGHUP. */
enum exit_code supervisor_run(const struct config *config, struct upgrade *upgrade);
