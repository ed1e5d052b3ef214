#include "base/log.h"
#include "base/clock.h"

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

/* Bytes above 0x7f are passed on only where they form valid UTF-8 in the caller's view; a log
 * reader shows the rest as it likes. Control characters, quotes and backslashes are escaped. */
static void line_put_quoted(struct line *line, struct str text)
{
	line_put(line, "\"", 1);
	for (size_t i = 0; i < text.length; i++) {
		unsigned char c = (unsigned char)text.data[i];
		char escape[8];
		bool fits;

		if (c == '"' || c == '\\') {
			fits = line_put(line, (char[]){'\\', (char)c}, 2);
		} else if (c < 0x20 || c == 0x7f) {
			snprintf(escape, sizeof(escape), "\\u%04x", c);
			fits = line_put(line, escape, 6);
		} else {
			fits = line_put(line, &text.data[i], 1);
		}
		if (!fits)
			break;
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
