/* Checks the types of an app in TypeScript with tsc, if that is installed. */
#pragma once

#include "base/buffer.h"

enum app_types_result {
	APP_TYPES_RIGHT,
	APP_TYPES_WRONG,     /* log has a line for each error */
	APP_TYPES_UNCHECKED, /* log has the reason */
};

/* Runs the first tsc of PATH and waits for it. tsc gets our own configuration: the app's folder may
 * be untrusted, so no program or configuration in it is used. Appends to log. */
enum app_types_result app_types_check(const char *path, struct buffer *log);
