#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

int pi_fail(struct panelimage_error *reterr, const char *format, ...)
{
	va_list args;

	reterr->out_of_memory = false;
	reterr->is_too_large = false;
	va_start(args, format);
	vsnprintf(reterr->text, sizeof(reterr->text), format, args);
	va_end(args);
	return -1;
}

int pi_fail_memory(struct panelimage_error *reterr)
{
	pi_fail(reterr, "image could not be converted for lack of memory");
	reterr->out_of_memory = true;
	return -1;
}
