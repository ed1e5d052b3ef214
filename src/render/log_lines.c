#include "log_lines.h"

#include <text/utf8.h>

#define MARK STR("\u2026") /* ... */

enum { SUFFIX_BYTES = sizeof("... and 4294967295 lines more\n") - 1 };

struct bounds {
	unsigned lines;
	size_t bytes;
};

static void add_line(struct log_lines *log, struct str line, const struct bounds *bounds)
{
	size_t used = buffer_length(&log->text) + 1, room = 0;

	if (used < bounds->bytes && log->count < bounds->lines)
		room = bounds->bytes - used;
	if (room <= MARK.length) {
		log->dropped++;
		return;
	}
	if (line.length > room) {
		buffer_append_str(&log->text, utf8_cut(line, room - MARK.length));
		buffer_append_str(&log->text, MARK);
	} else {
		buffer_append_str(&log->text, line);
	}
	buffer_append_char(&log->text, '\n');
	log->count++;
}

static void add_lines(struct log_lines *log, struct str text, const struct bounds *bounds)
{
	while (text.length > 0) {
		size_t end = str_find(text, '\n');

		add_line(log, (struct str){text.data, end}, bounds);
		text = str_from_offset(text, end < text.length ? end + 1 : end);
	}
}

void log_lines_add(struct log_lines *log, struct str text)
{
	static const struct bounds bounds = {LOG_LINES_MAX, LOG_BYTES_MAX};

	if (text.length == 0)
		add_line(log, text, &bounds);
	add_lines(log, text, &bounds);
}

/* Whether the log may stay as it is, apart from NULs. */
static bool fits(struct str log)
{
	unsigned lines = 0;

	for (size_t i = 0; i < log.length; i++)
		lines += log.data[i] == '\n';
	return lines <= LOG_LINES_MAX && log.length <= LOG_BYTES_MAX;
}

struct str log_text(struct str log, unsigned dropped, struct arena *arena)
{
	/* Room for the last line. */
	static const struct bounds bounds = {LOG_LINES_MAX - 1, LOG_BYTES_MAX - SUFFIX_BYTES};
	struct log_lines shorter = {.dropped = dropped};
	struct str copy;

	if (dropped == 0 && fits(log)) {
		copy = arena_copy(arena, log);
	} else {
		add_lines(&shorter, log, &bounds);
		if (shorter.dropped > 0)
			buffer_printf(&shorter.text, "... and %u line%s more\n", shorter.dropped,
				      shorter.dropped == 1 ? "" : "s");
		copy = arena_copy(arena, buffer_view(&shorter.text));
		buffer_finish(&shorter.text);
	}
	for (size_t i = 0; i < copy.length; i++)
		if (copy.data[i] == '\0')
			((char *)copy.data)[i] = ' ';
	return copy;
}
