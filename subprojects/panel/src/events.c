#include "events.h"

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <mbedtls/sha256.h>
#include <text/utf8.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t events_wall_us(void)
{
	return now_us(CLOCK_REALTIME);
}

int events_open(struct events *events, const char *path, bool plain)
{
	*events = (struct events){.json_fd = -1, .plain_fd = plain ? STDOUT_FILENO : -1};
	if (!path)
		return 0;
	events->json_fd =
	    strcmp(path, "-") == 0
		? STDOUT_FILENO
		: open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	return events->json_fd < 0 ? -errno : 0;
}

void events_close(struct events *events)
{
	if (events->json_fd > STDERR_FILENO)
		close(events->json_fd);
	events->json_fd = events->plain_fd = -1;
}

void events_quote(FILE *file, const char *text, size_t size)
{
	bool is_utf8 = utf8_is_valid((struct str){text, size});

	fputc('"', file);
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			fprintf(file, "\\u%04x", c);
		else
			fputc(c > 0x7f && !is_utf8 ? '?' : c, file);
	}
	fputc('"', file);
}

static void print_value(FILE *file, const struct event_field *field)
{
	uint8_t digest[32];

	if (field->type == EVENT_NUMBER) {
		fprintf(file, "%lld", (long long)field->number);
	} else if (field->type == EVENT_TEXT) {
		events_quote(file, field->data, field->size);
	} else {
		mbedtls_sha256(field->data, field->size, digest, 0);
		fputc('"', file);
		for (size_t i = 0; i < sizeof(digest); i++)
			fprintf(file, "%02x", digest[i]);
		fputc('"', file);
	}
}

static void write_all(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, text, size);

		if (written < 0 && errno != EINTR)
			return; /* the reader is gone; the panel continues */
		if (written > 0) {
			text += written;
			size -= (size_t)written;
		}
	}
}

static void write_line(int fd, bool is_json, const char *name, const struct event_field *fields)
{
	uint64_t wall_us = events_wall_us();
	time_t wall_s = (time_t)(wall_us / 1000000);
	char *text = NULL;
	size_t size;
	FILE *line = memory_check(open_memstream(&text, &size));
	char timestamp[32];
	struct tm parts;

	gmtime_r(&wall_s, &parts);
	strftime(timestamp, sizeof(timestamp), "%Y-%m-%dT%H:%M:%S", &parts);
	if (is_json)
		fprintf(line, "{\"event\":\"%s\",\"monotonic_us\":%llu,\"wall_us\":%llu", name,
			(unsigned long long)now_us(CLOCK_MONOTONIC), (unsigned long long)wall_us);
	else
		fprintf(line, "%s.%03uZ %s", timestamp, (unsigned)(wall_us / 1000 % 1000), name);
	for (; fields->type; fields++) {
		fprintf(line, is_json ? ",\"%s\":" : " %s=", fields->name);
		print_value(line, fields);
	}
	fputs(is_json ? "}\n" : "\n", line);
	fclose(line);
	write_all(fd, memory_check(text), size);
	free(text);
}

void events_write(struct events *events, const char *name, const struct event_field *fields)
{
	/* Events that are too frequent for people. */
	bool is_frequent = strcmp(name, "pong") == 0 || strcmp(name, "frame") == 0;

	if (events->json_fd >= 0)
		write_line(events->json_fd, true, name, fields);
	if (events->plain_fd >= 0 && !is_frequent)
		write_line(events->plain_fd, false, name, fields);
}
