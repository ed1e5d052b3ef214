/* The result of fetch(): an object with those members of the web's Response that apps need. */
#include "run.h"

#include <string.h>

enum body_kind { BODY_TEXT, BODY_JSON, BODY_BYTES, BODY_BUFFER };

/* Returns the body in the form of its kind. */
static JSValue read_body(JSContext *context, const char *data, size_t length, int kind)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (kind == BODY_BYTES)
		return JS_NewUint8ArrayCopy(context, (const uint8_t *)data, length);
	if (kind == BODY_BUFFER)
		return JS_NewArrayBufferCopy(context, (const uint8_t *)data, length);
	if (length >= 3 && memcmp(data, mark, 3) == 0) {
		data += 3;
		length -= 3;
	}
	if (kind == BODY_TEXT)
		return JS_NewStringLen(context, data, length);
	return JS_ParseJSON(context, data, length, "response");
}

/* text(), json(), bytes() and arrayBuffer() return a promise, as on the web. The body is
 * NUL-terminated. */
static JSValue get_body(JSContext *context, JSValueConst self, int count, JSValueConst *values,
			int kind, JSValueConst *data)
{
	size_t length;
	const uint8_t *body = JS_GetArrayBuffer(context, &length, data[0]);
	JSValue functions[2], value, promise;
	bool fails;

	(void)self;
	(void)count;
	(void)values;
	if (!body)
		return JS_EXCEPTION;
	promise = JS_NewPromiseCapability(context, functions);
	if (JS_IsException(promise))
		return promise;
	value = read_body(context, (const char *)body, length - 1, kind);
	fails = JS_IsException(value);
	if (fails)
		value = JS_GetException(context);
	JS_FreeValue(context, JS_Call(context, functions[fails], JS_UNDEFINED, 1, &value));
	JS_FreeValue(context, value);
	JS_FreeValue(context, functions[0]);
	JS_FreeValue(context, functions[1]);
	return promise;
}

/* Members of the web that are refused, each with what to use instead. */
static const char *const refused[][2] = {
    {"blob", "use bytes() or arrayBuffer()"},
    {"formData", "use text()"},
    {"clone", "an answer can be read several times"},
    {"body", "there are no streams: use bytes()"},
};

static JSValue refuse_member(JSContext *context, JSValueConst self, int count, JSValueConst *values,
			     int which)
{
	(void)self;
	(void)count;
	(void)values;
	return JS_ThrowTypeError(context, "%s of an answer: %s", refused[which][0],
				 refused[which][1]);
}

/* Defines a getter for each of the refused members, which throws. Returns 0, or -1 with an
 * exception. */
static int refuse_members(JSContext *context, JSValueConst response)
{
	int status = 0;

	for (int i = 0; i < (int)(sizeof(refused) / sizeof(*refused)) && status >= 0; i++) {
		JSAtom name = JS_NewAtom(context, refused[i][0]);
		JSValue getter = JS_NewCFunctionMagic(context, refuse_member, refused[i][0], 0,
						      JS_CFUNC_generic_magic, i);

		status = name == JS_ATOM_NULL
			     ? -1
			     : JS_DefinePropertyGetSet(context, response, name, getter,
						       JS_UNDEFINED, JS_PROP_CONFIGURABLE);
		JS_FreeAtom(context, name);
	}
	return status < 0 ? -1 : 0;
}

/* headers.get(name) and headers.has(name), whatever the name's case. */
static JSValue get_header(JSContext *context, JSValueConst self, int count, JSValueConst *values,
			  int only_asks, JSValueConst *data)
{
	char name[128];
	const char *text = count > 0 ? JS_ToCString(context, values[0]) : NULL;
	size_t length = text ? strlen(text) : 0;
	JSValue value;

	(void)self;
	if (count > 0 && !text)
		return JS_EXCEPTION;
	if (length >= sizeof(name))
		length = 0; /* no header's name is that long */
	for (size_t i = 0; i < length; i++)
		name[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
	name[length] = '\0';
	JS_FreeCString(context, text);
	value = length ? JS_GetPropertyStr(context, data[0], name) : JS_UNDEFINED;
	if (!JS_IsString(value)) {
		JS_FreeValue(context, value);
		value = JS_NULL;
	}
	if (only_asks) {
		bool has = JS_IsString(value);

		JS_FreeValue(context, value);
		return JS_NewBool(context, has);
	}
	return value;
}

static bool set(JSContext *context, JSValueConst object, const char *name, JSValue value)
{
	return !JS_IsException(value) && JS_SetPropertyStr(context, object, name, value) >= 0;
}

/* Makes Headers, if the script has them, or else their plain form. */
static JSValue make_headers(struct run *run, JSValueConst answer)
{
	JSContext *context = run->context;
	JSValue values = JS_GetPropertyStr(context, answer, "headers");
	JSValue headers;

	if (JS_IsObject(run->surroundings) && JS_IsObject(values)) {
		JSValue make = JS_GetPropertyStr(context, run->surroundings, "answerHeaders");

		headers = JS_Call(context, make, JS_UNDEFINED, 1, &values);
		JS_FreeValue(context, make);
		JS_FreeValue(context, values);
		return headers;
	}
	headers = JS_NewObject(context);
	if (!set(context, headers, "get",
		 JS_NewCFunctionData(context, get_header, 1, false, 1, &values)) ||
	    !set(context, headers, "has",
		 JS_NewCFunctionData(context, get_header, 1, true, 1, &values))) {
		JS_FreeValue(context, headers);
		headers = JS_EXCEPTION;
	}
	JS_FreeValue(context, values);
	return headers;
}

JSValue response_make(struct run *run, JSValueConst answer, const char *body, size_t length)
{
	static const char *const readers[] = {
	    [BODY_TEXT] = "text",
	    [BODY_JSON] = "json",
	    [BODY_BYTES] = "bytes",
	    [BODY_BUFFER] = "arrayBuffer",
	};
	JSContext *context = run->context;
	JSValue status = JS_GetPropertyStr(context, answer, "status");
	JSValue kept = JS_NewArrayBufferCopy(context, (const uint8_t *)body, length + 1);
	JSValue response = JS_NewObject(context);
	int32_t number = 0;
	bool done =
	    !JS_IsException(kept) && JS_ToInt32(context, &number, status) == 0 &&
	    set(context, response, "status", JS_NewInt32(context, number)) &&
	    set(context, response, "ok", JS_NewBool(context, number >= 200 && number < 300)) &&
	    set(context, response, "url", JS_GetPropertyStr(context, answer, "url")) &&
	    set(context, response, "headers", make_headers(run, answer));

	done = done && refuse_members(context, response) == 0;
	for (int kind = BODY_TEXT; kind <= BODY_BUFFER && done; kind++)
		done = set(context, response, readers[kind],
			   JS_NewCFunctionData(context, get_body, 0, kind, 1, &kept));
	JS_FreeValue(context, kept);
	JS_FreeValue(context, status);
	if (done)
		return response;
	JS_FreeValue(context, response);
	return JS_EXCEPTION;
}
