/* Frames on the socket of a sandboxed process, in the worker's buffers. */
#pragma once

#include "base/buffer.h"

#include <sandboxed/frame.h>

/* Appends a frame. Returns false, and writes nothing, if a part is too long. */
bool frame_append(struct buffer *to, struct str head, struct str blob)
    __attribute__((warn_unused_result));
