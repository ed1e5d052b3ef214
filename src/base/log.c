#include "base/log.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/secret.h"
#include "log_sink.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <text/utf8.h>

enum {
	LINE_BYTES = 8192,
	/* Maximum bytes of lines that are held back. */
	HELD_BYTES = 32 * 1024,
};

static struct {
	enum log_level level;
	enum log_format format;
	bool has_priorities;
	char process[LOG_PROCESS_BYTES];
} settings = {.level = LOG_INFO};

static _Atomic uint64_t line_counts[LOG_ERROR + 1];
static void (*witness)(struct str line);

/* Line under construction, at most LINE_BYTES long. A full line is cut; the closing characters
 * always fit (see line_finish). */
struct line {
	char *data;
	size_t length;
};

/* Lines of this thread that are not yet written; NULL if none are held back. */
static _Thread_local struct held {
	size_t length;
	size_t write_bytes; /* bytes of one write(): held lines are written before they exceed it */
	char data[HELD_BYTES];
} * held;

/* Beginning of this thread's last line; group is NULL if there is none. */
static _Thread_local struct {
	const char *group; /* a literal: the same address is the same text */
	enum log_level level;
	int64_t second;
	size_t length;
	char text[128];
} start;

void log_set_level(enum log_level level)
{
	settings.level = level;
}

void log_set_format(enum log_format format)
{
	settings.format = format;
	start.group = NULL;
}

void log_set_priorities(bool wanted)
{
	settings.has_priorities = wanted;
	start.group = NULL;
}

void log_set_process(const char *name)
{
	snprintf(settings.process, sizeof(settings.process), "%s", name ? name : "");
	start.group = NULL;
}

void log_set_witness(void (*wanted)(struct str line))
{
	witness = wanted;
}

void log_set_fd(int fd)
{
	log_sink_set_fd(fd);
}

bool log_is_on(enum log_level level)
{
	return level >= settings.level;
}

/* Before each line, for a journal: sd-daemon(3), syslog(3). */
static const char priorities[][4] = {
    [LOG_DEBUG] = "<7>", [LOG_INFO] = "<6>", [LOG_WARN] = "<4>", [LOG_ERROR] = "<3>"};

static size_t priority_bytes(void)
{
	return settings.has_priorities ? strlen(priorities[0]) : 0;
}

static bool line_put(struct line *line, const char *data, size_t size)
{
	if (line->length + size > LINE_BYTES - 4)
		return false;
	memcpy(line->data + line->length, data, size);
	line->length += size;
	return true;
}

static bool line_put_text(struct line *line, const char *text)
{
	return line_put(line, text, strlen(text));
}

static void line_put_number(struct line *line, int64_t number)
{
	char text[DECIMAL_BYTES_MAX];

	line_put(line, text, decimal_format(number, text));
}

/* Writes the character at the front of text, which is not empty, and returns its bytes; 0 when the
 * line is full. Escapes characters that could break a line or a terminal, and replaces invalid
 * UTF-8, so that the line is valid JSON and valid UTF-8 for any text. */
static size_t line_put_character(struct line *line, struct str text)
{
	size_t length = utf8_sequence_length(text);
	struct str rest = text;
	uint32_t code_point = length ? utf8_next(&rest) : 0xfffd;
	char escape[UTF8_ESCAPE_BYTES + 1];
	bool fits;

	if (code_point == '"' || code_point == '\\') {
		fits = line_put(line, (char[]){'\\', (char)code_point}, 2);
	} else if (!length || utf8_is_steering(code_point)) {
		utf8_escape(code_point, escape);
		fits = line_put(line, escape, UTF8_ESCAPE_BYTES);
	} else {
		fits = line_put(line, text.data, length);
	}
	if (!fits)
		return 0;
	return length ? length : 1;
}

static void line_put_quoted(struct line *line, struct str text)
{
	line_put(line, "\"", 1);
	while (text.length) {
		size_t length = line_put_character(line, text);

		if (length == 0)
			break;
		text = str_from_offset(text, length);
	}
	/* line_put() leaves four bytes for the end of the line. */
	line->data[line->length++] = '"';
}

