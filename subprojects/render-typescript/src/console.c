/* What scripts print stays out of the picture, and is bounded. */
#include "run.h"

#include <string.h>

static void add_line(struct logbook *log, const char *line, size_t length)
{
	if (log->count == LOG_LINES_MAX || log->bytes + length > LOG_BYTES_MAX) {
		log->dropped++;
		return;
	}
	if (log->count++)
		text_add_str(&log->lines, ",");
	log->bytes += length;
	text_add_json(&log->lines, line, length);
}

/* Objects are shown as JSON where they have one. */
static const char *show(JSContext *context, JSValueConst value, size_t *ret_length)
{
	JSValue json = JS_UNDEFINED;
	const char *text;

	if (JS_IsObject(value) && !JS_IsError(value)) {
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
	struct text line = {.most = LOG_BYTES_MAX};

	(void)self;
	for (int i = 0; i < count && !line.failed; i++) {
		size_t length;
		const char *text = show(context, values[i], &length);

		if (!text) {
			text_finish(&line);
			return JS_EXCEPTION;
		}
		if (i > 0)
			text_add_str(&line, " ");
		text_add(&line, text, length);
		JS_FreeCString(context, text);
	}
	if (line.failed)
		run->log.dropped++;
	else
		add_line(&run->log, line.data ? line.data : "", line.length);
	text_finish(&line);
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
