/* The supervisor's state and its parts. */
#pragma once

#include "db/cluster.h"
#include "main/supervisor.h"

#include <stdint.h>
#include <sys/types.h>

enum phase {
	PHASE_PREPARE,
	PHASE_MIGRATE,
	PHASE_RUN,
	PHASE_DRAIN,
	PHASE_STOP_CLUSTER,
	PHASE_END,
};

/* A process that is to run for good. */
struct keeper {
	pid_t pid;	      /* 0: does not run */
	uint64_t started_ms;  /* last time */
	uint64_t start_at_ms; /* while it does not run */
	unsigned delay_ms;    /* before the next start; grows while it keeps ending early */
};

struct supervisor {
	const struct config *config;
	enum phase phase;
	enum exit_code exit_code;
	unsigned stop_signals; /* how often SIGTERM or SIGINT came */
	uint64_t phase_since_ms;

	int lock_fd;
	int signal_fd;
	struct listener listeners[CONFIG_LISTEN_MAX];
	unsigned listener_count;
	char public_url[256];
	struct region_map *shared;

	struct cluster cluster; /* unused with --database */
	struct keeper postmaster;
	pid_t helper; /* 0: none runs */
	struct keeper workers[CONFIG_WORKERS_MAX];
};

/* supervisor_open.c: takes the lock, opens listeners, signals, shared memory. EXIT_DONE, or an
 * exit code with a reason. */
enum exit_code supervisor_open(struct supervisor *supervisor, struct reason *reterr);
void supervisor_close(struct supervisor *supervisor);

/* children.c */
bool supervisor_is_embedded(const struct supervisor *supervisor);
void keeper_note_end(struct keeper *keeper);
/* Starts one that is due. */
void supervisor_start_worker(struct supervisor *supervisor, unsigned index);
/* False with a reason logged. */
bool supervisor_start_postmaster(struct supervisor *supervisor);
/* run gets the supervisor's state in the child; its result is the helper's exit code. False with a
 * reason logged. */
bool supervisor_start_helper(struct supervisor *supervisor,
			     enum exit_code (*run)(struct supervisor *supervisor));

/* helper.c: run in a child. */
enum exit_code helper_prepare(struct supervisor *supervisor);
enum exit_code helper_migrate(struct supervisor *supervisor);

const char *supervisor_database_url(const struct supervisor *supervisor);