static bool is_bare(struct str text)
{
	/* Visible ASCII except characters with a meaning in logfmt. */
	static const bool bare[256] = {
	    ['!'] = true,
	    ['#' ... '<'] = true,
	    ['>' ... '['] = true,
	    [']' ... '~'] = true,
	};

	if (text.length == 0)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		if (!bare[(unsigned char)text.data[i]])
			return false;
	}
	return true;
}

static void line_put_value(struct line *line, struct str text)
{
	if (settings.format != LOG_FORMAT_JSON && is_bare(text) &&
	    line->length + text.length < LINE_BYTES - 8)
		line_put(line, text.data, text.length);
	else
		line_put_quoted(line, text);
}

static void line_put_word(struct line *line, struct str word)
{
	if (settings.format == LOG_FORMAT_JSON)
		line_put_quoted(line, word);
	else
		line_put(line, word.data, word.length);
}

/* Longer text would not fit into the line. */
static void line_put_masked(struct line *line, struct str text)
{
	char masked[LINE_BYTES];

	if (text.length > sizeof(masked))
		text.length = sizeof(masked);
	if (secret_mask(text, masked))
		text.data = masked;
	line_put_value(line, text);
}

/* Returns false if no value would fit: the field is left out, since a partial one would break the
 * line. */
static bool line_put_name(struct line *line, const char *name)
{
	bool json = settings.format == LOG_FORMAT_JSON;
	size_t length = strlen(name);

	if (line->length + length + 40 > LINE_BYTES)
		return false;
	if (line->length > priority_bytes() + (json ? 1 : 0))
		line->data[line->length++] = json ? ',' : ' ';
	if (json) {
		line_put_quoted(line, (struct str){name, length});
		line->data[line->length++] = ':';
	} else {
		memcpy(line->data + line->length, name, length);
		line->length += length;
		line->data[line->length++] = '=';
	}
	return true;
}

/* Writes a text of the program itself. */
static void line_put_own(struct line *line, const char *name, const char *text)
{
	if (line_put_name(line, name))
		line_put_value(line, str_from(text));
}

static void line_put_field(struct line *line, const struct log_field *field)
{
	if (!line_put_name(line, field->name))
		return;
	if (field->kind == LOG_VALUE_INT)
		line_put_number(line, field->number);
	else if (field->kind == LOG_VALUE_WORD)
		line_put_word(line, field->text);
	else if (field->text.length >= SECRET_LENGTH_MIN)
		line_put_masked(line, field->text);
	else
		line_put_value(line, field->text);
}

static void line_finish(struct line *line)
{
	if (settings.format == LOG_FORMAT_JSON)
		line->data[line->length++] = '}';
	line->data[line->length++] = '\n';
}

void log_hold(void)
{
	if (held)
		return;
	held = malloc(sizeof(*held)); /* not memory_alloc(), which logs its end */
	if (!held)
		return; /* each line is written at once, as before */
	held->length = 0;
	held->write_bytes = log_sink_atomic_bytes();
}

void log_flush(void)
{
	if (held && held->length > 0) {
		log_sink_write(held->data, held->length);
		held->length = 0;
	} else if (log_sink_is_behind()) {
		log_sink_retry();
	}
}

void log_release(void)
{
	log_flush();
	free(held);
	held = NULL;
}

/* Writes what precedes the message. */
static void line_make_start(struct line *line, enum log_level level, const char *group,
			    int64_t wall_us)
{
	static const char *const level_names[] = {"debug", "info", "warn", "error"};
	char timestamp[TIMESTAMP_LENGTH + 1];

	timestamp_format(wall_us, timestamp);
	if (settings.has_priorities)
		line_put_text(line, priorities[level]);
	if (settings.format == LOG_FORMAT_JSON)
		line_put_text(line, "{");
	line_put_field(line, &LOG_WORD("ts", ((struct str){timestamp, TIMESTAMP_LENGTH})));
	line_put_field(line, &LOG_WORD("level", str_from(level_names[level])));
	if (settings.process[0])
		line_put_own(line, "process", settings.process);
	line_put_field(line, &LOG_WORD("group", str_from(group)));
}

