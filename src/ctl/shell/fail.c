#include "base/arguments.h"
#include "base/memory.h"
#include "base/secret.h"
#include "ctl/ctl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <text/utf8.h>
#include <unistd.h>

void ctl_append_visible(struct str text, const char *kept, struct buffer *to)
{
	while (text.length) {
		size_t length = utf8_sequence_length(text);
		struct str rest = text;
		uint32_t c = length ? utf8_next(&rest) : 0;
		char escape[UTF8_ESCAPE_BYTES + 1];

		if (!length) {
			buffer_append_char(to, '?');
			rest = str_from_offset(text, 1);
		} else if (utf8_is_steering(c) && !(c && c < 0x80 && strchr(kept, (int)c))) {
			utf8_escape(c, escape);
			buffer_append(to, escape, UTF8_ESCAPE_BYTES);
		} else {
			buffer_append(to, text.data, length);
		}
		text = rest;
	}
}

/* Escapes control characters: messages may quote untrusted files. */
static void write_visible(struct str text)
{
	struct buffer visible = {0};
	struct str view;

	ctl_append_visible(text, "\n\t", &visible);
	view = buffer_view(&visible);
	if (view.length)
		fwrite(view.data, 1, view.length, stderr);
	buffer_finish(&visible);
}

/* Masks the passwords from start up to end. */
static void mask_passwords_in(char *start, char *end)
{
	char behind = *end;

	*end = 0;
	argument_hide_passwords(start);
	*end = behind;
}

/* Masks each URL by itself, without the punctuation after it, and the text between URLs: the search
 * for a password in a URL could reach to the end of the text. */
static void mask_passwords(char *text)
{
	char *scheme;

	while ((scheme = strstr(text, "://"))) {
		char *start = scheme, *end = scheme + strcspn(scheme, " \n\t"), *next = end;

		while (start > text && !strchr(" \n\t", start[-1]))
			start--;
		while (strchr(";:,.)\"", end[-1]))
			end--;
		mask_passwords_in(text, start);
		mask_passwords_in(start, end);
		text = next;
	}
	argument_hide_passwords(text);
}

void ctl_mask(char *text)
{
	struct str whole = str_from(text);
	char *masked;

	mask_passwords(text);
	if (whole.length < SECRET_LENGTH_MIN)
		return;
	masked = memory_alloc(whole.length);
	if (secret_mask(whole, masked))
		memcpy(text, masked, whole.length);
	free(masked);
}

__attribute__((format(printf, 2, 0))) static void say(const char *prefix, const char *format,
						      va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	if (text)
		ctl_mask(text);
	fputs(prefix, stderr);
	write_visible(text ? str_from(text) : STR("out of memory"));
	fputc('\n', stderr);
	free(text);
}

void ctl_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("", format, args);
	va_end(args);
}

void ctl_say_rest(unsigned count)
{
	if (count > CTL_NAMED_MAX)
		ctl_say("  and %u more", count - CTL_NAMED_MAX);
}

enum ctl_exit ctl_fail(enum ctl_exit code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("displayctl: ", format, args);
	va_end(args);
	return code;
}

enum ctl_exit ctl_fail_account(struct str email)
{
	return ctl_fail(CTL_NOT_FOUND, "there is no account %.*s", STR_ARG(email));
}

enum ctl_exit ctl_confirm(const struct ctl *ctl, const char *format, ...)
{
	char answer[8] = "", *question = NULL;
	va_list args;

	if (options_text(&ctl->options, "yes"))
		return CTL_DONE;
	if (!isatty(STDIN_FILENO))
		return ctl_fail(
		    CTL_REFUSED,
		    "nothing was changed: standard input is not a terminal; use --yes to confirm");
	va_start(args, format);
	if (vasprintf(&question, format, args) >= 0)
		write_visible(str_from(question));
	va_end(args);
	free(question);
	fputs(" Type yes to continue: ", stderr);
	if (!fgets(answer, sizeof(answer), stdin) || strcmp(answer, "yes\n") != 0)
		return ctl_fail(CTL_REFUSED, "nothing was changed");
	return CTL_DONE;
}
