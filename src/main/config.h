/* Configuration: flags win over variables, which win over the configuration file, which wins over
 * the defaults.
 *
 *   --rate-limit 100      DISPLAYD_RATE_LIMIT=100      rate-limit = 100
 *
 * The table of settings is in config.c; subprojects/options reads it. */
#pragma once

#include "base/log.h"
#include "main/listen_socket.h"
#include "options/options.h"
#include "web/registration.h"

enum {
	CONFIG_LISTEN_MAX = 16, /* of each option */
	/* --listen, --tls-listen, --admin-listen, and that of the state directory */
	CONFIG_LISTENERS_MAX = 3 * CONFIG_LISTEN_MAX + 1,
	CONFIG_CORS_ORIGINS_MAX = 16,
	CONFIG_WORKERS_MAX = 256,
	CONFIG_RATE_MAX = 1000000,
	CONFIG_PUBLIC_URL_BYTES = 200,
};

/* Of several that are asked for, the last one of these is done. */
enum config_action {
	ACTION_RUN,
	ACTION_CHECK_CONFIG,
	ACTION_HELP,
	ACTION_VERSION,
};

/* What happens where the kernel lacks a layer of the workers' seal: see main/seal.h. */
enum sandbox_mode { SANDBOX_REQUIRED, SANDBOX_BEST_EFFORT };

struct config {
	enum config_action action;
	struct options options; /* all that was read; texts lie in it */
	const char *state_dir;	/* absolute */
	struct listen_address listen[2 * CONFIG_LISTEN_MAX]; /* public ones first */
	unsigned listen_count;
	uint32_t workers;
	struct option_list tls_certificates; /* with tls_keys as many; none: no TLS */
	struct option_list tls_keys;
	struct option_list cors_origins; /* none: no cross-origin requests */
	struct option_list trusted;	 /* proxies: see http/proxies.h */
	const char *secret_key_file;	 /* NULL: the one in the state directory */
	const char *metrics_token_file;	 /* NULL: metrics are for the admin listener alone */
	const char *database;		 /* NULL: the embedded cluster */
	const char *public_url; /* without a slash at its end; NULL: made from the first listener */
	uint32_t rate_limit;	/* requests a second per key; 0: no rate limit at all */
	enum sandbox_mode sandbox;
	enum log_format log_format;
	enum log_level log_level;
	bool access_log;
	enum web_registration registration;
	bool plain_http_sign_in;
	bool session_pooler; /* may stand before the database */
};

extern const struct option_set config_set;

/* Reads flags, variables, file. argv as main() got it. 0, or -1 with a reason that names the flag,
 * the variable, or the file and its line. It can be called again at any time, for another struct.
 * config_finish() it in either case. */
__attribute__((warn_unused_result)) int
config_read(struct config *ret_config, int argc, char *const argv[], struct options_error *reterr);
void config_finish(struct config *config);
