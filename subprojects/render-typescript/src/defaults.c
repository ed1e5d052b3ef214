/* Adds the settings that are not set: the defaults of the schema's fields, as texts, as for scripts
 * in Starlark. */
#include "run.h"

enum { FIELDS_MAX = 1000 };

/* Returns the list of fields: that of a Schema, or the schema itself. */
static JSValue find_list(struct run *run, JSValueConst schema)
{
	JSValue members, list;

	if (!panel_widget_name(run, schema))
		return JS_DupValue(run->context, schema);
	members = JS_GetPropertyStr(run->context, schema, "fields");
	list = JS_GetPropertyStr(run->context, members, "fields");
	JS_FreeValue(run->context, members);
	return list;
}

/* Sets a missing setting. Returns 0, or -1 with an exception. */
static int set_missing(JSContext *context, JSValueConst config, JSValueConst id, JSValueConst value)
{
	JSAtom name = JS_ValueToAtom(context, id);
	int status = -1;

	if (name != JS_ATOM_NULL)
		status = JS_GetOwnProperty(context, NULL, config, name);
	if (status == 0) {
		JSValue text = JS_ToString(context, value);

		status = JS_IsException(text)
			     ? -1
			     : JS_DefinePropertyValue(context, config, name, text, JS_PROP_C_W_E);
	}
	JS_FreeAtom(context, name);
	return status < 0 ? -1 : 0;
}

static int set_default(struct run *run, JSValueConst field)
{
	JSContext *context = run->context;
	JSValue members, id, value;
	int status = 0;

	if (!panel_widget_name(run, field))
		return 0;
	members = JS_GetPropertyStr(context, field, "fields");
	id = JS_GetPropertyStr(context, members, "id");
	value = JS_GetPropertyStr(context, members, "default");
	if (JS_IsException(id) || JS_IsException(value))
		status = -1;
	else if (JS_IsString(id) && (JS_IsString(value) || JS_IsBool(value)))
		status = set_missing(context, run->request.config, id, value);
	JS_FreeValue(context, value);
	JS_FreeValue(context, id);
	JS_FreeValue(context, members);
	return status;
}

int defaults_set(struct run *run, JSValueConst module)
{
	JSContext *context = run->context;
	JSValue schema = JS_GetPropertyStr(context, module, "schema");
	JSValue list = find_list(run, schema);
	int64_t count = 0;
	int status = JS_IsException(schema) || JS_IsException(list) ? -1 : 0;

	if (status == 0 && JS_IsArray(list))
		status = JS_GetLength(context, list, &count) < 0 ? -1 : 0;
	for (uint32_t i = 0; status == 0 && i < count && i < FIELDS_MAX; i++) {
		JSValue field = JS_GetPropertyUint32(context, list, i);

		status = JS_IsException(field) ? -1 : set_default(run, field);
		JS_FreeValue(context, field);
	}
	JS_FreeValue(context, list);
	JS_FreeValue(context, schema);
	return status;
}
