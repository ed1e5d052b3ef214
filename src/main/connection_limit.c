#include "connection_limit.h"
#include "base/limits.h"

#include <unistd.h>

enum { CONNECTION_BYTES = 8 * 1024, TLS_BYTES = 32 * 1024, PARTS = 4, LEAST = 1024 };

unsigned connection_limit(uint64_t memory_bytes, unsigned workers, bool has_tls)
{
	uint64_t each_bytes = CONNECTION_BYTES + (has_tls ? TLS_BYTES : 0);
	uint64_t count = memory_bytes / PARTS / each_bytes / (workers ? workers : 1);

	if (count > LIMIT_CONNECTIONS)
		return LIMIT_CONNECTIONS;
	return count < LEAST ? LEAST : (unsigned)count;
}

unsigned connection_limit_here(unsigned workers, bool has_tls)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	if (pages <= 0 || page_bytes <= 0)
		return connection_limit(0, workers, has_tls);
	return connection_limit((uint64_t)pages * (uint64_t)page_bytes, workers, has_tls);
}
