/* fetch(): sends a frame to the parent process, and makes a promise that its answer settles. Many
 * may be under way; the process waits for them when the script has nothing else to do. */
#include "alarm.h"
#include "run.h"

#include <errno.h>
#include <math.h>
#include <sandboxed/frame.h>
#include <sandboxed/inside.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t last_id; /* counts in the whole process, so that no late answer is taken for that of
			   another request */

/* A fetch until it is sent. */
struct asking {
	struct run *run;
	struct bytes head;
	const char *body;
	size_t body_length;
	const char *text_body; /* to be freed */
};

/* Makes an error with the source location of the call. */
static JSValue make_error(JSContext *context, const char *words)
{
	JS_ThrowTypeError(context, "%s", words);
	return JS_GetException(context);
}

/* Adds ,"NAME":VALUE if the object has the member as text. Returns 0, or -1 with an exception. */
static int add_text_member(struct asking *asking, JSValueConst options, const char *name,
			   const char *fallback)
{
	JSContext *context = asking->run->context;
	JSValue value =
	    JS_IsObject(options) ? JS_GetPropertyStr(context, options, name) : JS_UNDEFINED;
	const char *text = fallback;
	size_t length = strlen(fallback);

	if (JS_IsException(value))
		return -1;
	if (!JS_IsUndefined(value) && !JS_IsNull(value)) {
		text = JS_ToCStringLen(context, &length, value);
		JS_FreeValue(context, value);
		if (!text)
			return -1;
	}
	bytes_add_format(&asking->head, ",\"%s\":", name);
	bytes_add_json(&asking->head, text, length);
	if (text != fallback)
		JS_FreeCString(context, text);
	return 0;
}

static int add_header(struct asking *asking, JSValueConst headers, JSAtom atom, bool is_first)
{
	JSContext *context = asking->run->context;
	JSValue value = JS_GetProperty(context, headers, atom);
	const char *name = JS_AtomToCString(context, atom);
	size_t length;
	const char *text = JS_IsException(value) ? NULL : JS_ToCStringLen(context, &length, value);

	if (name && text) {
		bytes_add_text(&asking->head, is_first ? "" : ",");
		bytes_add_json(&asking->head, name, strlen(name));
		bytes_add_text(&asking->head, ":");
		bytes_add_json(&asking->head, text, length);
	}
	JS_FreeCString(context, text);
	JS_FreeCString(context, name);
	JS_FreeValue(context, value);
	return name && text ? 0 : -1;
}

static int add_headers(struct asking *asking, JSValueConst options)
{
	JSContext *context = asking->run->context;
	JSValue headers = JS_GetPropertyStr(context, options, "headers");
	JSPropertyEnum *members;
	uint32_t count;
	int status = -1;

	if (JS_IsUndefined(headers))
		return 0;
	if (!JS_IsObject(headers) || JS_IsArray(headers)) {
		if (!JS_IsException(headers))
			JS_ThrowTypeError(context, "fetch: headers must be an object");
	} else {
		status = JS_GetOwnPropertyNames(context, &members, &count, headers,
						JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY);
	}
	if (status >= 0) {
		bytes_add_text(&asking->head, ",\"headers\":{");
		for (uint32_t i = 0; i < count && status == 0; i++)
			status = add_header(asking, headers, members[i].atom, i == 0);
		bytes_add_text(&asking->head, "}");
		JS_FreePropertyEnum(context, members, count);
	}
	JS_FreeValue(context, headers);
	return status;
}

static int add_ttl(struct asking *asking, JSValueConst options)
{
	JSContext *context = asking->run->context;
	JSValue value = JS_GetPropertyStr(context, options, "ttlSeconds");
	double ttl_s = 0;
	int status = JS_IsException(value) ? -1 : 0;

	if (status == 0 && !JS_IsUndefined(value))
		status = JS_ToFloat64(context, &ttl_s, value);
	JS_FreeValue(context, value);
	if (status == 0 && ttl_s >= 1)
		bytes_add_format(&asking->head, ",\"ttl_s\":%.0f", ttl_s < 1e9 ? ttl_s : 1e9);
	return status;
}

/* Takes the bytes of an ArrayBuffer or of a typed array; none, if the script has given them away.
 */
