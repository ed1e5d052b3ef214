#include "complaint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Mask of the process, which has only one standard error. */
static panel_mask *mask;

void complaint_set_mask(panel_mask *wanted)
{
	mask = wanted;
}

void complain(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text && mask)
		mask(text);
	fprintf(stderr, "displayctl panel: %s\n", text ? text : "out of memory");
	free(text);
}
