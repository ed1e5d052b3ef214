/* Names what a script has called that is no function: the words of its source, or else the value.
 * The engine calls it (packagefiles/quickjs/mend.py). */
#include "run.h"

#include "source_map.h"

#include <stdio.h>
#include <string.h>

enum { CALLED_MAX = 120, VALUE_MAX = 40 };

bool render_name_called(JSContext *context, const char *name, int line, int column, char *to);
void render_name_value(JSContext *context, JSValueConst value, char *to);

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '#' || (unsigned char)c >= 0x80;
}

/* Goes back from a member's name to the begin of what has the member, as far as it is names with
 * dots. *ret_is_whole: it is; otherwise there is a call or the like before the dot. */
static const char *go_back(const char *first, const char *at, bool *ret_is_whole)
{
	*ret_is_whole = true;
	while (at > first && at[-1] == '.') {
		const char *end = at - 1;

		if (end > first && end[-1] == '?')
			end--;
		if (end == first || !is_name(end[-1])) {
			*ret_is_whole = false;
			return end;
		}
		at = end;
		while (at > first && is_name(at[-1]))
			at--;
	}
	return at;
}

/* Goes from a bracket behind the one that closes it; NULL if there is none on the line. */
static const char *skip_element(const char *at, const char *end)
{
	char quote = 0;

	for (at++; at < end && *at != '\n'; at++) {
		if (quote && *at == '\\')
			at++;
		else if (quote)
			quote = *at == quote ? 0 : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == ']')
			return at + 1;
		else if (strchr("[(`", *at))
			return NULL;
	}
	return NULL;
}

/* Goes behind names, members and elements to the bracket of the call; NULL if that is not what is
 * there. */
static const char *go_on(const char *at, const char *end)
{
	const char *begin = at;

	while (at && at < end) {
		if (is_name(*at) || (*at == '.' && at > begin))
			at++;
		else if (*at == '[' && at > begin)
			at = skip_element(at, end);
		else
			break;
	}
	if (!at || at == end || at == begin || (*at != '(' && *at != '`' && *at != '?'))
		return NULL;
	return at;
}

bool render_name_called(JSContext *context, const char *name, int line, int column, char *to)
{
	static const char unnamed[] = "(intermediate value)", made[] = "new ";
	const struct run *run = JS_GetContextOpaque(context);
	const struct file *file =
	    run && line > 0 && column > 0 ? files_find(&run->files, name) : NULL;
	const char *at, *begin, *end;
	bool is_whole;

	if (!file)
		return false;
	at = source_map_seek(file->data, file->length, (unsigned)line, (unsigned)column);
	end = file->data + file->length;
	if (end - at > 4 && memcmp(at, made, 4) == 0)
		at += 4;
	begin = go_back(file->data, at, &is_whole);
	end = go_on(at, end);
	if (!end || end - begin > CALLED_MAX - (int)sizeof(unnamed))
		return false;
	snprintf(to, CALLED_MAX, "%s%.*s", is_whole ? "" : unnamed, (int)(end - begin), begin);
	return true;
}

void render_name_value(JSContext *context, JSValueConst value, char *to)
{
	const char *text;

	if (JS_IsObject(value) || JS_IsSymbol(value)) {
		snprintf(to, CALLED_MAX, "%s",
			 JS_IsSymbol(value)  ? "a symbol"
			 : JS_IsArray(value) ? "an array"
					     : "an object");
		return;
	}
	text = JS_ToCString(context, value);
	if (!text)
		JS_FreeValue(context, JS_GetException(context));
	if (!text)
		snprintf(to, CALLED_MAX, "the value");
	else if (JS_IsString(value))
		snprintf(to, CALLED_MAX, "the text of %zu characters", strlen(text));
	else
		snprintf(to, CALLED_MAX, "%.*s", VALUE_MAX, text);
	JS_FreeCString(context, text);
}
