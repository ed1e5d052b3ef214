/* Answers one request: a head and a script in, a head and a tree out. */
#pragma once

#include <sandboxed/bytes.h>
#include <sandboxed/frame.h>

/* Makes the answer, whatever the script does, unless the process ends. The caller must call
 * bytes_finish() on both; the blob is empty if there is a fault. */
void engine_serve(const struct frame *request, struct bytes *ret_head, struct bytes *ret_blob);