static void take_bytes(struct asking *asking, JSValueConst body)
{
	JSContext *context = asking->run->context;
	size_t offset = 0, length = SIZE_MAX, size = 0;
	JSValue buffer = JS_IsArrayBuffer(body)
			     ? JS_DupValue(context, body)
			     : JS_GetTypedArrayBuffer(context, body, &offset, &length, NULL);
	const uint8_t *bytes =
	    JS_IsException(buffer) ? NULL : JS_GetArrayBuffer(context, &size, buffer);

	if (!bytes)
		JS_FreeValue(context, JS_GetException(context));
	JS_FreeValue(context, buffer); /* the body holds it */
	if (!bytes || offset >= size)
		return;
	asking->body = (const char *)bytes + offset;
	asking->body_length = length < size - offset ? length : size - offset;
}

/* Takes the body: a string, or bytes. The bytes are those of the script's value, which must not
 * change meanwhile.
 */
static int take_body(struct asking *asking, JSValueConst options, JSValue *ret_body)
{
	JSContext *context = asking->run->context;
	JSValue body = JS_GetPropertyStr(context, options, "body");

	*ret_body = body;
	if (JS_IsException(body))
		return -1;
	if (JS_IsUndefined(body) || JS_IsNull(body))
		return 0;
	if (JS_IsArrayBuffer(body) || JS_GetTypedArrayType(body) >= 0) {
		take_bytes(asking, body);
		return 0;
	}
	asking->text_body = JS_ToCStringLen(context, &asking->body_length, body);
	asking->body = asking->text_body;
	return asking->body ? 0 : -1;
}

/* Writes the frame. Returns 0, or -1 with an exception. */
static int send_fetch(struct asking *asking)
{
	int status;

	if (asking->body_length > FETCH_BODY_MAX || asking->head.failed) {
		JS_ThrowTypeError(asking->run->context, "fetch: what is sent is larger than %s",
				  asking->head.failed ? "128 KiB" : "1 MiB");
		return -1;
	}
	alarm_hold();
	status = frame_send(INSIDE_LINK, (struct str){asking->head.data, asking->head.length},
			    (struct str){asking->body, asking->body_length});
	alarm_release();
	if (status < 0)
		exit(0); /* the parent is gone */
	return 0;
}

/* Sends the fetch. Returns 0, or -1 with an exception. */
static int ask(struct run *run, int64_t id, const char *url, JSValueConst options)
{
	struct asking asking = {.run = run, .head = {.most = FETCH_HEAD_MAX}};
	JSValue body = JS_UNDEFINED;
	int status;

	bytes_add_format(&asking.head, "{\"fetch\":{\"id\":%lld,\"url\":", (long long)id);
	bytes_add_json(&asking.head, url, strlen(url));
	status = add_text_member(&asking, options, "method", "GET");
	if (status == 0 && JS_IsObject(options)) {
		status = add_headers(&asking, options);
		if (status == 0)
			status = add_ttl(&asking, options);
		if (status == 0)
			status = take_body(&asking, options, &body);
	}
	bytes_add_text(&asking.head, "}}");
	if (status == 0)
		status = send_fetch(&asking);
	JS_FreeCString(run->context, asking.text_body);
	JS_FreeValue(run->context, body);
	bytes_finish(&asking.head);
	return status;
}

/* Returns why no fetch is allowed, or NULL. */
static const char *refusal(const struct run *run)
{
	if (!run->request.has_network)
		return "fetch: no network here";
	if (run->fetch_count == FETCHES_MAX)
		return "fetch: an app asks the network 20 times at most";
	return NULL;
}

/* Returns a promise that is rejected with the current exception. */
static JSValue reject_now(JSContext *context)
{
	JSValue error = JS_GetException(context), functions[2];
	JSValue promise = JS_NewPromiseCapability(context, functions);

	if (!JS_IsException(promise)) {
		JS_FreeValue(context, JS_Call(context, functions[1], JS_UNDEFINED, 1, &error));
		JS_FreeValue(context, functions[0]);
		JS_FreeValue(context, functions[1]);
	}
	JS_FreeValue(context, error);
	return promise;
}

static void close_fetch(struct run *run, struct fetch *fetch)
{
	JS_FreeValue(run->context, fetch->settle[0]);
	JS_FreeValue(run->context, fetch->settle[1]);
	JS_FreeValue(run->context, fetch->error);
	fetch->id = 0;
	run->fetches_open--;
}

