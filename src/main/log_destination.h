/* Destination of the log of this process. */
#pragma once

#include <stdbool.h>

enum { LOG_PLACE_BYTES = 512 };

struct log_destination {
	char text[LOG_PLACE_BYTES];
};

/* "journalctl --unit displayd.service", the path of a file, or "standard error". */
const char *log_destination_find(struct log_destination *ret);

/* Whether standard error is a stream of the journal: systemd.exec(5), JOURNAL_STREAM. */
bool log_destination_is_journal(void);
