/* Finds the fields in the literal of a call for a widget, so that an error about one of them has
 * its source location. The text is the output of esbuild for an untrusted script: unexpected text
 * ends the list. */
#include "run.h"

#include <string.h>

enum { TEMPLATES_MAX = 16 };

struct scan {
	const char *at, *end;
	size_t *budget;		       /* bytes that all scans of a request may still read */
	char previous;		       /* the last character that is no space */
	unsigned depth;		       /* depth of brackets */
	unsigned templates;	       /* number of templates whose ${} it is in */
	unsigned outer[TEMPLATES_MAX]; /* depth of brackets at the start of each */
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Moves on by one character. Returns false at the end. */
static bool go_on(struct scan *scan)
{
	if (scan->at >= scan->end || *scan->budget == 0)
		return false;
	scan->at++;
	--*scan->budget;
	return scan->at < scan->end;
}

static bool starts_with(const struct scan *scan, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, text, length) == 0;
}

/* Goes behind the next occurrence of the text. Returns false if there is none. */
static bool skip_to(struct scan *scan, const char *text)
{
	do {
		if (starts_with(scan, text)) {
			scan->at += strlen(text);
			return scan->at < scan->end;
		}
	} while (go_on(scan));
	return false;
}

static bool skip_comment(struct scan *scan)
{
	return starts_with(scan, "//") ? skip_to(scan, "\n") : skip_to(scan, "*/");
}

static bool skip_space(struct scan *scan)
{
	while (scan->at < scan->end) {
		if (starts_with(scan, "//") || starts_with(scan, "/*")) {
			if (!skip_comment(scan))
				return false;
		} else if (!is_space(*scan->at)) {
			return true;
		} else if (!go_on(scan)) {
			return false;
		}
	}
	return false;
}

/* Goes from the opening quotation mark or slash behind the closing one. */
static bool skip_quoted(struct scan *scan, char mark)
{
	bool is_class = false; /* in a character class of a regular expression */

	while (go_on(scan)) {
		char c = *scan->at;

		if (c == '\\') {
			if (!go_on(scan))
				return false;
		} else if (c == mark && !is_class) {
			return go_on(scan);
		} else if (mark == '/' && (c == '[' || c == ']')) {
			is_class = c == '[';
		}
	}
	return false;
}

/* Goes from the first character of a template's text behind its end, or into its next ${}. */
static bool skip_template(struct scan *scan)
{
	for (; scan->at < scan->end && *scan->at != '`'; (void)go_on(scan)) {
		if (*scan->budget == 0)
			return false;
		if (starts_with(scan, "${")) {
			if (scan->templates == TEMPLATES_MAX)
				return false;
			scan->outer[scan->templates++] = scan->depth;
			return go_on(scan) && go_on(scan);
		}
		if (*scan->at == '\\' && !go_on(scan))
			return false;
	}
	return go_on(scan);
}

/* Whether a slash here begins a regular expression: that is so if no value is before it. */
static bool begins_expression(char previous)
{
	return !is_name(previous) && previous != ')' && previous != ']' && previous != '}' &&
	       previous != '"' && previous != '\'' && previous != '`';
}

/* Goes behind one token of a value. */
static bool skip_item(struct scan *scan)
{
	char c = *scan->at, previous = scan->previous;

	scan->previous = c;
	if (c == '"' || c == '\'')
		return skip_quoted(scan, c);
	if (c == '`')
		return go_on(scan) && skip_template(scan);
	if (c == '/' && begins_expression(previous))
		return skip_quoted(scan, c);
	if (c == '(' || c == '[' || c == '{') {
		scan->depth++;
	} else if (c == '}' && scan->templates > 0 &&
		   scan->depth == scan->outer[scan->templates - 1]) {
		scan->templates--;
		scan->previous = '`';
		return go_on(scan) && skip_template(scan);
	} else if ((c == ')' || c == ']' || c == '}') && scan->depth-- == 0) {
		return false;
	}
	return go_on(scan);
}

/* Goes to the comma or the bracket behind a member of the literal. */
static bool skip_member(struct scan *scan)
{
	while (skip_space(scan)) {
		if (scan->depth == 0 && scan->templates == 0 &&
		    (*scan->at == ',' || *scan->at == '}'))
			return true;
		if (!skip_item(scan))
			return false;
	}
	return false;
}

/* Goes behind the opening bracket of the literal in this call. */
static bool enter_literal(struct scan *scan)
{
	while (scan->at < scan->end && is_name(*scan->at))
		if (!go_on(scan))
			return false;
	if (!skip_space(scan))
		return false;
	if (starts_with(scan, "?."))
		scan->at += 2;
	if (!skip_space(scan) || *scan->at != '(' || !go_on(scan))
		return false;
	return skip_space(scan) && *scan->at == '{' && go_on(scan);
}

/* Reads the name of a member. Returns false if it has no plain name. */
static bool read_name(struct scan *scan, struct parameter *parameter)
{
	bool is_quoted = *scan->at == '"' || *scan->at == '\'';
	const char *begin = scan->at;

	parameter->at = begin;
	if (is_quoted) {
		(void)skip_quoted(scan, *begin);
		parameter->name = begin + 1;
		parameter->length = (size_t)(scan->at - begin) - 2;
		return scan->at - begin >= 2;
	}
	do { /* two words in "get NAME() {" */
		begin = scan->at;
		while (scan->at < scan->end && is_name(*scan->at) && go_on(scan))
			;
		parameter->name = begin;
		parameter->length = (size_t)(scan->at - begin);
	} while (skip_space(scan) && is_name(*scan->at));
	return parameter->length > 0;
}

unsigned parameters_find(const struct file *file, const char *call, size_t *budget,
			 struct parameter *to, unsigned most)
{
	struct scan scan = {.at = call, .end = file->data + file->length, .budget = budget};
	unsigned count = 0;

	if (!enter_literal(&scan))
		return 0;
	while (count < most && skip_space(&scan) && *scan.at != '}') {
		if (read_name(&scan, &to[count]))
			count++;
		scan.previous = ':';
		if (!skip_member(&scan) || *scan.at != ',' || !go_on(&scan))
			break;
	}
	return count;
}