/* Ends the fetch with the ID in data: nothing waits for its answer any more. */
static JSValue end_fetch(JSContext *context, JSValueConst self, int count, JSValueConst *values,
			 int unused, JSValueConst *data)
{
	struct run *run = JS_GetContextOpaque(context);
	int64_t id = request_take_int64(context, JS_DupValue(context, data[0]));

	(void)self;
	(void)count;
	(void)values;
	(void)unused;
	for (unsigned i = 0; i < run->fetch_count; i++)
		if (id > 0 && run->fetches[i].id == id)
			close_fetch(run, &run->fetches[i]);
	return JS_UNDEFINED;
}

/* Sets the member "end" of control, a function that ends the fetch. Returns 0, or -1 with an
 * exception. */
static int give_end(JSContext *context, JSValueConst control, int64_t id)
{
	JSValue number = JS_NewInt64(context, id);

	return JS_SetPropertyStr(context, control, "end",
				 JS_NewCFunctionData(context, end_fetch, 0, 0, 1, &number)) < 0
		   ? -1
		   : 0;
}

/* fetch(url, options, control). */
static JSValue fetch(JSContext *context, JSValueConst self, int count, JSValueConst *values)
{
	struct run *run = JS_GetContextOpaque(context);
	struct fetch *fetch;
	const char *refused = refusal(run), *url;
	JSValue promise;
	int64_t id;
	int status;

	(void)self;
	if (refused) {
		JS_ThrowTypeError(context, "%s", refused);
		return reject_now(context);
	}
	/* Added only now: getters of the options may call this function, too. */
	fetch = &run->fetches[run->fetch_count++];
	id = ++last_id;
	url = JS_ToCString(context, count > 0 ? values[0] : JS_UNDEFINED);
	status = url ? ask(run, id, url, count > 1 ? values[1] : JS_UNDEFINED) : -1;
	if (status == 0)
		hosts_note(run, url);
	JS_FreeCString(context, url);
	if (status < 0)
		return reject_now(context);
	run->first_fetch = run->first_fetch > 0 ? run->first_fetch : id;
	run->unanswered++;
	promise = JS_NewPromiseCapability(context, fetch->settle);
	if (JS_IsException(promise))
		return promise;
	fetch->id = id;
	fetch->error = make_error(context, "fetch");
	run->fetches_open++;
	if (count > 2 && JS_IsObject(values[2]) && give_end(context, values[2], id) < 0) {
		JS_FreeValue(context, promise);
		return JS_EXCEPTION;
	}
	return promise;
}

