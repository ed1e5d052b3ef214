/* Whether the types of an app in TypeScript are right: tsc says, where it is installed. */
#pragma once

#include "base/buffer.h"

enum app_types_result {
	APP_TYPES_RIGHT,
	APP_TYPES_WRONG,     /* log has the errors, a line each */
	APP_TYPES_UNCHECKED, /* log has the reason, in a sentence */
};

/* Runs the tsc that PATH leads to, with our own configuration: an app's folder may be a stranger's,
 * and no program or configuration of it is used. Waits for it. */
enum app_types_result app_types_check(const char *path, struct buffer *log);
