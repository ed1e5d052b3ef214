#include "frame.h"

enum { LENGTH_BYTES = 4, LENGTHS_BYTES = 2 * LENGTH_BYTES };

static uint32_t read_length(const char *from)
{
	const unsigned char *bytes = (const unsigned char *)from;

	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static void write_length(struct buffer *to, size_t length)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buffer_append_char(to, (char)(length >> shift));
}

enum frame_state frame_read(struct str bytes, struct frame *ret_frame)
{
	uint32_t head, blob;

	ret_frame->size = LENGTHS_BYTES;
	if (bytes.length < LENGTHS_BYTES)
		return FRAME_NEEDS_MORE;
	head = read_length(bytes.data);
	blob = read_length(bytes.data + LENGTH_BYTES);
	if (head > FRAME_HEAD_MAX || blob > FRAME_BLOB_MAX)
		return FRAME_IS_WRONG;
	ret_frame->size = LENGTHS_BYTES + (size_t)head + blob;
	if (bytes.length < ret_frame->size)
		return FRAME_NEEDS_MORE;
	ret_frame->head = (struct str){bytes.data + LENGTHS_BYTES, head};
	ret_frame->blob = (struct str){bytes.data + LENGTHS_BYTES + head, blob};
	return FRAME_IS_WHOLE;
}

bool frame_append(struct buffer *to, struct str head, struct str blob)
{
	if (head.length > FRAME_HEAD_MAX || blob.length > FRAME_BLOB_MAX)
		return false;
	(void)buffer_reserve(to, LENGTHS_BYTES + head.length + blob.length);
	write_length(to, head.length);
	write_length(to, blob.length);
	buffer_append_str(to, head);
	buffer_append_str(to, blob);
	return true;
}
