/* Collects the lines that scripts print, within limits. */
#include "run.h"

#include <string.h>
#include <text/utf8.h>

#define MARK "\u2026" /* ... */

/* Adds a line; cuts or drops a line that does not fit. */
static void add_line(struct logbook *log, const char *line, size_t length)
{
	size_t room = LOG_BYTES_MAX - log->bytes, used = length;
	struct bytes shorter = {0};

	if (log->count == LOG_LINES_MAX || room <= sizeof(MARK)) {
		log->dropped++;
		return;
	}
	room--; /* for the line feed */
	if (length > room) {
		bytes_add(&shorter, line,
			  utf8_cut((struct str){line, length}, room - strlen(MARK)).length);
		bytes_add_text(&shorter, MARK);
		used = shorter.length;
	}
	if (log->count++)
		bytes_add_text(&log->lines, ",");
	log->bytes += used + 1;
	bytes_add_json(&log->lines, shorter.data ? shorter.data : line, used);
	bytes_finish(&shorter);
}

static void add_lines(struct logbook *log, const char *text, size_t length)
{
	const char *end;

	while ((end = memchr(text, '\n', length))) {
		add_line(log, text, (size_t)(end - text));
		length -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	add_line(log, text, length);
}

/* Appends as much of the text as fits; returns the number of lines in the rest. */
static unsigned append(struct bytes *to, const char *text, size_t length)
{
	size_t room = to->most - to->length;
	unsigned lines = 0;

	if (length <= room) {
		bytes_add(to, text, length);
		return 0;
	}
	room = utf8_cut((struct str){text, length}, room).length;
	bytes_add(to, text, room);
	for (size_t i = room; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Objects are shown as JSON if they have one. */
static const char *show(JSContext *context, JSValueConst value, size_t *ret_length)
{
	JSValue json = JS_UNDEFINED;
	const char *text;

	if (JS_IsObject(value) && !fault_is_error(context, value)) {
		json = JS_JSONStringify(context, value, JS_UNDEFINED, JS_UNDEFINED);
		if (JS_IsException(json))
			return NULL;
	}
	text = JS_ToCStringLen(context, ret_length, JS_IsString(json) ? json : value);
	JS_FreeValue(context, json);
	return text;
}

static JSValue print(JSContext *context, JSValueConst self, int count, JSValueConst *values)
{
	struct run *run = JS_GetContextOpaque(context);
	struct bytes line = {.most = LOG_BYTES_MAX + 1};
	size_t length;

	(void)self;
	for (int i = 0; i < count; i++) {
		const char *text = show(context, values[i], &length);

		if (!text) {
			bytes_finish(&line);
			return JS_EXCEPTION;
		}
		if (i > 0)
			append(&line, " ", 1);
		run->log.dropped += append(&line, text, length);
		JS_FreeCString(context, text);
	}
	length = line.length;
	if (length > 0 && line.data[length - 1] == '\n')
		length--;
	add_lines(&run->log, line.data ? line.data : "", length);
	bytes_finish(&line);
	return JS_UNDEFINED;
}

int console_define(struct run *run)
{
	static const char *const names[] = {"log", "info", "warn", "error", "debug"};
	JSContext *context = run->context;
	JSValue global = JS_GetGlobalObject(context);
	JSValue console = JS_NewObject(context);
	int status = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && status >= 0; i++)
		status = JS_SetPropertyStr(context, console, names[i],
					   JS_NewCFunction(context, print, names[i], 1));
	if (status >= 0)
		status = JS_SetPropertyStr(context, global, "print",
					   JS_NewCFunction(context, print, "print", 1));
	if (status < 0)
		JS_FreeValue(context, console);
	else
		status = JS_SetPropertyStr(context, global, "console", console);
	JS_FreeValue(context, global);
	return status < 0 ? -1 : 0;
}
