/* The table of options. */
#pragma once

#include "main/config.h"

enum { OPTION_NAME_BYTES = 40 };

struct option {
	const char *name;     /* "rate-limit": --rate-limit, DISPLAYD_RATE_LIMIT, rate-limit = */
	const char *argument; /* "N"; NULL for a flag that takes none */
	const char *help;     /* lines, without indentation */
	/* A setting is read and shown; the value is not empty. 0, or -1 with a reason that follows
	 * the option's name: "must be a number from 1 to 256". */
	int (*parse)(struct config *config, const char *value, struct reason *reterr);
	void (*show)(const struct config *config, struct buffer *text);
	/* Settings that may be given more than once, and what forgets those of a weaker source. */
	void (*clear)(struct config *config);
	enum config_action action; /* of a flag without an argument */
};

/* The settings, in the order of enum config_option. */
extern const struct option config_settings[OPTION_COUNT];
/* --config, --check-config, --help, --version: on the command line alone, but for --config, which
 * has a variable. */
extern const struct option config_flags[];
extern const unsigned config_flag_count;

/* "DISPLAYD_RATE_LIMIT" */
void option_variable(const struct option *option, char ret_name[static OPTION_NAME_BYTES]);

/* Reads one value unless a stronger source gave one. */
__attribute__((warn_unused_result)) int option_take(struct config *config,
						    enum config_option number, const char *value,
						    struct config_origin origin,
						    struct reason *reterr);

/* Reads config->file. */
__attribute__((warn_unused_result)) int config_read_file(struct config *config,
							 struct reason *reterr);
