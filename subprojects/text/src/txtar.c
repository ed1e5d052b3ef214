#include "text/txtar.h"

static const struct str begin = STR("-- "), end = STR(" --"), packed = STR(";base64");

static struct str trim(struct str line)
{
	while (line.length && strchr(" \t\r\n", line.data[line.length - 1]))
		line.length--;
	while (line.length && strchr(" \t\r\n", line.data[0]))
		line = str_from_offset(line, 1);
	return line;
}

/* Returns the NAME of a line "-- NAME --"; empty for other lines. */
static struct str marker_name(struct str line)
{
	while (line.length && strchr("\r\n", line.data[line.length - 1]))
		line.length--;
	if (line.length <= begin.length + end.length || !str_starts_with(line, begin) ||
	    !str_ends_with(line, end))
		return (struct str){0};
	line.length -= end.length;
	return trim(str_from_offset(line, begin.length));
}

/* Takes the next line, with its line feed. */
static struct str take_line(struct str *text)
{
	size_t length = str_find(*text, '\n');
	struct str line = {text->data, length < text->length ? length + 1 : length};

	*text = str_from_offset(*text, line.length);
	return line;
}

bool txtar_is_archive(struct str text)
{
	while (text.length) {
		struct str line = trim(take_line(&text));

		if (line.length && line.data[0] != '#')
			return marker_name(line).length > 0;
	}
	return false;
}

/* Takes the lines before the next marker; there may be none. */
static struct str take_data(struct str *text)
{
	struct str data = {text->data, 0}, rest = *text;

	while (rest.length && marker_name(take_line(&rest)).length == 0) {
		data.length = text->length - rest.length;
	}
	*text = str_from_offset(*text, data.length);
	return data;
}

bool txtar_next(struct str *text, struct txtar_file *ret_file)
{
	struct str name;

	(void)take_data(text);
	if (text->length == 0)
		return false;
	name = marker_name(take_line(text));
	ret_file->is_base64 = name.length > packed.length && str_ends_with(name, packed);
	if (ret_file->is_base64)
		name.length -= packed.length;
	ret_file->name = name;
	ret_file->data = take_data(text);
	return true;
}
