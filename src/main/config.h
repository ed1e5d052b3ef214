/* Configuration: flags win over variables, which win over the configuration file, which wins over
 * the defaults.
 *
 *   --rate-limit 100      DISPLAYD_RATE_LIMIT=100      rate-limit = 100
 *
 * One table (config_options.c) says of each option its name, from which the variable's and the
 * file's are made, its help text, and how it is read and shown. */
#pragma once

#include "base/buffer.h"
#include "base/log.h"
#include "main/listener.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	CONFIG_LISTEN_MAX = 16,
	CONFIG_CORS_ORIGINS_MAX = 16,
	CONFIG_WORKERS_MAX = 256,
	CONFIG_RATE_MAX = 1000000,
	CONFIG_FILE_BYTES_MAX = 64 * 1024,
	CONFIG_PUBLIC_URL_BYTES = 200,
};

enum config_option {
	OPTION_ACCESS_LOG,
	OPTION_CORS_ORIGIN,
	OPTION_DATABASE,
	OPTION_LISTEN,
	OPTION_LOG_FORMAT,
	OPTION_LOG_LEVEL,
	OPTION_PUBLIC_URL,
	OPTION_RATE_LIMIT,
	OPTION_STATE_DIR,
	OPTION_WORKERS,
	OPTION_COUNT,
};

enum config_action {
	ACTION_RUN,
	ACTION_CHECK_CONFIG,
	ACTION_HELP,
	ACTION_VERSION,
};

/* Later ones win. */
enum config_source { SOURCE_DEFAULT, SOURCE_FILE, SOURCE_VARIABLE, SOURCE_FLAG };

struct config_origin {
	enum config_source source;
	unsigned line; /* in the file */
};

struct config {
	enum config_action action;
	char *file;	 /* NULL: none */
	char *state_dir; /* absolute */
	struct listen_address listen[CONFIG_LISTEN_MAX];
	unsigned listen_count;
	unsigned workers;
	char *cors_origins[CONFIG_CORS_ORIGINS_MAX];
	unsigned cors_origin_count; /* 0: no cross-origin requests */
	char *database;		    /* NULL: the embedded cluster */
	char *public_url;    /* without a slash at its end; NULL: made from the first listener */
	uint32_t rate_limit; /* requests a second per key; 0: no rate limit at all */
	enum log_format log_format;
	enum log_level log_level;
	bool access_log;
	struct config_origin origins[OPTION_COUNT];
};

/* Reads flags, variables, file. argv as main() got it. 0, or -1 with a reason that names the flag,
 * the variable, or the file and its line. config_finish() it in either case. */
__attribute__((warn_unused_result)) int config_read(struct config *ret_config, int argc,
						    char *const argv[], struct reason *reterr);
void config_finish(struct config *config);

/* --help, --check-config: whole texts. No secret is in them. */
void config_print_help(struct buffer *text);
void config_print(const struct config *config, struct buffer *text);
