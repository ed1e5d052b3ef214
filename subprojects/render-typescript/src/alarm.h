/* Ends the process if a script holds it up in a function of the engine that looks at no clock.
 * The request has its answer before. */
#pragma once

#include <stdint.h>

enum { ALARM_EXTRA_MS = 300, ALARM_EXIT = 3 };

/* Before the first request. */
void alarm_prepare(void);
/* The process ends when it has used so much of the processor, or so much time has passed, and
 * ALARM_EXTRA_MS, unless alarm_stop() comes before; no other answer may be written until then. */
void alarm_start(int64_t cpu_ms, int64_t wall_ms);
void alarm_stop(void);

/* Keep the process running meanwhile: while a frame of the script's is written. */
void alarm_hold(void);
void alarm_release(void);

/* While the script waits for a frame, the process goes on, and a call that waits ends with EINTR
 * when most_ms have passed; then the script has left_ms again, and ALARM_EXTRA_MS. */
void alarm_wait(int64_t most_ms);
void alarm_go_on(int64_t left_ms);
