#include "ctl/server/status_line.h"
#include "base/clock.h"
#include "ctl/ctl.h"
#include "ctl/shell/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>
#include <time.h>

size_t status_lines(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.length; i++)
		count += text.data[i] == '\n';
	return count;
}

void status_take_ends(struct str text, size_t first, size_t all, struct buffer *out)
{
	size_t count = status_lines(text), begin = 0;

	for (size_t line = 0, i = 0; i < text.length; i++) {
		if (text.data[i] != '\n')
			continue;
		if (line < first || line + all >= count + first)
			buffer_append(out, text.data + begin, i + 1 - begin);
		begin = i + 1;
		line++;
	}
}

/* ---- parts of lines ---- */

int64_t status_time(const char *text)
{
	struct tm time = {0};

	return strptime(text, "%Y-%m-%dT%H:%M:%S", &time) ? (int64_t)timegm(&time) : 0;
}

int64_t status_now_s(void)
{
	return clock_wall_us() / 1000000;
}

struct status_words status_age(const char *since, bool is_long)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
	int64_t begun_s = status_time(since), seconds = begun_s ? status_now_s() - begun_s : 0;
	struct status_words words;
	unsigned i = 0;
	int length;

	if (seconds < 0)
		seconds = 0;
	while (i < 3 && seconds < units[i].seconds)
		i++;
	length = snprintf(words.text, sizeof(words.text), "%" PRId64 " %s",
			  seconds / units[i].seconds, units[i].name);
	if (is_long && i < 2)
		snprintf(words.text + length, sizeof(words.text) - (size_t)length,
			 " %" PRId64 " %s", seconds % units[i].seconds / units[i + 1].seconds,
			 units[i + 1].name);
	return words;
}

struct status_words status_lasting(int64_t us)
{
	struct status_words words;

	if (us >= 1000000)
		snprintf(words.text, sizeof(words.text), "%.1f s", (double)us / 1000000);
	else
		snprintf(words.text, sizeof(words.text), "%.*f ms", us < 100000, (double)us / 1000);
	return words;
}

struct status_words status_size(int64_t bytes)
{
	const double mib = (double)bytes / (1024 * 1024);
	struct status_words words;

	if (mib < 1024)
		snprintf(words.text, sizeof(words.text), "%.0f MiB", mib);
	else
		snprintf(words.text, sizeof(words.text), "%.1f GiB", mib / 1024);
	return words;
}

void status_put(struct buffer *out, enum status_style style, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	buffer_printf(out, "%c%s%c", style, text ? text : "", STATUS_PLAIN);
	free(text);
}

/* ---- log lines ---- */

/* Takes the value of "name=" from the beginning of the line; *line is then the rest after it.
 * Returns false if the line begins otherwise. */
static bool take_field(struct str *line, const char *name, struct str *ret_value)
{
	size_t length = strlen(name), end = 0;
	struct str rest = *line;

	if (rest.length < length || memcmp(rest.data, name, length) != 0)
		return false;
	rest = str_from_offset(rest, length);
	if (rest.length && rest.data[0] == '"') {
		for (end = 1; end < rest.length && rest.data[end] != '"'; end++)
			end += rest.data[end] == '\\';
		if (end >= rest.length)
			return false;
		*ret_value = (struct str){rest.data + 1, end - 1};
		end++;
	} else {
		end = str_find(rest, ' ');
		*ret_value = (struct str){rest.data, end};
	}
	*line = end < rest.length ? str_from_offset(rest, end + 1) : (struct str){"", 0};
	return true;
}

/* Appends the local time, "17:30:05", with the date if it is not today. */
static void put_time(struct buffer *out, struct str stamp)
{
	struct tm parsed = {0}, then, today;
	time_t now = (time_t)(clock_wall_us() / 1000000), at;
	char text[32] = "";

	memcpy(text, stamp.data, stamp.length < sizeof(text) ? stamp.length : sizeof(text) - 1);
	if (!strptime(text, "%Y-%m-%dT%H:%M:%S", &parsed)) {
		buffer_append_str(out, stamp);
		return;
	}
	at = timegm(&parsed);
	localtime_r(&at, &then);
	localtime_r(&now, &today);
	strftime(text, sizeof(text),
		 then.tm_yday == today.tm_yday && then.tm_year == today.tm_year ? "%H:%M:%S"
										: "%F %H:%M:%S",
		 &then);
	buffer_append_str(out, str_from(text));
}

