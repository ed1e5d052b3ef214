#include "base/log.h"
#include "base/clock.h"
#include "base/utf8.h"

#include <stdio.h>
#include <unistd.h>

enum { LINE_BYTES = 8192 };

static struct {
	enum log_level level;
	enum log_format format;
	const char *process;
	int fd;
} settings = {.level = LOG_INFO, .fd = STDERR_FILENO};

/* A line under construction. Full means cut: closing characters always fit (see line_finish). */
struct line {
	char data[LINE_BYTES];
	size_t length;
};

void log_set_level(enum log_level level)
{
	settings.level = level;
}

void log_set_format(enum log_format format)
{
	settings.format = format;
}

void log_set_process(const char *name)
{
	settings.process = name;
}

void log_set_fd(int fd)
{
	settings.fd = fd;
}

bool log_is_on(enum log_level level)
{
	return level >= settings.level;
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
	char text[24];
	int length = snprintf(text, sizeof(text), "%lld", (long long)number);

	line_put(line, text, (size_t)length);
}

/* LINE SEPARATOR and PARAGRAPH SEPARATOR: some readers end a line there. */
static bool is_line_separator(uint32_t code_point)
{
	return code_point == 0x2028 || code_point == 0x2029;
}

/* Writes the character at the front of text, which is not empty, and returns its bytes; 0 when the
 * line is full. What could break a line or a terminal is escaped, and a byte that is no UTF-8 is
 * replaced, so that the line is valid JSON and valid UTF-8 whatever was in text. */
static size_t line_put_character(struct line *line, struct str text)
{
	size_t length = utf8_sequence_length(text);
	struct str rest = text;
	uint32_t code_point = length ? utf8_next(&rest) : 0xfffd;
	char escape[8];
	bool fits;

	if (code_point == '"' || code_point == '\\') {
		fits = line_put(line, (char[]){'\\', (char)code_point}, 2);
	} else if (!length || utf8_is_control(code_point) || is_line_separator(code_point)) {
		snprintf(escape, sizeof(escape), "\\u%04x", code_point);
		fits = line_put(line, escape, 6);
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
	/* line_put() leaves four bytes for what closes the line. */
	line->data[line->length++] = '"';
}

static bool is_bare(struct str text)
{
	if (text.length == 0)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		unsigned char c = (unsigned char)text.data[i];

		if (c <= 0x20 || c >= 0x7f || c == '"' || c == '=' || c == '\\')
			return false;
	}
	return true;
}

static void line_put_field(struct line *line, const char *name, const struct log_field *value)
{
	bool json = settings.format == LOG_FORMAT_JSON;

	/* A field that would not fit whole is left out: a half one would break the line. */
	if (line->length + strlen(name) + 40 > LINE_BYTES)
		return;
	if (line->length > (json ? 1 : 0))
		line_put_text(line, json ? "," : " ");
	if (json) {
		line_put_quoted(line, str_from(name));
		line_put_text(line, ":");
	} else {
		line_put_text(line, name);
		line_put_text(line, "=");
	}
	if (value->kind == LOG_VALUE_INT)
		line_put_number(line, value->number);
	else if (!json && is_bare(value->text) &&
		 line->length + value->text.length < LINE_BYTES - 8)
		line_put(line, value->text.data, value->text.length);
	else
		line_put_quoted(line, value->text);
}

static void line_finish(struct line *line)
{
	if (settings.format == LOG_FORMAT_JSON)
		line->data[line->length++] = '}';
	line->data[line->length++] = '\n';
}

void log_write(enum log_level level, const char *group, const char *message,
	       const struct log_field *fields)
{
	static const char *const level_names[] = {"debug", "info", "warn", "error"};
	struct line line = {.length = 0};
	char timestamp[TIMESTAMP_LENGTH + 1];

	timestamp_format(clock_wall_us(), timestamp);
	if (settings.format == LOG_FORMAT_JSON)
		line_put_text(&line, "{");
	line_put_field(&line, "ts", &LOG_TEXT("ts", timestamp));
	line_put_field(&line, "level", &LOG_TEXT("level", level_names[level]));
	if (settings.process)
		line_put_field(&line, "process", &LOG_TEXT("process", settings.process));
	line_put_field(&line, "group", &LOG_TEXT("group", group));
	line_put_field(&line, "msg", &LOG_TEXT("msg", message));
	for (; fields->kind != LOG_VALUE_NONE; fields++)
		line_put_field(&line, fields->name, fields);
	line_finish(&line);
	/* A full pipe or a closed stderr must not stop the server: the line is lost. */
	if (write(settings.fd, line.data, line.length) < 0)
		return;
}
