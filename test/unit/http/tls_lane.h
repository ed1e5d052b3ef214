/* The scene's lane of handshakes, whose only thread a test may hold, with jobs that do not belong
 * to handshakes. */
#pragma once

/* Holds the thread until tls_lane_release(). */
void tls_lane_hold(void);
/* Adds jobs, each of another account, until this many wait or run; at most LIMIT_HANDSHAKE_JOBS +
 * 1. */
void tls_lane_fill(unsigned load);
/* Adds one more such job. */
void tls_lane_add(void);
/* Releases the thread, and turns until no job is left. */
void tls_lane_release(void);

/* Teardown for cmocka: tls_scene_close(), also after an assertion that failed while the thread was
 * held. */
int tls_lane_close(void **state);
