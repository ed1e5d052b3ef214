/* Reports to the service manager with the protocol of sd_notify(3): a datagram of lines to the
 * socket that $NOTIFY_SOCKET names. Without that variable nothing is sent.
 *
 * Functions never fail: if a message cannot be sent, the manager assumes a hang, which is then true
 * of the manager or of displayd. The variable stays in the environment, for a program that replaces
 * this one. */
#pragma once

#include <stdint.h>

/* Reports that displayd serves. text, for people: shown by "systemctl status". Also ends a reload.
 */
void notify_ready(const char *text);

/* Reports that a reload or an upgrade begins; notify_ready() ends it. */
void notify_reloading(void);

void notify_stopping(void);

/* Sends the reason why the server does not start, for people only. */
void notify_status(const char *text);

/* Interval at which to call notify_alive(), half of the manager's watchdog timeout ($WATCHDOG_USEC,
 * $WATCHDOG_PID); 0: never. */
uint64_t notify_watchdog_ms(void);
void notify_alive(void);
