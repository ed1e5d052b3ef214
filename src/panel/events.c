#include "events.h"

#include "base/clock.h"
#include "base/hex.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

int events_open(struct events *events, const char *path, bool plain)
{
	*events = (struct events){.json_fd = -1, .plain_fd = plain ? STDOUT_FILENO : -1};
	if (!path)
		return 0;
	if (strcmp(path, "-") == 0) {
		events->json_fd = STDOUT_FILENO;
		return 0;
	}
	events->json_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	return events->json_fd < 0 ? -errno : 0;
}

void events_close(struct events *events)
{
	if (events->json_fd > STDERR_FILENO)
		close(events->json_fd);
	buffer_finish(&events->json);
	buffer_finish(&events->plain);
	events->json_fd = events->plain_fd = -1;
}

static void append_quoted(struct buffer *buffer, struct str text)
{
	bool is_utf8 = utf8_is_valid(text);

	buffer_append_char(buffer, '"');
	for (size_t i = 0; i < text.length; i++) {
		unsigned char c = (unsigned char)text.data[i];

		if (c == '"' || c == '\\')
			buffer_printf(buffer, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			buffer_printf(buffer, "\\u%04x", c);
		else if (c > 0x7f && !is_utf8)
			buffer_append_char(buffer, '?');
		else
			buffer_append_char(buffer, (char)c);
	}
	buffer_append_char(buffer, '"');
}

void events_begin(struct events *events, const char *name)
{
	char timestamp[TIMESTAMP_LENGTH + 1];
	int64_t wall_us = clock_wall_us();

	events->json_only = false;
	buffer_clear(&events->json);
	buffer_clear(&events->plain);
	buffer_printf(&events->json, "{\"event\":\"%s\",\"monotonic_us\":%llu,\"wall_us\":%lld",
		      name, (unsigned long long)clock_monotonic_us(), (long long)wall_us);
	timestamp_format(wall_us, timestamp);
	buffer_printf(&events->plain, "%s %s", timestamp, name);
}

void events_begin_frequent(struct events *events, const char *name)
{
	events_begin(events, name);
	events->json_only = true;
}

void events_int(struct events *events, const char *name, int64_t value)
{
	buffer_printf(&events->json, ",\"%s\":%lld", name, (long long)value);
	buffer_printf(&events->plain, " %s=%lld", name, (long long)value);
}

void events_text(struct events *events, const char *name, struct str value)
{
	buffer_printf(&events->json, ",\"%s\":", name);
	append_quoted(&events->json, value);
	buffer_printf(&events->plain, " %s=", name);
	append_quoted(&events->plain, value);
}

void events_sha256(struct events *events, const char *name, const void *data, size_t size)
{
	uint8_t digest[crypto_hash_sha256_BYTES];
	char text[2 * sizeof(digest) + 1];

	crypto_hash_sha256(digest, data, size);
	hex_encode(digest, sizeof(digest), text);
	events_text(events, name, str_from(text));
}

static void write_line(int fd, struct buffer *buffer)
{
	if (fd < 0)
		return;
	while (buffer_length(buffer) > 0) {
		ssize_t written = write(fd, buffer_view(buffer).data, buffer_length(buffer));

		if (written < 0 && errno != EINTR)
			return; /* nobody reads any more; the panel goes on */
		if (written > 0)
			buffer_consume(buffer, (size_t)written);
	}
}

void events_end(struct events *events)
{
	buffer_append(&events->json, "}\n", 2);
	buffer_append_char(&events->plain, '\n');
	write_line(events->json_fd, &events->json);
	write_line(events->json_only ? -1 : events->plain_fd, &events->plain);
}
