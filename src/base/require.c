#include "base/require.h"
#include "base/log.h"
#include "log_sink.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE_BYTES = 1024 };

static _Thread_local const char *current_request_id;

void require_context(const char *request_id)
{
	current_request_id = request_id;
}

void require_context_end(const char *request_id)
{
	if (current_request_id == request_id)
		current_request_id = NULL;
}

/* length: result of snprintf(). The line is written like log lines: a stopped reader does not delay
 * the end of the process. */
_Noreturn static void end_with(char line[static LINE_BYTES], int length)
{
	if (length >= LINE_BYTES) {
		length = LINE_BYTES - 1;
		line[length - 1] = '\n';
	}
	log_flush();
	log_sink_write(line, (size_t)length);
	log_finish();
	abort();
}

void require_failed(const char *condition, const char *file, int line)
{
	char text[LINE_BYTES];

	end_with(text,
		 snprintf(text, sizeof(text),
			  "level=fatal group=require msg=\"%s\" at=%s:%d request_id=%s\n",
			  condition, file, line, current_request_id ? current_request_id : "-"));
}

void require_memory_failed(size_t size)
{
	char text[LINE_BYTES];

	end_with(text, snprintf(text, sizeof(text),
				"level=fatal group=require msg=\"out of memory\" bytes=%zu "
				"request_id=%s\n",
				size, current_request_id ? current_request_id : "-"));
}