/* Does the same, but in a second with many lines, mostly access lines, formats it once. */
static void line_put_start(struct line *line, enum log_level level, const char *group)
{
	int64_t wall_us = clock_wall_us();
	unsigned ms = (unsigned)((uint64_t)wall_us / 1000 % 1000);
	size_t ms_at = priority_bytes() + (settings.format == LOG_FORMAT_JSON
					       ? sizeof("{\"ts\":\"2026-11-28T12:00:00")
					       : sizeof("ts=2026-11-28T12:00:00"));

	if (start.group != group || start.level != level || start.second != wall_us / 1000000) {
		line_make_start(line, level, group, wall_us);
		start.group = line->length <= sizeof(start.text) ? group : NULL;
		start.level = level;
		start.second = wall_us / 1000000;
		start.length = line->length;
		if (start.group)
			memcpy(start.text, line->data, line->length);
		return;
	}
	line_put(line, start.text, start.length);
	line->data[ms_at] = (char)('0' + ms / 100);
	line->data[ms_at + 1] = (char)('0' + ms / 10 % 10);
	line->data[ms_at + 2] = (char)('0' + ms % 10);
}

static void write_line(struct line *line, enum log_level level, const char *group,
		       const char *message, const struct log_field *fields)
{
	line_put_start(line, level, group);
	line_put_own(line, "msg", message);
	for (; fields->kind != LOG_VALUE_NONE; fields++)
		line_put_field(line, fields);
	line_finish(line);
	if (witness && level >= LOG_ERROR)
		witness(str_from_offset((struct str){line->data, line->length}, priority_bytes()));
}

/* Adds a line to those that are held back; writes those first if all would be too much. */
static void hold_line(enum log_level level, const char *group, const char *message,
		      const struct log_field *fields)
{
	struct line line;
	size_t before;

	if (HELD_BYTES - held->length < LINE_BYTES)
		log_flush();
	before = held->length;
	line = (struct line){.data = held->data + before};
	write_line(&line, level, group, message, fields);
	if (before && before + line.length > held->write_bytes) {
		log_sink_write(held->data, before);
		memmove(held->data, line.data, line.length);
		before = 0;
	}
	held->length = before + line.length;
	if (level >= LOG_WARN)
		log_flush();
}

void log_write(enum log_level level, const char *group, const char *message,
	       const struct log_field *fields)
{
	atomic_fetch_add_explicit(&line_counts[level], 1, memory_order_relaxed);
	if (held) {
		hold_line(level, group, message, fields);
	} else {
		char data[LINE_BYTES];
		struct line line = {.data = data};

		write_line(&line, level, group, message, fields);
		log_sink_write(line.data, line.length);
	}
}

/* Formats the notice of lost lines for log_sink_never_wait(). */
static size_t format_notice(char *text, size_t size, uint64_t lost)
{
	char data[LINE_BYTES];
	struct line line = {.data = data};

	write_line(&line, LOG_WARN, "log", "dropped log lines, the output was too slow",
		   (const struct log_field[]){LOG_INT("lines", lost), LOG_END});
	if (line.length > size)
		return 0;
	memcpy(text, line.data, line.length);
	return line.length;
}

void log_init(void)
{
	log_sink_never_wait(format_notice);
}

int log_spliced_from(void)
{
	return log_sink_spliced_from();
}

void log_finish(void)
{
	log_flush();
	log_sink_finish();
}

struct log_counts log_count(void)
{
	struct log_counts counts = {.lost = log_sink_lost()};

	for (enum log_level level = LOG_DEBUG; level <= LOG_ERROR; level++)
		counts.lines[level] =
		    atomic_load_explicit(&line_counts[level], memory_order_relaxed);
	return counts;
}
