/* Calls the handlers in a schema, which a form needs while it is filled in. */
#include "run.h"

#include <string.h>

enum { FIELDS_MAX = 1000 };

/* Returns the list of fields: that of a Schema, or the schema itself. */
static JSValue find_fields(struct run *run, JSValueConst schema)
{
	const char *name = panel_widget_name(run, schema);
	JSValue members, fields;

	if (!name)
		return JS_DupValue(run->context, schema);
	members = JS_GetPropertyStr(run->context, schema, "fields");
	fields = JS_GetPropertyStr(run->context, members, "fields");
	JS_FreeValue(run->context, members);
	return fields;
}

/* Returns the field's handler if the field has the wanted ID; else undefined. */
static JSValue match(struct run *run, JSValueConst field, const char *wanted, size_t length)
{
	JSContext *context = run->context;
	JSValue members, id, handler = JS_UNDEFINED;
	const char *text;

	if (!panel_widget_name(run, field))
		return JS_UNDEFINED;
	members = JS_GetPropertyStr(context, field, "fields");
	id = JS_GetPropertyStr(context, members, "id");
	text = JS_IsString(id) ? JS_ToCString(context, id) : NULL;
	if (text && strlen(text) == length && memcmp(text, wanted, length) == 0)
		handler = JS_GetPropertyStr(context, members, "handler");
	JS_FreeCString(context, text);
	JS_FreeValue(context, id);
	JS_FreeValue(context, members);
	return handler;
}

static JSValue find_handler(struct run *run, JSValueConst fields, const char *wanted,
			    const char **ret_field)
{
	JSContext *context = run->context;
	size_t length = strcspn(wanted, "$"); /* the function's name follows */
	int64_t count = 0;

	if (!JS_IsArray(fields) || JS_GetLength(context, fields, &count) < 0 || count > FIELDS_MAX)
		return JS_UNDEFINED;
	for (uint32_t i = 0; i < count; i++) {
		JSValue field = JS_GetPropertyUint32(context, fields, i);
		JSValue handler = match(run, field, wanted, length);

		*ret_field = panel_widget_name(run, field);
		JS_FreeValue(context, field);
		if (JS_IsException(handler) || JS_IsFunction(context, handler))
			return handler;
		JS_FreeValue(context, handler);
	}
	return JS_UNDEFINED;
}

JSValue handler_call(struct run *run, JSValueConst schema, const char **ret_field)
{
	JSContext *context = run->context;
	JSValueConst arguments[] = {run->request.parameter, run->request.config};
	const char *wanted = JS_ToCString(context, run->request.handler);
	JSValue fields = find_fields(run, schema), handler, result = JS_EXCEPTION;

	handler = wanted ? find_handler(run, fields, wanted, ret_field) : JS_EXCEPTION;
	if (JS_IsFunction(context, handler))
		location_of_function(run, handler, &run->where);
	if (JS_IsFunction(context, handler))
		result = JS_Call(context, handler, JS_UNDEFINED, 2, arguments);
	else if (!JS_IsException(handler))
		fault_set(run, FAULT_APP, "the schema has no handler %s", wanted);
	JS_FreeCString(context, wanted);
	JS_FreeValue(context, handler);
	JS_FreeValue(context, fields);
	return result;
}
