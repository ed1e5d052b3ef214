/* The files of --tls-certificate and --tls-key, which the supervisor reads at its start, and again
 * on SIGHUP. Workers get them through the shared memory (http/tls.h). */
#pragma once

#include "http/tls.h"
#include "main/config.h"
#include "main/reason.h"

/* Reads and checks all pairs and makes workers use them for new connections. Usable pairs with a
 * fault, such as an expired certificate, are logged as a warning. At least one pair must be
 * configured. ret_name: name of the first certificate; "" if it has none. *ret_ends_at_s: earliest
 * end of all certificates, wall clock. Returns 1; 0 if workers use these already; or -1 with a
 * sentence that names the file: then nothing changes. */
__attribute__((warn_unused_result)) int certificates_load(const struct config *config,
							  struct region_map *shared,
							  char ret_name[static HTTP_TLS_NAME_BYTES],
							  int64_t *ret_ends_at_s,
							  struct reason *reterr);

/* Reads and checks all pairs, as certificates_load(), and writes a line "# ..." for each
 * certificate. Returns 0, or -1 with a reason. */
__attribute__((warn_unused_result)) int certificates_report(const struct config *config, FILE *out,
							    struct reason *reterr);

/* Makes workers use a new key for tickets if it is due. Returns the milliseconds until the next one
 * is due. */
uint64_t certificates_rotate_tickets(struct region_map *shared);
