#include "sandboxed/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static uint32_t get_length(const char *from)
{
	const unsigned char *bytes = (const unsigned char *)from;

	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

enum frame_state frame_find(struct str bytes, size_t head_max, size_t blob_max,
			    struct frame *ret_frame)
{
	uint32_t head, blob;

	ret_frame->size = FRAME_LENGTHS_BYTES;
	if (bytes.length < FRAME_LENGTHS_BYTES)
		return FRAME_NEEDS_MORE;
	head = get_length(bytes.data);
	blob = get_length(bytes.data + 4);
	if (head > head_max || blob > blob_max)
		return FRAME_IS_WRONG;
	ret_frame->size = FRAME_LENGTHS_BYTES + (size_t)head + blob;
	if (bytes.length < ret_frame->size)
		return FRAME_NEEDS_MORE;
	ret_frame->head = (struct str){bytes.data + FRAME_LENGTHS_BYTES, head};
	ret_frame->blob = (struct str){bytes.data + FRAME_LENGTHS_BYTES + head, blob};
	return FRAME_IS_WHOLE;
}

void frame_put_lengths(char ret_lengths[static FRAME_LENGTHS_BYTES], size_t head, size_t blob)
{
	for (int i = 0; i < 4; i++) {
		ret_lengths[i] = (char)(head >> (24 - 8 * i));
		ret_lengths[4 + i] = (char)(blob >> (24 - 8 * i));
	}
}

/* Reads size bytes. Returns how many were read, fewer only at the end; or a negative errno: -EINTR,
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

/* Reads a part of a frame. Returns 0 or a negative errno. */
static int read_part(int link, size_t size, struct str *ret_part)
{
	char *data = malloc(size + 1);
	ssize_t length = data ? read_exactly(link, data, size, false) : -ENOMEM;

	*ret_part = (struct str){data, size};
	if (length < 0)
		return (int)length;
	data[length] = '\0';
	return (size_t)length == size ? 0 : -EPIPE;
}

int frame_receive(int link, struct frame *ret_frame)
{
	char lengths[FRAME_LENGTHS_BYTES];
	ssize_t length = read_exactly(link, lengths, sizeof(lengths), true);
	struct frame frame = {0};
	int status;

	if (length <= 0)
		return (int)length;
	if (length < FRAME_LENGTHS_BYTES)
		return -EPIPE;
	if (frame_read((struct str){lengths, sizeof(lengths)}, &frame) == FRAME_IS_WRONG)
		return -EMSGSIZE;
	frame.head = frame.blob = (struct str){0};
	status = read_part(link, get_length(lengths), &frame.head);
	if (status == 0)
		status = read_part(link, get_length(lengths + 4), &frame.blob);
	if (status < 0) {
		frame_finish(&frame);
		return status;
	}
	*ret_frame = frame;
	return 1;
}

void frame_finish(struct frame *frame)
{
	free((char *)frame->head.data);
	free((char *)frame->blob.data);
	*frame = (struct frame){0};
}

static int write_exactly(int link, struct str bytes)
{
	while (bytes.length > 0) {
		ssize_t written = write(link, bytes.data, bytes.length);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0)
			bytes = str_from_offset(bytes, (size_t)written);
	}
	return 0;
}

int frame_send(int link, struct str head, struct str blob)
{
	char lengths[FRAME_LENGTHS_BYTES];
	int status;

	frame_put_lengths(lengths, head.length, blob.length);
	status = write_exactly(link, (struct str){lengths, sizeof(lengths)});
	if (status == 0)
		status = write_exactly(link, head);
	return status < 0 ? status : write_exactly(link, blob);
}
