/* Runs a script: its module, main(), and the jobs of its promises, until nothing is left to do. */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Runs all jobs. Returns 0, or -1 with the fault set if the time is over. If no job was under way
 * then, some more run: the engine ends one of them soon, which gives the line. */
static int run_jobs(struct run *run)
{
	enum { LATE_JOBS_MAX = 20000 };
	unsigned late_jobs = 0;
	JSContext *context;
	int status;

	while ((status = JS_ExecutePendingJob(run->runtime, &context)) != 0) {
		JSValue exception = status < 0 ? JS_GetException(run->context) : JS_UNDEFINED;

		if (fault_is_late(run) && (status < 0 || late_jobs++ == LATE_JOBS_MAX))
			fault_take(run, exception);
		JS_FreeValue(run->context, exception);
		if (run->fault.length)
			return -1;
	}
	return fault_check_time(run) ? -1 : 0;
}

/* Whether a module was ended because the time is over: its error has the line. Sets the fault. */
static bool was_ended_late(struct run *run, JSValueConst promise)
{
	JSValue reason;

	if (!fault_is_late(run) || JS_PromiseState(run->context, promise) != JS_PROMISE_REJECTED)
		return false;
	reason = JS_PromiseResult(run->context, promise);
	fault_take(run, reason);
	JS_FreeValue(run->context, reason);
	return true;
}

/* Waits for the value if it is a promise; takes it. After an exception the fault is set. */
static JSValue settle(struct run *run, JSValue value, const char *who)
{
	JSPromiseStateEnum state;
	JSValue result;

	if (JS_IsException(value)) {
		fault_take_exception(run);
		return value;
	}
	do {
		if (was_ended_late(run, value) || run_jobs(run) < 0) {
			JS_FreeValue(run->context, value);
			return JS_EXCEPTION;
		}
		state = JS_PromiseState(run->context, value);
	} while (state == JS_PROMISE_PENDING && timers_wait(run));
	if (state == JS_PROMISE_NOT_A_PROMISE)
		return value;
	result = JS_PromiseResult(run->context, value);
	JS_FreeValue(run->context, value);
	if (state == JS_PROMISE_FULFILLED)
		return result;
	if (state == JS_PROMISE_PENDING)
		fault_set(run, FAULT_SCRIPT, "%s waits for a promise that nothing will settle",
			  who);
	else
		fault_take(run, result);
	JS_FreeValue(run->context, result);
	return JS_EXCEPTION;
}

void script_note_rejection(JSContext *context, JSValueConst promise, JSValueConst reason,
			   bool is_handled, void *opaque)
{
	struct run *run = opaque;
	struct rejection *list = run->rejections;
	unsigned at = 0;

	while (at < run->rejection_count &&
	       JS_VALUE_GET_PTR(list[at].promise) != JS_VALUE_GET_PTR(promise))
		at++;
	if (!is_handled && at == run->rejection_count && at < REJECTIONS_MAX) {
		if (!list)
			list = malloc(REJECTIONS_MAX * sizeof(*list));
		if (!list)
			return;
		run->rejections = list;
		run->rejection_count++;
		list[at] =
		    (struct rejection){JS_DupValue(context, promise), JS_DupValue(context, reason)};
	} else if (is_handled && at < run->rejection_count) {
		JS_FreeValue(context, list[at].promise);
		JS_FreeValue(context, list[at].reason);
		memmove(&list[at], &list[at + 1], (--run->rejection_count - at) * sizeof(*list));
	}
}

void script_forget_rejections(struct run *run)
{
	for (unsigned i = 0; i < run->rejection_count; i++) {
		JS_FreeValue(run->context, run->rejections[i].promise);
		JS_FreeValue(run->context, run->rejections[i].reason);
	}
	free(run->rejections);
	run->rejections = NULL;
	run->rejection_count = 0;
}

static bool set(JSContext *context, JSValueConst object, const char *name, JSValue value)
{
	return !JS_IsException(value) && JS_SetPropertyStr(context, object, name, value) >= 0;
}

/* Makes the local time of the device. */
static JSValue make_local(JSContext *context)
{
	int64_t now_s = clock_now_ms() / 1000 - (clock_now_ms() % 1000 < 0);
	int32_t offset_s = clock_offset_s(now_s);
	time_t wall_s = now_s + offset_s;
	JSValue local = JS_NewObject(context);
	struct tm parts = {0};

	gmtime_r(&wall_s, &parts);
	if (set(context, local, "year", JS_NewInt32(context, parts.tm_year + 1900)) &&
	    set(context, local, "month", JS_NewInt32(context, parts.tm_mon + 1)) &&
	    set(context, local, "day", JS_NewInt32(context, parts.tm_mday)) &&
	    set(context, local, "hour", JS_NewInt32(context, parts.tm_hour)) &&
	    set(context, local, "minute", JS_NewInt32(context, parts.tm_min)) &&
	    set(context, local, "second", JS_NewInt32(context, parts.tm_sec)) &&
	    set(context, local, "weekday", JS_NewInt32(context, parts.tm_wday)) &&
	    set(context, local, "offset_minutes", JS_NewInt32(context, offset_s / 60)))
		return local;
	JS_FreeValue(context, local);
	return JS_EXCEPTION;
}

