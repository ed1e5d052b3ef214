/* The command line of `displayctl panel`. */
#pragma once

#include "link.h"
#include "options/options.h"

struct panel_options {
	struct options given;
	struct link_config link;
	bool no_ack;
	bool quiet;
	const char *frames; /* the pointers point into given, or are NULL */
	const char *events;
	const char *authorities_file;
	char mac[18];
	uint64_t exit_after; /* 0: never */
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_WRONG };

/* Reads the command line; reports its errors on standard error, and prints the help if it was
 * requested. The caller must call panel_options_finish() in any case. */
enum options_result panel_options_parse(int argc, char **argv, struct panel_options *ret_options);
void panel_options_finish(struct panel_options *options);

/* Splits `key=` off the query, as firmware from v1.6.1 on does, unless key_in_url is set. Returns
 * NULL, or what is wrong with the URL, as a static text. */
const char *panel_options_parse_url(const char *text, bool key_in_url,
				    struct link_config *ret_link);
