/* Configuration: flags win over variables, which win over the configuration file, which wins over
 * the defaults.
 *
 *   --rate-limit 100      DISPLAYD_RATE_LIMIT=100      rate-limit = 100
 *
 * If no file is named and the state directory is the service's, the file is the service's, too.
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
	CONFIG_FRAME_ORIGINS_MAX = 16,
	CONFIG_EGRESS_MAX = 64,
	CONFIG_WORKERS_MAX = 256,
	/* Two generations of workers, of which one retires: see main/children.h. */
	CONFIG_WORKER_SLOTS_MAX = 2 * CONFIG_WORKERS_MAX,
	CONFIG_RATE_MAX = 1000000,
	CONFIG_RENDERERS_MAX = 16,
	CONFIG_PUBLIC_URL_BYTES = 200,
};

/* Actions of displayd. If several are requested, the last of these is done. */
enum config_action {
	ACTION_RUN,
	ACTION_CHECK_CONFIG,
	ACTION_CHECK_UPGRADE, /* see main/upgrade_check.h */
	ACTION_HELP,
	ACTION_VERSION,
};

/* Behaviour if the kernel lacks a layer of the workers' sandbox: see main/worker_sandbox.h. */
enum sandbox_mode { SANDBOX_REQUIRED, SANDBOX_BEST_EFFORT };

struct config {
	enum config_action action;
	struct options options;				    /* all that was read; texts lie in it */
	const char *state_dir;				    /* absolute */
	struct listen_address listen[CONFIG_LISTENERS_MAX]; /* public ones first, our own last */
	unsigned listen_count;
	uint32_t workers;
	struct option_list tls_certificates; /* with tls_keys as many; none: no TLS */
	struct option_list tls_keys;
	struct option_list cors_origins;  /* none: no cross-origin requests */
	struct option_list frame_origins; /* whose pages may frame /panel */
	struct option_list trusted;	  /* proxies: see http/proxies.h */
	const char *secret_key_file;	  /* NULL: the one in the state directory */
	const char *metrics_token_file;	  /* NULL: metrics are for the admin listener alone */
	const char *database;		  /* NULL: the embedded cluster */
	const char *public_url; /* without a slash at its end; NULL: made from the first listener */
	uint32_t rate_limit;	/* requests a second per key; 0: no rate limit at all */
	uint32_t renderers;	/* of a kind in each worker, see render/engines.h; 0: none */
	const char *mqtt_url;	/* NULL: no account has its broker from here */
	const char *mqtt_account;	 /* e-mail address, with mqtt_url */
	const char *mqtt_username;	 /* NULL: none */
	const char *mqtt_password_file;	 /* likewise */
	struct option_list egress_allow; /* what apps reach beside public addresses */
	enum sandbox_mode sandbox;
	enum log_format log_format;
	enum log_level log_level;
	bool access_log;
	bool admin_access_log;
	enum web_registration registration;
	bool first_link;
	bool plain_http_sign_in;
	bool session_pooler; /* may stand before the database */
};

extern const struct option_set config_set;

/* Reads flags, variables, file. argv as main() got it. If neither names the file, it is
 * SYSCONFDIR/displayd/displayd.conf for STATE_DIR_OF_SERVICE, if there is one; a state-dir in it
 * does not count, as with the service's unit. 0, or -1 with a reason that names the flag, the
 * variable, or the file and its line. It can be called again at any time, for another struct.
 * config_finish() it in either case. */
__attribute__((warn_unused_result)) int
config_read(struct config *ret_config, int argc, char *const argv[], struct options_error *reterr);
/* The same with another configuration file; NULL: the one that flags and variables name. */
__attribute__((warn_unused_result)) int config_read_with(struct config *ret_config,
							 const char *file, int argc,
							 char *const argv[],
							 struct options_error *reterr);
void config_finish(struct config *config);

/* A hash, as text, of the settings that no running instance can change. */
enum { CONFIG_FIXED_BYTES = 65 };
void config_hash_fixed(const struct config *config, char ret_text[static CONFIG_FIXED_BYTES]);

/* The settings that came from the configuration file, as one. False if it cannot be written. */
bool config_write_file(const struct config *config, FILE *out);

/* Whether the configuration file is the service's. */
bool config_is_of_service(const struct config *config);

/* Number of workers at a time, and of slots in their shared memory: twice as many as are
 * configured. New workers use one half, the old workers the other. */
unsigned config_worker_slots(const struct config *config);
