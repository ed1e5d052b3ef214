/* Reads the head of a request, with the engine but before there is a script, so its faults are the
 * caller's. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static double get_number(JSContext *context, JSValueConst head, const char *name, double fallback)
{
	JSValue value = JS_GetPropertyStr(context, head, name);
	double number = fallback;

	if (JS_IsNumber(value))
		JS_ToFloat64(context, &number, value);
	JS_FreeValue(context, value);
	return number;
}

/* Returns the member if it is there, else the fallback. */
static JSValue get_text(JSContext *context, JSValueConst head, const char *name,
			const char *fallback)
{
	JSValue value = JS_GetPropertyStr(context, head, name);

	if (JS_IsString(value))
		return value;
	JS_FreeValue(context, value);
	return JS_NewString(context, fallback);
}

static int read_what(struct run *run, JSValueConst head)
{
	JSValue value = get_text(run->context, head, "what", "");
	const char *text = JS_ToCString(run->context, value);
	int status = 0;

	if (text && strcmp(text, "render") == 0)
		run->request.what = WHAT_RENDER;
	else if (text && strcmp(text, "schema") == 0)
		run->request.what = WHAT_SCHEMA;
	else if (text && strcmp(text, "handler") == 0)
		run->request.what = WHAT_HANDLER;
	else
		status = -1;
	JS_FreeCString(run->context, text);
	JS_FreeValue(run->context, value);
	return status;
}

int64_t request_take_int64(JSContext *context, JSValue value)
{
	int64_t number = 0;

	if (JS_IsNumber(value))
		JS_ToInt64(context, &number, value);
	JS_FreeValue(context, value);
	return number;
}

/* Reads "zone": alternating times and offsets, sorted. */
static int read_zone(struct run *run, JSValueConst head)
{
	enum { DAY_S = 24 * 3600 };
	struct request *request = &run->request;
	JSValue zone = JS_GetPropertyStr(run->context, head, "zone");
	int64_t length = 0;

	if (JS_IsArray(zone))
		JS_GetLength(run->context, zone, &length);
	if (length > 2 * CLOCK_CHANGES_MAX)
		length = 0;
	if (length > 1)
		request->changes = calloc((size_t)length / 2, sizeof(*request->changes));
	if (request->changes)
		request->change_count = (size_t)length / 2;
	for (uint32_t i = 0; i < request->change_count; i++) {
		JSValue at = JS_GetPropertyUint32(run->context, zone, 2 * i);
		JSValue offset = JS_GetPropertyUint32(run->context, zone, 2 * i + 1);
		int64_t offset_s = request_take_int64(run->context, offset);

		if (offset_s < -2 * DAY_S || offset_s > 2 * DAY_S)
			offset_s = 0;
		request->changes[i].at_s = request_take_int64(run->context, at);
		request->changes[i].offset_s = (int32_t)offset_s;
	}
	JS_FreeValue(run->context, zone);
	return length > 1 && !request->changes ? -1 : 0;
}

static double within(double value, double least, double most)
{
	return value >= least && value <= most ? value : least;
}

static int64_t get_time_ms(JSContext *context, JSValueConst head, const char *name,
			   int64_t usual_ms)
{
	enum { MOST_MS = 60 * 1000 };
	double ms = get_number(context, head, name, (double)usual_ms);

	return ms > MOST_MS ? MOST_MS : (int64_t)within(ms, 1, MOST_MS);
}

static bool get_bool(JSContext *context, JSValueConst head, const char *name, bool fallback)
{
	JSValue value = JS_GetPropertyStr(context, head, name);
	bool is_set = JS_IsBool(value) ? JS_ToBool(context, value) : fallback;

	JS_FreeValue(context, value);
	return is_set;
}

static void read_members(struct run *run, JSValueConst head)
{
	enum { WALL_EXTRA_MOST_MS = 3600 * 1000 };
	static const double most_ms = 8.64e15; /* of ECMAScript's Date */
	struct request *request = &run->request;
	JSContext *context = run->context;

	request->now_ms =
	    (int64_t)within(get_number(context, head, "now_ms", 0), -most_ms, most_ms);
	request->seed = (uint64_t)within(get_number(context, head, "seed", 0), 0, 9.2e18);
	request->width = (int)within(get_number(context, head, "width", 0), 0, PIXELS_MAX);
	request->height = (int)within(get_number(context, head, "height", 0), 0, PIXELS_MAX);
	request->is_2x = get_bool(context, head, "is_2x", false);
	request->timeout_ms = get_time_ms(context, head, "timeout_ms", TIMEOUT_MS);
	request->network_ms = get_time_ms(context, head, "network_ms", NETWORK_MS);
	request->wall_extra_ms =
	    (int64_t)within(get_number(context, head, "wall_extra_ms", 0), 0, WALL_EXTRA_MOST_MS);
	request->has_network = get_bool(context, head, "network", true);
	request->reports_waits = get_bool(context, head, "reports_waits", false);
	request->timezone = get_text(context, head, "timezone", "UTC");
	request->locale = get_text(context, head, "locale", "en");
	request->handler = get_text(context, head, "handler", "");
	request->parameter = get_text(context, head, "parameter", "");
	request->config = JS_GetPropertyStr(context, head, "config");
	if (!JS_IsObject(request->config)) {
		JS_FreeValue(context, request->config);
		request->config = JS_NewObject(context);
	}
}

int request_read(struct run *run, const char *head, size_t length)
{
	JSValue object = JS_ParseJSON(run->context, head, length, "request");
	struct request *request = &run->request;
	int status = -1;

	if (!JS_IsObject(object)) {
		JS_FreeValue(run->context, JS_GetException(run->context));
		fault_set(run, FAULT_REQUEST, "the head is not a JSON object");
		return -1;
	}
	read_members(run, object);
	if (read_what(run, object) < 0)
		fault_set(run, FAULT_REQUEST, "what must be render, schema or handler");
	else if (request->width == 0 || request->height == 0 ||
		 request->width > PIXELS_MAX / (request->is_2x ? 4 : 1) / request->height)
		fault_set(run, FAULT_REQUEST, "%d x %d pixels is not a valid size", request->width,
			  request->height);
	else if (read_zone(run, object) < 0)
		fault_set(run, FAULT_REQUEST, "no memory");
	else
		status = 0;
	JS_FreeValue(run->context, object);
	return status;
}

int request_magnification(const struct run *run)
{
	return run->request.is_2x && files_support_2x(&run->files) ? 2 : 1;
}

void request_finish(struct run *run)
{
	struct request *request = &run->request;

	JS_FreeValue(run->context, request->timezone);
	JS_FreeValue(run->context, request->locale);
	JS_FreeValue(run->context, request->config);
	JS_FreeValue(run->context, request->handler);
	JS_FreeValue(run->context, request->parameter);
	free(request->changes);
}
