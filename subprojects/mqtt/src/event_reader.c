#include "event_reader.h"

#include <stdio.h>
#include <string.h>

static const char *value_of(const char *line, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(line, name, length) != 0 || line[length] != ':')
		return NULL;
	line += length + 1;
	return *line == ' ' ? line + 1 : line;
}

static void on_line(struct event_reader *reader, const char *line)
{
	const char *value;

	if (!*line)
		reader->name[0] = '\0';
	else if ((value = value_of(line, "event")))
		snprintf(reader->name, sizeof(reader->name), "%s", value);
	else if ((value = value_of(line, "data")))
		reader->on_event(reader->context, reader->name, value, strlen(value));
}

bool event_reader_take(struct event_reader *reader, const char *data, size_t length)
{
	while (length > 0) {
		const char *end = memchr(data, '\n', length);
		size_t part = end ? (size_t)(end - data) : length;

		if (reader->line.length + part > EVENT_LINE_MAX)
			return false;
		bytes_add(&reader->line, data, part);
		if (!end)
			return !reader->line.failed;
		bytes_add(&reader->line, "", 1);
		if (reader->line.failed)
			return false;
		on_line(reader, reader->line.data);
		bytes_finish(&reader->line);
		data = end + 1;
		length -= part + 1;
	}
	return true;
}

void event_reader_reset(struct event_reader *reader)
{
	bytes_finish(&reader->line);
	reader->name[0] = '\0';
}
