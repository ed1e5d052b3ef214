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

/* For this thread, and for what it starts from now on: turns of 0.2 ms on a processor, instead of
 * the system's own of more than a millisecond. Such a thread gets no more time, but it need not
 * wait for the end of another one's turn when it wakes (sched_setattr(2); Linux 6.12 and later).
 * displayd takes them for itself and all that it starts but renderers: a request wakes many
 * processes, for some microseconds each.
 * Where the system refuses it, or knows no such turns, all goes on as before. */
void priority_take_short_turns(void);

/* The system's own turns again: for work that takes long, and is ended by those above.
 * Async-signal-safe. */
void priority_take_ordinary_turns(void);
