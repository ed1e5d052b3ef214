/* Resource use of an instance's processes, reported by the supervisor, since a sandboxed worker
 * cannot open files of /proc. Works on Linux only. */
#pragma once

#include "base/log.h"
#include "base/region.h"
#include "main/children.h"
#include "main/config.h"

enum { PROCESS_STATS_MAX = 1 + CONFIG_WORKER_SLOTS_MAX };

struct process_stats {
	struct {
		pid_t pid;	 /* process that was seen last */
		uint64_t cpu_us; /* CPU time of that process */
	} seen[PROCESS_STATS_MAX];
	struct log_counts logged; /* log lines that were counted */
	uint64_t next_ms;
};

/* Called in the supervisor, before its first child. */
void process_stats_start(struct process_stats *stats, struct region_map *shared);

/* Reports once a second; call it more often. */
void process_stats_look(struct process_stats *stats, const struct children *children,
			uint64_t now_ms);
