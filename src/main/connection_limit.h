/* Connections of a worker, by the memory of the machine: a panel's connection needs some 8 KiB,
 * half of them in the kernel, or 40 KiB with TLS, and all workers' together a quarter of the memory
 * at most. The limit of descriptors is applied by http. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns at least 1,024 and at most LIMIT_CONNECTIONS. */
unsigned connection_limit(uint64_t memory_bytes, unsigned workers, bool has_tls);
/* The same for the memory of this machine. */
unsigned connection_limit_here(unsigned workers, bool has_tls);
