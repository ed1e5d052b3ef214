#include "app_import_steps.h"

#include "base/memory.h"

#include <stdarg.h>

const char *import_name(const struct import_app *app)
{
	return app->manifest.name ? app->manifest.name : app->slug;
}

struct str import_language(const struct import_app *app)
{
	return app->is_typescript ? STR("TYPESCRIPT") : STR("STARLARK");
}

void import_remark(struct import_app *app, const char *text)
{
	free(app->remark);
	app->remark = memory_strdup(text);
}

void import_fail(struct import_app *app, const char *format, ...)
{
	va_list args;

	app->outcome = IMPORT_FAILED;
	free(app->remark);
	va_start(args, format);
	if (vasprintf(&app->remark, format, args) < 0)
		abort();
	va_end(args);
}
