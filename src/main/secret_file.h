/* Reads files with a secret: a key, a token. */
#pragma once

#include "main/reason.h"

#include <stddef.h>
#include <sys/types.h>

/* Reads the text of a file, without the line feed at its end. The file must not be readable for
 * everybody. Returns its bytes, which exceed size if the text is too long; or -1 with a reason that
 * begins with what, such as "the key". */
__attribute__((warn_unused_result)) ssize_t secret_file_read(const char *what, const char *path,
							     char *ret_text, size_t size,
							     struct reason *reterr);
