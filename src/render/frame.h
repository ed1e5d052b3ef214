/* Frames on the link of a sandboxed process, in the worker's buffers. */
#pragma once

#include "base/buffer.h"

#include <sandboxed/frame.h>

/* False: a part is longer than allowed, and nothing is written. */
bool frame_append(struct buffer *to, struct str head, struct str blob)
    __attribute__((warn_unused_result));
