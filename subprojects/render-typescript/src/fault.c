/* Makes errors with their location in the source. */
#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { BACKTRACE_MAX = 4 << 10, CALLS_MAX = 20 };

static const char full[] = "the app holds more than 24 MiB of memory";

/* A source location in the engine's backtrace, as in "    at draw (app.ts:12:9)". */
struct call {
	char name[80];
	struct source_location location;
};

static void add_location(struct run *run, const struct source_location *location)
{
	bytes_add_text(&run->fault, ",\"file\":");
	bytes_add_json(&run->fault, location->file->name, strlen(location->file->name));
	bytes_add_format(&run->fault, ",\"line\":%u,\"column\":%u", location->line,
			 location->column);
}

void fault_set(struct run *run, const char *kind, const char *format, ...)
{
	char message[MESSAGE_MAX];
	bool is_full = run->heap->was_full && !run->is_late;
	va_list arguments;

	if (run->fault.length)
		return;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	if (is_full)
		snprintf(message, sizeof(message), "%s", full);
	bytes_add_format(&run->fault,
			 "{\"kind\":\"%s\",\"message\":", is_full ? FAULT_LIMIT : kind);
	bytes_add_json(&run->fault, message, strlen(message));
	if (run->where.file && (is_full || strcmp(kind, FAULT_LIMIT) != 0))
		add_location(run, &run->where);
	bytes_add_text(&run->fault, "}");
}

void fault_describe_time(char *to, size_t size, int64_t timeout_ms)
{
	if (timeout_ms % 1000 == 0)
		snprintf(to, size, "the app takes more than %llds", (long long)timeout_ms / 1000);
	else
		snprintf(to, size, "the app takes more than %lldms", (long long)timeout_ms);
}

int64_t cpu_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
	       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

int64_t fault_wall_ms(const struct request *request)
{
	enum { TIMES = 3, EXTRA_MS = 5000 };

	return TIMES * request->timeout_ms + EXTRA_MS + request->wall_extra_ms;
}

bool fault_is_late(struct run *run)
{
	if (!run->is_late)
		run->is_late =
		    cpu_us() >= run->cpu_deadline_us || clock_monotonic_us() >= run->deadline_us;
	return run->is_late;
}

/* Reads one line of a backtrace. Returns false if it names no source location in the app. */
static bool read_call(struct run *run, const char *line, size_t length, struct call *ret_call)
{
	char text[400];
	char *name = text, *end;

	if (length >= sizeof(text))
		return false;
	memcpy(text, line, length);
	text[length] = '\0';
	if (!location_read(run, text, &ret_call->location))
		return false;
	location_map(&ret_call->location);
	end = strstr(text, " (");
	name += strspn(name, " ");
	if (strncmp(name, "at ", 3) == 0)
		name += 3;
	snprintf(ret_call->name, sizeof(ret_call->name), "%.*s",
		 end && end > name ? (int)(end - name) : 0, name);
	return true;
}

/* Adds all calls as the backtrace, and the innermost one as the source location; location is used
 * if there are none. */
static void add_calls(struct run *run, const char *stack, struct source_location location)
{
	struct bytes calls = {.most = BACKTRACE_MAX};
	unsigned count = 0;
	struct call call;

	while (*stack && count < CALLS_MAX) {
		size_t length = strcspn(stack, "\n");

		if (read_call(run, stack, length, &call)) {
			if (count++ == 0)
				location = call.location;
			bytes_add_format(&calls, "  %s:%u:%u: in %s\n", call.location.file->name,
					 call.location.line, call.location.column,
					 call.name[0] ? call.name : "the script");
		}
		stack += length + (stack[length] != '\0');
	}
	if (location.file)
		add_location(run, &location);
	if (count > 0) {
		bytes_add_text(&run->fault, ",\"backtrace\":");
		bytes_add_json(&run->fault, calls.data, calls.length);
	}
	bytes_finish(&calls);
}

/* Returns the member as text, which the caller frees with JS_FreeCString(); NULL if there is none.
 */
static const char *get_member(JSContext *context, JSValueConst object, const char *name)
{
	JSValue value = JS_GetPropertyStr(context, object, name);
	const char *text = JS_IsString(value) ? JS_ToCString(context, value) : NULL;

	JS_FreeValue(context, value);
	return text;
}

