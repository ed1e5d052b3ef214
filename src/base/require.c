#include "base/require.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>

static _Thread_local const char *current_request_id;

void require_context(const char *request_id)
{
	current_request_id = request_id;
}

void require_failed(const char *condition, const char *file, int line)
{
	log_flush();
	fprintf(stderr, "level=fatal group=require msg=\"%s\" at=%s:%d request_id=%s\n", condition,
		file, line, current_request_id ? current_request_id : "-");
	abort();
}

void require_memory_failed(size_t size)
{
	log_flush();
	fprintf(stderr, "level=fatal group=require msg=\"out of memory\" bytes=%zu request_id=%s\n",
		size, current_request_id ? current_request_id : "-");
	abort();
}
