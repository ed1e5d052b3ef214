#include "frame.h"

bool frame_append(struct buffer *to, struct str head, struct str blob)
{
	if (head.length > FRAME_HEAD_MAX || blob.length > FRAME_BLOB_MAX)
		return false;
	frame_put_lengths(buffer_reserve(to, FRAME_LENGTHS_BYTES + head.length + blob.length),
			  head.length, blob.length);
	buffer_commit(to, FRAME_LENGTHS_BYTES);
	buffer_append_str(to, head);
	buffer_append_str(to, blob);
	return true;
}