/* Returns the reason if a limit was reached; NULL: none was. */
static const char *limit_reason(const struct run *run, const char *message)
{
	if (run->heap->was_full)
		return full;
	if (strstr(message, "Maximum call stack size exceeded") ||
	    strstr(message, "stack overflow"))
		return "the app calls itself too deep";
	return NULL;
}

bool fault_is_error(JSContext *context, JSValueConst value)
{
	enum { CLASSES_MAX = 20 };
	JSValue one = JS_DupValue(context, value);
	bool is = false;

	for (int i = 0; i < CLASSES_MAX && JS_IsObject(one) && !is; i++) {
		JSValue next = JS_GetPrototype(context, one);

		is = JS_IsError(one);
		JS_FreeValue(context, one);
		one = next;
	}
	if (JS_IsException(one))
		JS_FreeValue(context, JS_GetException(context));
	JS_FreeValue(context, one);
	return is;
}

/* Sets the fault of the script's own time, with the location where the script was, if its stack is
 * known. */
static void set_time_fault(struct run *run, const char *stack)
{
	char message[64];

	if (run->fault.length)
		return;
	if (run->late_stack)
		stack = run->late_stack; /* the script may have caught the error that ended it */
	if (cpu_us() < run->cpu_deadline_us) {
		fault_set(run, FAULT_LATE, "%s", FAULT_STARVED);
		return;
	}
	fault_describe_time(message, sizeof(message), run->request.timeout_ms);
	bytes_add_format(&run->fault, "{\"kind\":\"%s\",\"message\":\"%s\"", FAULT_LIMIT, message);
	add_calls(run, stack, run->where);
	bytes_add_text(&run->fault, "}");
}

bool fault_check_time(struct run *run)
{
	if (!fault_is_late(run))
		return false;
	set_time_fault(run, "");
	return true;
}

static void describe_error(struct run *run, JSValueConst error)
{
	const char *name = get_member(run->context, error, "name");
	const char *message = get_member(run->context, error, "message");
	const char *stack = get_member(run->context, error, "stack");
	const char *limit = limit_reason(run, message ? message : "");
	const char *hint = missing_hint(message ? message : "");
	struct source_location location = run->where;
	char text[MESSAGE_MAX];

	snprintf(text, sizeof(text), "%s: %s%s%s", name ? name : "Error", message ? message : "",
		 hint ? ": " : "", hint ? hint : "");
	bytes_add_format(&run->fault,
			 "{\"kind\":\"%s\",\"message\":", limit ? FAULT_LIMIT : FAULT_SCRIPT);
	bytes_add_json(&run->fault, limit ? limit : text, strlen(limit ? limit : text));
	if (imports_find_missing(run, message ? message : "", &location))
		location_map(&location);
	add_calls(run, stack ? stack : "", location);
	bytes_add_text(&run->fault, "}");
	JS_FreeCString(run->context, name);
	JS_FreeCString(run->context, message);
	JS_FreeCString(run->context, stack);
}

/* Returns the value as text, or the "message" of an object, as some libraries throw them; NULL:
 * there is none. The caller frees it with JS_FreeCString(). */
static const char *text_of_thrown(JSContext *context, JSValueConst thrown)
{
	const char *text = JS_IsObject(thrown) ? get_member(context, thrown, "message") : NULL;

	return text ? text : JS_ToCString(context, thrown);
}

/* Describes a thrown value. The engine stores source locations in errors only; for other values the
 * nearest known one is that of main() or a handler. */
static void describe(struct run *run, JSValueConst reason)
{
	const char *text;

	if (fault_is_error(run->context, reason)) {
		describe_error(run, reason);
		return;
	}
	text = text_of_thrown(run->context, reason);
	fault_set(run, FAULT_SCRIPT, "thrown: %s (throw new Error() to see the line)",
		  text ? text : "a value");
	JS_FreeCString(run->context, text);
}

void fault_take(struct run *run, JSValueConst reason)
{
	const char *stack;

	if (run->fault.length)
		return;
	if (!fault_is_late(run))
		describe(run, reason);
	if (!run->is_late)
		return;
	bytes_finish(&run->fault); /* if that took too long */
	stack = JS_IsError(reason) ? get_member(run->context, reason, "stack") : NULL;
	set_time_fault(run, stack ? stack : "");
	JS_FreeCString(run->context, stack);
}

void fault_take_exception(struct run *run)
{
	JSValue exception = JS_GetException(run->context);

	fault_take(run, exception);
	JS_FreeValue(run->context, exception);
}
