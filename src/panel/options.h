/* The command line of `displayctl panel`. */
#pragma once

#include "url.h"

#include <stdbool.h>
#include <stdint.h>

struct panel_options {
	struct panel_url url;
	bool polling;
	bool no_ack;
	bool quiet;
	const char *frames; /* the pointers are into argv, or NULL */
	const char *events;
	const char *ca_file;
	const char *firmware_version;
	char mac[18];
	uint64_t exit_after; /* 0: never */
	int64_t retry_ms;    /* negative: as the firmware */
	uint64_t ping_ms;
	uint64_t pong_timeout_ms;
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_WRONG };

/* Reads the command line; says on standard error what is wrong with it, and prints the help where
 * it was asked for. */
enum options_result panel_options_parse(int argc, char **argv, struct panel_options *ret_options);
