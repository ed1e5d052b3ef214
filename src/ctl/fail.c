#include "base/memory.h"
#include "base/secret.h"
#include "base/utf8.h"
#include "ctl/ctl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Texts quote what is in files of strangers, and a control character may do anything to a terminal.
 */
static void write_visible(struct str text)
{
	while (text.length) {
		size_t length = utf8_sequence_length(text);
		struct str rest = text;
		uint32_t c = length ? utf8_next(&rest) : 0;

		if (!length)
			rest = str_from_offset(text, 1);
		if (utf8_is_control(c) && c != '\n' && c != '\t')
			fputc('?', stderr);
		else
			fwrite(text.data, 1, length, stderr);
		text = rest;
	}
}

void ctl_mask(char *text)
{
	struct str whole = str_from(text);
	char *masked;

	if (whole.length < SECRET_LENGTH_MIN)
		return;
	masked = memory_alloc(whole.length);
	if (secret_mask(whole, masked))
		memcpy(text, masked, whole.length);
	free(masked);
}

enum ctl_exit ctl_fail(enum ctl_exit code, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text)
		ctl_mask(text);
	fputs("displayctl: ", stderr);
	write_visible(text ? str_from(text) : STR("out of memory"));
	fputc('\n', stderr);
	free(text);
	return code;
}
