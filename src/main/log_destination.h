/* Tells people where to find the log of this process. */
#pragma once

enum { LOG_PLACE_BYTES = 512 };

struct log_destination {
	char text[LOG_PLACE_BYTES];
};

/* "journalctl --unit displayd.service", the path of a file, or "standard error". */
const char *log_destination_find(struct log_destination *ret);
