/* Structured logs on stderr: logfmt or JSON, one line an event, one write() a line unless lines are
 * held back.
 *
 *   log_info("db", "connection lost", LOG_STR("error", text), LOG_INT("attempt", 3));
 *   ts=2026-11-20T08:15:30.123Z level=info group=db msg="connection lost" error="..." attempt=3
 *
 * Values are escaped, and invalid UTF-8 is replaced, so that no text can break a line. Secrets are
 * never logged: no Authorization header, no query string, and whatever has the form of a key is
 * masked in every value (base/secret.h).
 *
 * A server calls log_init(), after which nothing waits for the reader of the log. Lines that the
 * reader does not take are kept, up to LIMIT_LOG_BYTES a process; further ones are dropped and
 * counted. A line of group "log" reports their number as soon as there is room. */
#pragma once

#include <text/str.h>

#include <stdint.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };
enum log_format { LOG_FORMAT_LOGFMT, LOG_FORMAT_JSON };

enum log_value { LOG_VALUE_NONE, LOG_VALUE_STR, LOG_VALUE_WORD, LOG_VALUE_INT };

struct log_field {
	const char *name;
	enum log_value kind;
	struct str text;
	int64_t number;
};

#define LOG_STR(field_name, view)                                                                  \
	((struct log_field){.name = (field_name), .kind = LOG_VALUE_STR, .text = (view)})
#define LOG_TEXT(field_name, cstring) LOG_STR(field_name, str_from(cstring))
/* A word that the program made itself: an ID, a route. It has only letters, digits and signs that
 * need no quotes, and is never a key, so it is written unchanged. */
#define LOG_WORD(field_name, view)                                                                 \
	((struct log_field){.name = (field_name), .kind = LOG_VALUE_WORD, .text = (view)})
#define LOG_INT(field_name, value)                                                                 \
	((struct log_field){                                                                       \
	    .name = (field_name), .kind = LOG_VALUE_INT, .number = (int64_t)(value)})

/* group and message are string literals; group is one word. */
#define log_debug(group, ...) LOG_AT(LOG_DEBUG, group, __VA_ARGS__)
#define log_info(group, ...) LOG_AT(LOG_INFO, group, __VA_ARGS__)
#define log_warn(group, ...) LOG_AT(LOG_WARN, group, __VA_ARGS__)
#define log_error(group, ...) LOG_AT(LOG_ERROR, group, __VA_ARGS__)

#define LOG_AT(level, group, ...) LOG_AT_(level, group, __VA_ARGS__, LOG_END)
#define LOG_END ((struct log_field){0})
#define LOG_AT_(level, group, message, ...)                                                        \
	(log_is_on(level)                                                                          \
	     ? log_write(level, group, message, (const struct log_field[]){__VA_ARGS__})           \
	     : (void)0)

/* Defaults: LOG_INFO, logfmt, file descriptor 2, no priorities, no process name. Call these
 * functions while the process has one thread: other threads may have kept the beginning of a line.
 */
void log_set_level(enum log_level level);
void log_set_format(enum log_format format);
/* Whether each line begins with its priority, such as "<3>" for an error, which a journal takes off
 * and shows by: sd-daemon(3). */
void log_set_priorities(bool wanted);
/* Sets the field "process" of every line, also at the end of the process. The text is copied, and
 * cut at LOG_PROCESS_BYTES - 1. NULL: no such field. */
enum { LOG_PROCESS_BYTES = 32 };
void log_set_process(const char *name);
/* Sets the output; in tests. Writes wait for it until log_init(). */
void log_set_fd(int fd);

/* Makes sure that no function of this module waits for the reader. It may open stderr again, so
 * call it before forking, starting a thread, changing the user or entering a sandbox. Afterwards
 * only log_spliced_from() opens anything. Children share the descriptor. */
void log_init(void);
/* Returns the end of a pipe from which splice(2) moves this process's lines into stderr; -1 if
 * lines are written directly. Call it before a filter forbids opening a pipe; otherwise the first
 * line opens it. */
int log_spliced_from(void);
/* Call it last in a process: waits at most LIMIT_LOG_END_MS for the reader to take the kept lines.
 */
void log_finish(void);

bool log_is_on(enum log_level level);

/* fields ends with a field of kind LOG_VALUE_NONE. Safe from any thread. A line is cut at 8 KiB. */
void log_write(enum log_level level, const char *group, const char *message,
	       const struct log_field *fields);

/* Holds back this thread's lines until log_flush(), a warning, an error, or 32 KiB of them (4 KiB
 * if stderr is not a regular file: a pipe takes that as a whole). A killed process loses the lines
 * that it holds back: those of one turn, if its loop flushes before it waits. */
void log_hold(void);
/* Writes the lines that are held back, if any, and kept lines that the reader did not take before.
 * A loop that calls it in each turn gets kept lines written even if it logs nothing more. */
void log_flush(void);
/* Flushes, and holds back no longer. */
void log_release(void);

/* Sets a function that gets each line of level LOG_ERROR, without priority, with its line feed,
 * from whatever thread writes it; it must not log. For the whole process and its children; NULL:
 * none. */
void log_set_witness(void (*witness)(struct str line));

/* Lines of this process so far: written or kept, by level, and dropped ones. */
struct log_counts {
	uint64_t lines[LOG_ERROR + 1];
	uint64_t lost;
};
struct log_counts log_count(void);
