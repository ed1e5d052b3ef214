/* A process's share of the processors where others want them, too. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum { PRIORITY_BACKGROUND = 10 }; /* a nice value: work that may take its time */

/* Gives it this nice value, from 0 (ordinary) to 19, with setpriority(2), unless it is nicer
 * already. Where Linux shares the processors between sessions first, its session gets it, too
 * (sched(7), "The autogroup feature"). False: the system refused it for now; an ordinary user may
 * do so ten times a second. Nothing depends on it but how long others wait. Async-signal-safe. */
bool priority_set(pid_t pid, int nice);
