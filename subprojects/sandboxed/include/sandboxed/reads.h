/* Limits how many bytes a library reads in one call, since some read on as long as bytes come:
 * OpenSSL reads messages that are not data, such as tickets for later sessions and requests for a
 * hello, one after the other. A peer that sends them without end would keep the thread.
 *
 * In a program that is linked with limited_reads.c, read() and recv() fail as if nothing had come
 * once the calling thread has read as much as reads_limit() has allowed. Poll the socket then, as
 * always.
 *
 * In other programs nothing is limited. */
#pragma once

#include <stddef.h>

/* Lets the calling thread read so many bytes, until reads_unlimit(). */
void reads_limit(size_t bytes);
void reads_unlimit(void);

/* ---- for limited_reads.c ---- */

/* Returns how many bytes the calling thread may read. */
size_t reads_left(void);
void reads_note(size_t bytes);
