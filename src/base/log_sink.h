/* Writes log lines to a descriptor without waiting for it, and keeps a bounded number of bytes that
 * the descriptor did not take.
 *
 *   lines -> [rest of this process] -> descriptor
 *               | full: lines are dropped and counted; the count goes out in their place
 *
 * stderr may be shared with other programs, so its own O_NONBLOCK stays as it is: a pipe or a
 * terminal is opened again, which gives a description with its own flags, and a socket is written
 * by a call that does not wait. If this user may not open the pipe, such as that of a container's
 * runtime, lines are spliced from a pipe of the process. After log_sink_never_wait(), only that
 * pipe is opened, with the first line of each process.
 *
 * All functions are safe from any thread. A forked process begins without its parent's kept lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the line that reports lost lines, with its line break, into the buffer. Returns its
 * length. */
typedef size_t log_sink_notice(char *line, size_t size, uint64_t lost);

/* Sets the descriptor, which stays the caller's; writes wait for it. Bytes that an earlier
 * descriptor did not take are dropped. */
void log_sink_set_fd(int fd);

/* Makes writes not wait. Call it before a process is forked or a thread started. notice is called
 * under the sink's lock, so it must not log. */
void log_sink_never_wait(log_sink_notice *notice);

/* Largest write that other processes' lines never get into: any size for a regular file, else
 * PIPE_BUF (pipe(7)). */
size_t log_sink_atomic_bytes(void);

/* Returns the descriptor from which this process's lines are spliced into stderr, or -1 if they are
 * written: for a filter of system calls, which may then forbid opening it. */
int log_sink_spliced_from(void);

/* Writes complete lines, in pieces of log_sink_atomic_bytes(). Another process's line may get into
 * a longer line. */
void log_sink_write(const char *lines, size_t size);

/* Whether log_sink_retry() has something to do. */
bool log_sink_is_behind(void);

/* Writes what the descriptor takes by now. */
void log_sink_retry(void);

/* Call it at the end of a process: waits for the reader for at most LIMIT_LOG_END_MS. */
void log_sink_finish(void);

/* Lines that were dropped so far. */
uint64_t log_sink_lost(void);
