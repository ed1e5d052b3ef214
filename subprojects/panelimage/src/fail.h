/* Reports why an image was refused. */
#pragma once

#include "panelimage/panelimage.h"

/* Writes the sentence and returns -1, so that a function can end with it. */
int pi_fail(struct panelimage_error *reterr, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reports a failed allocation; returns -1. */
int pi_fail_memory(struct panelimage_error *reterr);
