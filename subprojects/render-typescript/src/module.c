/* What scripts import: other scripts of their app, JSON, and bytes of any other file. */
#include "run.h"

#include <string.h>

static int export_value(JSContext *context, JSModuleDef *module)
{
	return JS_SetModuleExport(context, module, "default",
				  JS_GetModulePrivateValue(context, module));
}

/* A module whose default export is the value, which is taken. */
static JSModuleDef *make_module(JSContext *context, const char *name, JSValue value)
{
	JSModuleDef *module;

	if (JS_IsException(value))
		return NULL;
	module = JS_NewCModule(context, name, export_value);
	if (!module) {
		JS_FreeValue(context, value);
		return NULL;
	}
	if (JS_AddModuleExport(context, module, "default") < 0 ||
	    JS_SetModulePrivateValue(context, module, value) < 0)
		return NULL;
	return module;
}

JSModuleDef *module_load(JSContext *context, const char *name, void *opaque)
{
	struct run *run = JS_GetContextOpaque(context);
	const struct file *file = files_find(&run->files, name);
	JSValue code;

	(void)opaque;
	if (!file && run->files.count > 1) {
		JS_ThrowReferenceError(context, "there is no file \"%s\"", name);
		return NULL;
	}
	if (!file) {
		JS_ThrowReferenceError(
		    context, "there is no module \"%s\": apps import from \"panel\" only", name);
		return NULL;
	}
	if (file_has_ending(file, ".json"))
		return make_module(context, name,
				   JS_ParseJSON(context, file->data, file->length, file->name));
	if (!file_has_ending(file, ".ts"))
		return make_module(
		    context, name,
		    JS_NewUint8ArrayCopy(context, (const uint8_t *)file->data, file->length));
	code = JS_Eval(context, file->data, file->length, file->name,
		       JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
	if (JS_IsException(code))
		return NULL;
	/* The context keeps the module. */
	JS_FreeValue(context, code);
	return JS_VALUE_GET_PTR(code);
}