static JSValue make_device(struct run *run)
{
	JSValue device = JS_NewObject(run->context);
	int times = request_magnification(run);

	if (set(run->context, device, "width",
		JS_NewInt32(run->context, times * run->request.width)) &&
	    set(run->context, device, "height",
		JS_NewInt32(run->context, times * run->request.height)))
		return device;
	JS_FreeValue(run->context, device);
	return JS_EXCEPTION;
}

/* Makes the argument of main(). */
static JSValue make_argument(struct run *run)
{
	JSContext *context = run->context;
	struct request *request = &run->request;
	JSValue argument = JS_NewObject(context);

	if (set(context, argument, "config", JS_DupValue(context, request->config)) &&
	    set(context, argument, "now", JS_NewDate(context, (double)request->now_ms)) &&
	    set(context, argument, "timezone", JS_DupValue(context, request->timezone)) &&
	    set(context, argument, "local", make_local(context)) &&
	    set(context, argument, "locale", JS_DupValue(context, request->locale)) &&
	    set(context, argument, "device", make_device(run)))
		return argument;
	JS_FreeValue(context, argument);
	return JS_EXCEPTION;
}

/* Calls main(). */
static JSValue call_main(struct run *run, JSValueConst module)
{
	JSValue function = JS_GetPropertyStr(run->context, module, "default");
	JSValue argument = JS_UNDEFINED, result = JS_EXCEPTION;

	if (JS_IsFunction(run->context, function))
		location_of_function(run, function, &run->where);
	if (!JS_IsFunction(run->context, function)) {
		fault_set(run, FAULT_APP, "the script has no \"export default function main\"");
	} else if (defaults_set(run, module) < 0) {
		fault_take_exception(run);
	} else {
		argument = make_argument(run);
		if (!JS_IsException(argument))
			result = JS_Call(run->context, function, JS_UNDEFINED, 1, &argument);
		result = settle(run, result, "main()");
	}
	JS_FreeValue(run->context, argument);
	JS_FreeValue(run->context, function);
	return result;
}

/* Writes the requested tree, or sets a fault. */
static void write_answer(struct run *run, JSValueConst module)
{
	const char *field = "";
	JSValue value, schema = JS_UNDEFINED;
	int status = -1;

	run->where = (struct source_location){run->files.list, 1, 1};
	if (run->request.what == WHAT_RENDER) {
		value = call_main(run, module);
	} else {
		run->where = location_of_export(run, "const schema ");
		value = JS_GetPropertyStr(run->context, module, "schema");
		if (run->request.what == WHAT_HANDLER && !JS_IsException(value)) {
			schema = value;
			value = handler_call(run, schema, &field);
			if (!run->fault.length)
				value = settle(run, value, "the handler");
		}
	}
	/* Like an exception that nobody catches. */
	if (!JS_IsException(value) && run->rejection_count > 0) {
		fault_take(run, run->rejections[0].reason);
		JS_FreeValue(run->context, value);
		value = JS_EXCEPTION;
	}
	if (!JS_IsException(value))
		status = run->request.what == WHAT_HANDLER ? tree_write_reply(run, field, value)
							   : tree_write(run, value);
	if (status < 0)
		fault_take_exception(run);
	JS_FreeValue(run->context, value);
	JS_FreeValue(run->context, schema);
}

void script_run(struct run *run)
{
	JSContext *context = run->context;
	const struct file *file = run->files.list;
	JSValue code = JS_Eval(context, file->data, file->length, file->name,
			       JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
	JSModuleDef *module;
	JSValue value, names;

	if (JS_IsException(code)) {
		fault_take_exception(run);
		return;
	}
	module = JS_VALUE_GET_PTR(code);
	value = settle(run, JS_EvalFunction(context, code), "the script");
	if (JS_IsException(value))
		return;
	JS_FreeValue(context, value);
	names = JS_GetModuleNamespace(context, module);
	if (JS_IsException(names)) {
		fault_take_exception(run);
		return;
	}
	write_answer(run, names);
	JS_FreeValue(context, names);
}
