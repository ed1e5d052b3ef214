/* What the service manager is told: the protocol of sd_notify(3), which is a datagram of lines to
 * the socket that $NOTIFY_SOCKET names. Without that variable nobody is told anything.
 *
 * Nothing here fails: where a message cannot be sent, the manager acts as if we hung, which is true
 * of one of us. The variable stays in the environment, for a program that takes this one's place.
 */
#pragma once

#include <stdint.h>

/* We serve. text, for people: what "systemctl status" shows. Also ends a reload. */
void notify_ready(const char *text);

/* A reload or an upgrade begins; notify_ready() ends it. */
void notify_reloading(void);

void notify_stopping(void);

/* For people alone: why we do not start. */
void notify_status(const char *text);

/* How often notify_alive() is to be called, half of the time after which the manager takes us for
 * dead
 * ($WATCHDOG_USEC, $WATCHDOG_PID); 0: never. */
uint64_t notify_watchdog_ms(void);
void notify_alive(void);
