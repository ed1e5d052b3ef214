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

/* Returns the stack of the script, to be freed with JS_FreeCString(); NULL: it is not known,
 * perhaps with an exception, and *ret_status is -1 then. */
static const char *get_stack(JSContext *context, int *ret_status)
{
	JSValue error = JS_NewError(context), stack;
	const char *text = NULL;

	*ret_status = -1;
	if (JS_IsException(error))
		return NULL;
	stack = JS_GetPropertyStr(context, error, "stack");
	if (!JS_IsException(stack))
		*ret_status = 0;
	if (JS_IsString(stack))
		text = JS_ToCString(context, stack);
	JS_FreeValue(context, stack);
	JS_FreeValue(context, error);
	return text;
}

int location_of_call(struct run *run, struct source_location *ret_location)
{
	int status;
	const char *text = get_stack(run->context, &status);

	*ret_location = (struct source_location){0};
	if (text)
		read_stack(run, text, ret_location);
	JS_FreeCString(run->context, text);
	return status;
}

char *location_stack(struct run *run)
{
	struct source_location location = {0};
	int status;
	const char *text = get_stack(run->context, &status);
	char *copy = NULL;

	if (text)
		read_stack(run, text, &location);
	if (location.file)
		copy = strdup(text);
	JS_FreeCString(run->context, text);
	if (status < 0)
		JS_FreeValue(run->context, JS_GetException(run->context));
	return copy;
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
