/* Modules that scripts import: other scripts of their app, JSON, and bytes of any other file. */
#include "run.h"

#include <stdio.h>
#include <string.h>

static int export_value(JSContext *context, JSModuleDef *module)
{
	return JS_SetModuleExport(context, module, "default",
				  JS_GetModulePrivateValue(context, module));
}

/* Makes a module whose default export is the value; takes the value. */
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

/* Throws the error that the module is missing, with the source location of the import as its stack.
 */
static void throw_missing(struct run *run, const char *name)
{
	JSContext *context = run->context;
	const struct file *from = run->importer;
	char stack[IMPORT_PATH_MAX + 64];
	struct source_location location;
	JSValue error;

	if (run->files.count > 1)
		JS_ThrowReferenceError(context, "there is no file \"%s\"", name);
	else
		JS_ThrowReferenceError(
		    context, "there is no module \"%s\": apps import from \"panel\" only", name);
	if (!from || !imports_find(from, run->specifier, &location))
		return;
	error = JS_GetException(context);
	snprintf(stack, sizeof(stack), "    at (%s:%u:%u)\n", from->name, location.line,
		 location.column);
	JS_DefinePropertyValueStr(context, error, "stack", JS_NewString(context, stack),
				  JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
	JS_Throw(context, error);
}

char *module_normalize(JSContext *context, const char *base, const char *name, void *opaque)
{
	struct run *run = JS_GetContextOpaque(context);
	char path[IMPORT_PATH_MAX];

	(void)opaque;
	run->importer = files_find(&run->files, base);
	snprintf(run->specifier, sizeof(run->specifier), "%s", name);
	imports_resolve(run, base, name, path);
	return js_strdup(context, path);
}

JSModuleDef *module_load(JSContext *context, const char *name, void *opaque)
{
	struct run *run = JS_GetContextOpaque(context);
	const struct file *file = files_find(&run->files, name);
	JSValue code;

	(void)opaque;
	if (!file) {
		throw_missing(run, name);
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
