/* Answers one request: a head and a script in, a head and a tree out. */
#pragma once

#include <sandboxed/bytes.h>
#include <sandboxed/frame.h>

/* The answer, whatever the script does, but for what ends the process. The texts are the caller's
 * to finish; blob is empty if there is a fault. */
void engine_serve(const struct frame *request, struct bytes *ret_head, struct bytes *ret_blob);
