#include "progress.h"

#include <stdio.h>

enum { SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS };

void progress_begin(struct progress *progress, bool is_terminal, uint64_t now_ms)
{
	*progress = (struct progress){.is_terminal = is_terminal, .shown_ms = now_ms};
}

bool progress_is_due(const struct progress *progress, uint64_t now_ms)
{
	return now_ms - progress->shown_ms >=
	       (uint64_t)(progress->is_terminal ? SECOND_MS : MINUTE_MS);
}

void progress_write(struct progress *progress, uint64_t now_ms, size_t done, size_t all,
		    size_t failed, char ret_line[static PROGRESS_LINE_MAX])
{
	char failures[40] = "";

	if (failed > 0)
		snprintf(failures, sizeof(failures), ", %zu failed", failed);
	snprintf(ret_line, PROGRESS_LINE_MAX, "%s%zu of %zu%s%s", progress->is_terminal ? "\r" : "",
		 done, all, failures, progress->is_terminal ? "" : "\n");
	progress->shown_ms = now_ms;
	progress->has_line = progress->is_terminal;
}

const char *progress_end(const struct progress *progress)
{
	return progress->has_line ? "\n" : "";
}
