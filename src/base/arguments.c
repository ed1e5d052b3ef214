#include "base/arguments.h"
#include "base/memory.h"

#include <string.h>

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

/* postgresql://user:password@host/... */
static void hide_in_authority(char *argument)
{
	char *start = strstr(argument, "://");
	char *end, *colon;

	if (!start)
		return;
	start += strlen("://");
	end = start + strcspn(start, "@/?");
	colon = memchr(start, ':', (size_t)(end - start));
	if (*end == '@' && colon)
		memset(colon + 1, '*', (size_t)(end - colon) - 1);
}

/* Where the value ends that starts at text: at its quote, or at what separates parameters. */
static char *value_end(char *text)
{
	if (*text != '\'')
		return text + strcspn(text, "& \t\n");
	for (text++; *text && *text != '\''; text++) {
		if (*text == '\\' && text[1])
			text++;
	}
	return text;
}

/* password=..., also as a part of the URL's query, and sslpassword=... */
static void hide_parameters(char *argument)
{
	static const char word[] = "password";

	while ((argument = strstr(argument, word))) {
		char *value = argument + strlen(word);
		char *end;

		argument = value;
		value += strspn(value, " \t\n");
		if (*value != '=')
			continue;
		value += 1 + strspn(value + 1, " \t\n");
		end = value_end(value);
		memset(value, '*', (size_t)(end - value));
		argument = end;
	}
}

char **arguments_hide_passwords(int argc, char **argv)
{
	char **copy = copy_arguments(argc, argv);

	for (int i = 1; i < argc; i++) {
		hide_in_authority(argv[i]);
		hide_parameters(argv[i]);
	}
	return copy;
}
