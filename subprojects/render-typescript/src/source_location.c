/* Source locations in scripts, as the engine reports them: in the lines of a stack, and of
 * functions. */
#include "run.h"
#include "source_map.h"

#include <stdlib.h>
#include <string.h>

/* Finds "FILE:" of one of the app's files in the line. Returns the text behind it, or NULL. */
static const char *find_file(const struct run *run, const char *line, const struct file **ret_file)
{
	for (unsigned i = 0; i < run->files.count; i++) {
		const char *name = run->files.list[i].name;
		size_t length = strlen(name);

		for (const char *at = line; (at = strstr(at, name)); at++)
			if (at > line && (at[-1] == '(' || at[-1] == ' ') && at[length] == ':') {
				*ret_file = &run->files.list[i];
				return at + length + 1;
			}
	}
	return NULL;
}

bool location_read(const struct run *run, const char *line, struct source_location *ret_location)
{
	const char *numbers = find_file(run, line, &ret_location->file);
	char *end;

	if (!numbers)
		return false;
	ret_location->line = (unsigned)strtoul(numbers, &end, 10);
	ret_location->column = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
	return ret_location->line > 0 && ret_location->column > 0;
}

void location_map(struct source_location *location)
{
	source_map_find(location->file->data, location->file->length, location->line,
			location->column, &location->line, &location->column);
}

/* Reads the innermost source location of the stack that is in the app. */
static void read_stack(const struct run *run, const char *stack,
		       struct source_location *ret_location)
{
	char line[400];

	while (*stack) {
		size_t length = strcspn(stack, "\n");

		if (length < sizeof(line)) {
			memcpy(line, stack, length);
			line[length] = '\0';
			if (location_read(run, line, ret_location))
				return;
		}
		stack += length + (stack[length] != '\0');
	}
	*ret_location = (struct source_location){0};
}

int location_of_call(struct run *run, struct source_location *ret_location)
{
	JSValue error = JS_NewError(run->context), stack;
	const char *text = NULL;

	*ret_location = (struct source_location){0};
	if (JS_IsException(error))
		return -1;
	stack = JS_GetPropertyStr(run->context, error, "stack");
	if (JS_IsString(stack))
		text = JS_ToCString(run->context, stack);
	if (text)
		read_stack(run, text, ret_location);
	JS_FreeCString(run->context, text);
	JS_FreeValue(run->context, stack);
	JS_FreeValue(run->context, error);
	return JS_IsException(stack) ? -1 : 0;
}

static unsigned get_number(JSContext *context, JSValueConst object, const char *name)
{
	JSValue value = JS_GetPropertyStr(context, object, name);
	int32_t number = 0;

	if (JS_IsException(value) || (JS_IsNumber(value) && JS_ToInt32(context, &number, value)))
		JS_FreeValue(context, JS_GetException(context));
	JS_FreeValue(context, value);
	return number > 0 ? (unsigned)number : 0;
}

bool location_of_function(struct run *run, JSValueConst function,
			  struct source_location *ret_location)
{
	JSContext *context = run->context;
	JSValue name = JS_GetPropertyStr(context, function, "fileName");
	const char *text = JS_IsString(name) ? JS_ToCString(context, name) : NULL;
	struct source_location location = {.line = get_number(context, function, "lineNumber"),
					   .column = get_number(context, function, "columnNumber")};

	for (unsigned i = 0; text && i < run->files.count; i++)
		if (strcmp(run->files.list[i].name, text) == 0)
			location.file = &run->files.list[i];
	if (!text)
		JS_FreeValue(context, JS_GetException(context));
	JS_FreeCString(context, text);
	JS_FreeValue(context, name);
	if (!location.file || location.line == 0 || location.column == 0)
		return false;
	location_map(&location);
	*ret_location = location;
	return true;
}

struct source_location location_of_export(const struct run *run, const char *declaration)
{
	const struct file *file = run->files.list;
	const char *at = file->data;
	struct source_location location = {file, 1, 1};

	/* The compiler keeps declarations at the beginnings of lines. */
	while ((at = strstr(at, declaration)) && at > file->data && at[-1] != '\n')
		at++;
	if (!at)
		return location;
	for (const char *c = file->data; c < at; c++)
		location.line += *c == '\n';
	location_map(&location);
	return location;
}