/* Settles the fetch with the answer. */
static void settle(struct run *run, struct fetch *fetch, JSValueConst answer, struct frame *frame)
{
	JSContext *context = run->context;
	JSValue words = JS_GetPropertyStr(context, answer, "error"), result;
	bool fails = JS_IsString(words);

	if (fails) {
		result = JS_DupValue(context, fetch->error);
		JS_DefinePropertyValueStr(context, result, "message", JS_DupValue(context, words),
					  JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
	} else {
		result = response_make(run, answer, frame->blob.data, frame->blob.length);
		fails = JS_IsException(result);
		if (fails)
			result = JS_GetException(context);
	}
	JS_FreeValue(context, JS_Call(context, fetch->settle[fails], JS_UNDEFINED, 1, &result));
	JS_FreeValue(context, result);
	JS_FreeValue(context, words);
	close_fetch(run, fetch);
}

static int64_t get_number(JSContext *context, JSValueConst object, const char *name)
{
	return JS_IsObject(object)
		   ? request_take_int64(context, JS_GetPropertyStr(context, object, name))
		   : 0;
}

/* Takes the time off for which the parent has kept the answers that follow, or the turn. */
static void forgive(struct run *run, int64_t queued_ms)
{
	int64_t most_ms = run->waited_us / 1000;

	if (queued_ms <= 0)
		return;
	queued_ms = queued_ms < most_ms ? queued_ms : most_ms;
	run->waited_us -= 1000 * queued_ms;
	run->passed_ms -= (double)queued_ms;
}

static void take_answer(struct run *run, struct frame *frame)
{
	JSContext *context = run->context;
	JSValue head = JS_ParseJSON(context, frame->head.data, frame->head.length, "answer");
	JSValue answer =
	    JS_IsObject(head) ? JS_GetPropertyStr(context, head, "fetch") : JS_UNDEFINED;
	int64_t number = get_number(context, answer, "id");

	if (number == 0) {
		forgive(run, get_number(context, answer, "queued_ms"));
		run->turn = get_number(context, answer, "turn");
	} else {
		run->has_told_waiting = false;
		run->unanswered -= number >= run->first_fetch && run->unanswered > 0;
	}
	for (unsigned i = 0; i < run->fetch_count && number > 0; i++)
		if (run->fetches[i].id == number) {
			settle(run, &run->fetches[i], answer, frame);
			break;
		}
	JS_FreeValue(context, answer);
	JS_FreeValue(context, head);
}

static void tell(const char *head, int length)
{
	alarm_hold();
	if (frame_send(INSIDE_LINK, (struct str){head, (size_t)length}, (struct str){0}) < 0)
		exit(0); /* the parent is gone */
	alarm_release();
}

/* Tells the parent that the process computes nothing until the next answer, or until it has asked
 * for its turn: it may let others compute meanwhile. */
static void tell_waiting(struct run *run, double most_ms)
{
	enum { SHORT_MS = 20, TELLINGS_MAX = 30 };
	char head[32];

	if (!run->request.reports_waits || run->has_told_waiting || most_ms < SHORT_MS ||
	    run->tellings == TELLINGS_MAX)
		return;
	run->has_told_waiting = true;
	run->tellings++;
	tell(head, snprintf(head, sizeof(head), "{\"waits\":%u}", run->unanswered));
}

/* Receives a frame as frame_receive() does, or -EINTR after most_ms. The waiting time is not
 * counted as the script's. */
static int wait_for_answer(struct run *run, double most_ms, struct frame *frame)
{
	int64_t began_us = clock_monotonic_us(), now_us;
	int64_t left_ms = run->request.network_ms - run->waited_us / 1000;
	int status;

	alarm_wait(most_ms < (double)left_ms ? (int64_t)ceil(most_ms) : left_ms);
	status = frame_receive(INSIDE_LINK, frame);
	now_us = clock_monotonic_us();
	run->waited_us += now_us - began_us;
	run->passed_ms += (double)(now_us - began_us) / 1000;
	run->deadline_us += now_us - began_us;
	alarm_go_on((run->deadline_us - now_us) / 1000);
	return status;
}

/* Receives an answer; returns as fetch_wait() does. */
static bool receive(struct run *run, double most_ms)
{
	struct frame frame;
	int status = wait_for_answer(run, most_ms, &frame);

	if (status == -EINTR) {
		if (run->waited_us / 1000 < run->request.network_ms)
			return true;
		fault_set(run, FAULT_SCRIPT, "the network takes too long");
		return false;
	}
	if (status <= 0)
		exit(0); /* the parent is gone */
	take_answer(run, &frame);
	frame_finish(&frame);
	return true;
}

bool fetch_wait(struct run *run, double most_ms)
{
	tell_waiting(run, most_ms);
	return receive(run, most_ms);
}

bool fetch_take_turn(struct run *run)
{
	static int64_t last_turn;
	char head[64];

	if (!run->has_told_waiting)
		return true;
	tell(head,
	     snprintf(head, sizeof(head), "{\"waits\":0,\"turn\":%lld}", (long long)++last_turn));
	while (run->turn != last_turn)
		if (!receive(run, INFINITY))
			return false;
	run->has_told_waiting = false;
	return true;
}

bool fetch_is_answer(const struct frame *frame)
{
	return str_starts_with(frame->head, STR("{\"fetch\""));
}

int fetch_define(struct run *run)
{
	JSContext *context = run->context;
	JSValue global = JS_GetGlobalObject(context);
	int status = JS_SetPropertyStr(context, global, "fetch",
				       JS_NewCFunction(context, fetch, "fetch", 2));

	JS_FreeValue(context, global);
	return status < 0 ? -1 : 0;
}

void fetch_finish(struct run *run)
{
	for (unsigned i = 0; i < run->fetch_count; i++)
		if (run->fetches[i].id > 0)
			close_fetch(run, &run->fetches[i]);
	hosts_forget(run);
}
