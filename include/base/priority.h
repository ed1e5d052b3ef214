/* Sets a process's share of the processors if other processes need them, too. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum { PRIORITY_BACKGROUND = 10 }; /* nice value of work that may be slow */

/* Gives the process this nice value, from 0 (ordinary) to 19, with setpriority(2), unless it is
 * nicer already. Async-signal-safe. */
void priority_set_process(pid_t pid, int nice);
/* The same, and its session: see priority_set_session(). Async-signal-safe. */
bool priority_set(pid_t pid, int nice);

/* Gives the session of the process this nice value, if Linux shares the processors between sessions
 * first (sched(7), "The autogroup feature"). In a control group with a share of its own, as of a
 * systemd unit with CPUWeight, it does not: there each process's nice value counts. Returns false
 * if the system refused it for now: ten sessions a second may change, unless the process has
 * CAP_SYS_ADMIN. A failure only makes others wait longer. Async-signal-safe. */
bool priority_set_session(pid_t pid, int nice);

/* Gives this thread, and all threads that it starts afterwards, turns of 0.2 ms on a processor,
 * instead of the system's own of more than a millisecond. Such a thread gets no more time, but when
 * it wakes it need not wait for the end of another thread's turn (sched_setattr(2); Linux 6.12 and
 * later). displayd uses such turns for all its processes except renderers: a request wakes many
 * processes, for some microseconds each. Changes nothing if the system refuses or does not know
 * such turns. */
void priority_take_short_turns(void);

/* Returns to the system's own turns, for long work; priority_take_short_turns() ends them.
 * Async-signal-safe. */
void priority_take_ordinary_turns(void);
