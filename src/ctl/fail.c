#include "ctl/ctl.h"

#include <stdarg.h>
#include <stdio.h>

enum ctl_exit ctl_fail(enum ctl_exit code, const char *format, ...)
{
	va_list args;

	fputs("displayctl: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return code;
}
