/* Timers of scripts. surroundings.js has their list; here is when the next of them runs. */
#include "run.h"

#include <math.h>

/* Calls a function of the surroundings with the time of the timers. Returns its number; after an
 * exception the fault is set. */
static double call(struct run *run, const char *name)
{
	JSContext *context = run->context;
	JSValue function = JS_GetPropertyStr(context, run->surroundings, name);
	JSValue passed = JS_NewFloat64(context, run->passed_ms), value = JS_UNDEFINED;
	double number = INFINITY;

	if (JS_IsFunction(context, function))
		value = JS_Call(context, function, JS_UNDEFINED, 1, &passed);
	if (JS_IsException(value))
		fault_take_exception(run);
	else if (JS_IsNumber(value) && JS_ToFloat64(context, &number, value) < 0)
		JS_FreeValue(context, JS_GetException(context));
	JS_FreeValue(context, value);
	JS_FreeValue(context, function);
	return number;
}

bool timers_wait(struct run *run)
{
	double left_ms = INFINITY;

	if (run->fault.length)
		return false;
	if (JS_IsObject(run->surroundings))
		left_ms = call(run, "timeLeft");
	if (run->fault.length || (run->fetches_open == 0 && isinf(left_ms)))
		return false;
	if (run->fetches_open > 0 && left_ms > 0)
		return fetch_wait(run, left_ms);
	if (run->has_told_waiting) /* answers may come with the turn */
		return fetch_take_turn(run);
	if (left_ms > 0)
		run->passed_ms += left_ms;
	(void)call(run, "runTimer");
	return run->fault.length == 0;
}
