/* Ends the process where a script holds it up in a function of the engine that looks at no clock.
 * The request has its answer before. */
#pragma once

#include <stdint.h>

enum { ALARM_LINK = 3, ALARM_EXTRA_MS = 300, ALARM_EXIT = 3 };

/* Before the first request. */
void alarm_prepare(void);
/* The process ends when timeout_ms and ALARM_EXTRA_MS have passed, unless alarm_stop() comes
 * before; no other answer may be written until then. */
void alarm_start(int64_t timeout_ms);
void alarm_stop(void);
