/* Makes the engine look at the clock when a script's time is over, and ends the process if the
 * script blocks it in a function that does not look. The request is answered before. */
#pragma once

#include <signal.h>
#include <stdint.h>

enum { ALARM_EXTRA_MS = 300, ALARM_EXIT = 3 };

/* Whether the time is nearly over: the engine asks its interrupt handler at the next call or loop,
 * not only at each ten thousandth. The handler sets it to 0. */
extern volatile sig_atomic_t render_alarm_rang;

/* Call it before the first request. */
void alarm_prepare(void);
/* Ends the process when it has used cpu_ms of processor time, or wall_ms have passed, plus
 * ALARM_EXTRA_MS, unless alarm_stop() is called before; no other answer may be written until then.
 */
void alarm_start(int64_t cpu_ms, int64_t wall_ms);
void alarm_stop(void);

/* These two keep the process from ending in between: while a frame of the script is written. */
void alarm_hold(void);
void alarm_release(void);

/* While the script waits for a frame, the process is not ended, but the waiting call returns EINTR
 * after most_ms; then the script has left_ms again, plus ALARM_EXTRA_MS. */
void alarm_wait(int64_t most_ms);
void alarm_go_on(int64_t left_ms);
