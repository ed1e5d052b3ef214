/* Answers one request: a head and a script in, a head and a tree out. */
#pragma once

#include "frame.h"
#include "text.h"

/* The answer, whatever the script does, but for what ends the process. The texts are the caller's
 * to finish; blob is empty if there is a fault. */
void engine_serve(const struct frame *request, struct text *ret_head, struct text *ret_blob);