void status_line_error(struct str line, struct buffer *out)
{
	static const struct {
		const char *name;
		struct str after;
	} parts[] = {{"process=", {": ", 2}}, {"group=", {": ", 2}}, {"msg=", {" ", 1}}};
	struct str rest = line, stamp, level, value;

	if (!take_field(&rest, "ts=", &stamp) || !take_field(&rest, "level=", &level)) {
		ctl_append_visible(line, "", out);
		return;
	}
	put_time(out, stamp);
	buffer_append_char(out, ' ');
	for (size_t i = 0; i < array_length(parts); i++) {
		if (!take_field(&rest, parts[i].name, &value))
			continue;
		ctl_append_visible(value, "", out);
		buffer_append_str(out, parts[i].after);
	}
	ctl_append_visible(rest, "", out);
}

bool status_line_is_again(struct str line, struct str other)
{
	struct str stamp;

	return take_field(&line, "ts=", &stamp) && take_field(&other, "ts=", &stamp) &&
	       str_equal(line, other);
}

/* ---- the page ---- */

static bool is_style(char c)
{
	return c >= STATUS_PLAIN && c < STATUS_STYLE_END;
}

static void put_style(const struct status_page *page, char style, struct buffer *out)
{
	static const char *const codes[STATUS_STYLE_END] = {
	    [STATUS_PLAIN] = "\x1b[0m",
	    [STATUS_BOLD] = "\x1b[1m",
	    [STATUS_RED] = "\x1b[1;31m",
	    [STATUS_YELLOW] = "\x1b[33m",
	};

	if (page->has_colours)
		buffer_append_str(out, str_from(codes[(unsigned char)style]));
}

static size_t shown_width(struct str line)
{
	size_t width = 0;

	while (line.length) {
		struct str before = line;

		utf8_next(&line);
		if (!is_style(before.data[0]))
			width +=
			    table_width((struct str){before.data, before.length - line.length});
	}
	return width;
}

/* Appends a line, cut at its end if it is too wide. */
static void put_line(const struct status_page *page, struct str line, struct buffer *out)
{
	bool is_cut = page->width && shown_width(line) > page->width, is_styled = false;
	size_t used = 0;

	while (line.length) {
		struct str rest = line, one;
		size_t width;

		utf8_next(&rest);
		one = (struct str){line.data, line.length - rest.length};
		line = rest;
		if (is_style(one.data[0])) {
			put_style(page, one.data[0], out);
			is_styled = one.data[0] != STATUS_PLAIN;
			continue;
		}
		width = table_width(one);
		if (is_cut && used + width + 1 > page->width)
			break;
		used += width;
		buffer_append_str(out, one);
	}
	if (is_cut)
		buffer_append_str(out, STR("\u2026"));
	if (is_styled)
		put_style(page, STATUS_PLAIN, out);
}

void status_page_write(const struct status_page *page, struct str text, struct buffer *out)
{
	size_t lines = 0;
	struct str line;

	while (text.length && (!page->height || lines < page->height)) {
		size_t end = str_find(text, '\n');

		line = (struct str){text.data, end};
		text = str_from_offset(text, end < text.length ? end + 1 : end);
		put_line(page, line, out);
		lines++;
		/* Omit the line feed of the last line of a full terminal: the terminal would
		 * scroll. */
		if (page->is_over)
			buffer_append_str(out, STR("\x1b[K"));
		if (!page->is_over || (text.length && lines != page->height))
			buffer_append_char(out, '\n');
	}
	if (page->is_over)
		buffer_append_str(out, STR("\x1b[J"));
}
