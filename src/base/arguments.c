#include "base/arguments.h"
#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

static const char white_space[] = " \t\n\v\f\r"; /* isspace(3) */

static char **copy_arguments(int argc, char **argv)
{
	size_t size = ((size_t)argc + 1) * sizeof(char *);
	char **copy;
	char *text;

	for (int i = 0; i < argc; i++)
		size += strlen(argv[i]) + 1;
	copy = memory_alloc(size);
	text = (char *)(copy + argc + 1);
	for (int i = 0; i < argc; i++) {
		size_t bytes = strlen(argv[i]) + 1;

		memcpy(text, argv[i], bytes);
		copy[i] = text;
		text += bytes;
	}
	copy[argc] = NULL;
	return copy;
}

/* postgresql://user:password@host/... libpq takes everything up to the first "@" before a slash as
 * these two, even a question mark. If an "@" in a password is not encoded, libpq fails, but the
 * rest is secret, too: hides everything up to the last "@". */
static void hide_in_authority(char *argument)
{
	char *start = strstr(argument, "://");
	char *at, *colon;

	if (!start)
		return;
	start += strlen("://");
	at = memrchr(start, '@', strcspn(start, "/"));
	colon = at ? memchr(start, ':', (size_t)(at - start)) : NULL;
	if (colon)
		memset(colon + 1, '*', (size_t)(at - colon) - 1);
}

/* Returns the end of the value that starts at text. In a URL the value ends at a separator of
 * parameters, else at its quote or at white space. A backslash takes the next character into the
 * value. */
static char *value_end(char *text, bool is_url)
{
	bool is_quoted = *text == '\'';
	const char *ends = is_url ? "&" : is_quoted ? "'" : white_space;

	if (is_quoted)
		text++;
	for (; *text && !strchr(ends, *text); text++) {
		if (!is_url && *text == '\\' && text[1])
			text++;
	}
	return text;
}

/* password=..., also as a part of the URL's query, and sslpassword=... */
static void hide_parameters(char *argument, const char *word)
{
	bool is_url = strstr(argument, "://");

	while ((argument = strstr(argument, word))) {
		char *value = argument + strlen(word);
		char *end;

		argument = value;
		value += strspn(value, white_space);
		if (*value != '=')
			continue;
		value += 1 + strspn(value + 1, white_space);
		end = value_end(value, is_url);
		memset(value, '*', (size_t)(end - value));
		argument = end;
	}
}

/* libpq decodes the names of a URL's parameters, so a name with a "%" may be any of them. */
static void hide_encoded_parameters(char *argument)
{
	char *query = strstr(argument, "://");

	while (query && (query = strpbrk(query, "?&"))) {
		size_t name = strcspn(++query, "=&");
		bool is_encoded = memchr(query, '%', name);
		char *value = query + name;

		if (*value == '=' && is_encoded) {
			value++;
			memset(value, '*', strcspn(value, "&"));
		}
		query = value;
	}
}

/* https://host/link#TOKEN, of displayctl sign-in */
static void hide_link_token(char *argument)
{
	static const char before[] = "/link#";

	while ((argument = strstr(argument, before))) {
		size_t token = strcspn(argument += strlen(before), white_space);

		memset(argument, '*', token);
		argument += token;
	}
}

void argument_hide_passwords(char *argument)
{
	hide_in_authority(argument);
	hide_parameters(argument, "password");
	hide_encoded_parameters(argument);
	hide_link_token(argument);
	if (strstr(argument, "://")) { /* URL of a panel */
		hide_parameters(argument, "?key");
		hide_parameters(argument, "&key");
	}
}

char **arguments_hide_passwords(int argc, char **argv)
{
	char **copy = copy_arguments(argc, argv);

	for (int i = 1; i < argc; i++)
		argument_hide_passwords(argv[i]);
	return copy;
}
