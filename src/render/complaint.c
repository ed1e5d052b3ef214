#include "render/complaint.h"

#include <limits.h>

/* Returns the text after the first occurrence of wanted, or an empty one. */
static struct str behind(struct str text, struct str wanted)
{
	const char *found = NULL;

	if (text.data) /* memmem() takes no NULL, even with a length of 0 */
		found = memmem(text.data, text.length, wanted.data, wanted.length);
	if (!found)
		return (struct str){0};
	return str_from_offset(text, (size_t)(found - text.data) + wanted.length);
}

/* Takes a number from the front of the text. */
static int read_number(struct str *text)
{
	int number = 0;

	while (text->length > 0 && text->data[0] >= '0' && text->data[0] <= '9') {
		if (number < INT_MAX / 10 - 1)
			number = number * 10 + (text->data[0] - '0');
		*text = str_from_offset(*text, 1);
	}
	return number;
}

bool complaint_read(struct str text, struct complaint *ret_complaint)
{
	struct str message = behind(text, STR("[ERROR] "));
	struct str location = behind(message, STR("\n    " COMPLAINT_SOLE_FILE ":"));
	const char *end;

	if (!message.data)
		return false;
	end = memchr(message.data, '\n', message.length);
	if (end)
		message.length = (size_t)(end - message.data);
	/* A panic names internals of esbuild, and no source location. */
	if (str_starts_with(message, STR("panic: ")))
		message = STR("esbuild crashed on this script; that of Debian 12 crashes on a "
			      "decorator that is a function expression");
	*ret_complaint = (struct complaint){.message = message};
	ret_complaint->line = read_number(&location);
	if (ret_complaint->line > 0 && location.length > 0 && location.data[0] == ':') {
		location = str_from_offset(location, 1);
		ret_complaint->column = read_number(&location) + 1;
	}
	return true;
}
