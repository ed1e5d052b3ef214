/* The files of --tls-certificate and --tls-key, which the supervisor reads: at its start, and again
 * when it is told to (SIGHUP). Workers get them through the shared memory (http/tls.h). */
#pragma once

#include "http/tls.h"
#include "main/config.h"
#include "main/reason.h"

/* Reads and checks all pairs and has workers use them for new connections. What can be used but
 * will not please clients, such as an expired certificate, is logged as a warning. Something must
 * be configured. ret_name: of the first certificate; "" if it has none. *ret_ends_at_s: the
 * end of the first one that ends, wall clock. 0, or -1 with a sentence
 * that names the file: then all stays as it was. */
__attribute__((warn_unused_result)) int certificates_load(const struct config *config,
							  struct region_map *shared,
							  char ret_name[static HTTP_TLS_NAME_BYTES],
							  int64_t *ret_ends_at_s,
							  struct reason *reterr);

/* Reads and checks them likewise, and writes a line "# ..." for each certificate. 0, or -1 with a
 * reason. */
__attribute__((warn_unused_result)) int certificates_report(const struct config *config, FILE *out,
							    struct reason *reterr);

/* Has workers use another key for tickets if its time has come. The milliseconds until the next
 * one's. */
uint64_t certificates_rotate_tickets(struct region_map *shared);
