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

struct str import_tags(const struct import_app *app)
{
	return app->manifest.tags ? str_from(app->manifest.tags) : STR("[]");
}

struct str import_broken_reason(const struct import_app *app)
{
	if (!app->manifest.is_broken)
		return (struct str){0};
	return app->manifest.broken_reason ? str_from(app->manifest.broken_reason)
					   : STR("Its collection gives no reason.");
}

static void remark(struct import_app *app, const char *format, va_list args)
{
	free(app->remark);
	if (vasprintf(&app->remark, format, args) < 0)
		abort();
}

void import_remark(struct import_app *app, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	remark(app, format, args);
	va_end(args);
}

void import_fail(struct import_app *app, const char *format, ...)
{
	va_list args;

	app->outcome = IMPORT_FAILED;
	va_start(args, format);
	remark(app, format, args);
	va_end(args);
}
