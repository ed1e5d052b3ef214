#include "frame.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns how many bytes were read; fewer than size only at the end; or a negative errno: -EINTR,
 * if allowed, only before the first byte. */
static ssize_t read_exactly(int link, char *to, size_t size, bool is_interruptible)
{
	size_t done = 0;

	while (done < size) {
		ssize_t length = read(link, to + done, size - done);

		if (length == 0)
			break;
		if (length < 0 && (errno != EINTR || (is_interruptible && done == 0)))
			return -errno;
		if (length > 0)
			done += (size_t)length;
	}
	return (ssize_t)done;
}

static size_t get_length(const char *from)
{
	size_t value = 0;

	for (int i = 0; i < 4; i++)
		value = value << 8 | (unsigned char)from[i];
	return value;
}

/* 0 or a negative errno. */
static int read_part(int link, size_t size, char **ret_data)
{
	char *data = malloc(size + 1);
	ssize_t length = data ? read_exactly(link, data, size, false) : -ENOMEM;

	*ret_data = data;
	if (length < 0)
		return (int)length;
	data[length] = '\0';
	return (size_t)length == size ? 0 : -EPIPE;
}

int frame_read(int link, struct frame *ret_frame)
{
	char lengths[FRAME_LENGTHS];
	ssize_t length = read_exactly(link, lengths, sizeof(lengths), true);
	struct frame frame = {0};
	int status = length < 0 ? (int)length : -EPIPE;

	if (length == 0)
		return 0;
	if (length == FRAME_LENGTHS) {
		frame.head_length = get_length(lengths);
		frame.blob_length = get_length(lengths + 4);
		status = -EMSGSIZE;
	}
	if (status == -EMSGSIZE && frame.head_length <= FRAME_HEAD_MAX &&
	    frame.blob_length <= FRAME_BLOB_MAX) {
		status = read_part(link, frame.head_length, &frame.head);
		if (status == 0)
			status = read_part(link, frame.blob_length, &frame.blob);
	}
	if (status < 0) {
		frame_finish(&frame);
		return status;
	}
	*ret_frame = frame;
	return 1;
}

void frame_finish(struct frame *frame)
{
	free(frame->head);
	free(frame->blob);
	*frame = (struct frame){0};
}

void frame_put_lengths(unsigned char to[static FRAME_LENGTHS], size_t head, size_t blob)
{
	for (int i = 0; i < 4; i++) {
		to[i] = (unsigned char)(head >> (24 - 8 * i));
		to[4 + i] = (unsigned char)(blob >> (24 - 8 * i));
	}
}

static int write_exactly(int link, const char *data, size_t length)
{
	while (length > 0) {
		ssize_t written = write(link, data, length);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			data += written;
			length -= (size_t)written;
		}
	}
	return 0;
}

int frame_write(int link, const char *head, size_t head_length, const char *blob,
		size_t blob_length)
{
	unsigned char lengths[FRAME_LENGTHS];
	int status;

	frame_put_lengths(lengths, head_length, blob_length);
	status = write_exactly(link, (const char *)lengths, sizeof(lengths));
	if (status == 0)
		status = write_exactly(link, head, head_length);
	return status < 0 ? status : write_exactly(link, blob, blob_length);
}
