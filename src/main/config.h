/* Configuration: flags override variables, which override the configuration file, which overrides
 * the defaults.
 *
 *   --rate-limit 100      DISPLAYD_RATE_LIMIT=100      rate-limit = 100
 *
 * If no file is named and the state directory is the service's, the service's file is used.
 *
 * The table of settings is in config.c; subprojects/options reads it. */
#pragma once

#include "base/log.h"
#include "main/listen_socket.h"
#include "options/options.h"
#include "web/registration.h"

enum {
	CONFIG_LISTEN_MAX = 16, /* addresses of each option */
	/* --listen, --tls-listen, --admin-listen, and that of the state directory */
	CONFIG_LISTENERS_MAX = 3 * CONFIG_LISTEN_MAX + 1,
	CONFIG_CORS_ORIGINS_MAX = 16,
	CONFIG_FRAME_ORIGINS_MAX = 16,
	CONFIG_EGRESS_MAX = 64,
	CONFIG_WORKERS_MAX = 256,
	CONFIG_PANEL_STAY_MAX = 24 * 60 * 60,
	/* Two generations of workers, one of which retires: see main/children.h. */
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
	struct options options;				    /* everything that was read; texts lie
							       in it */
	const char *state_dir;				    /* absolute */
	struct listen_address listen[CONFIG_LISTENERS_MAX]; /* public ones first, the private socket
							       last */
	unsigned listen_count;
	uint32_t workers;
	struct option_list tls_certificates; /* as many as tls_keys; none: no TLS */
	struct option_list tls_keys;
	struct option_list cors_origins;  /* none: no cross-origin requests */
	struct option_list frame_origins; /* origins whose pages may frame /panel */
	struct option_list trusted;	  /* trusted proxies: see http/proxies.h */
	const char *secret_key_file;	  /* NULL: the one in the state directory */
	const char *metrics_token_file;	  /* NULL: metrics only on the admin listener */
	const char *database;		  /* NULL: the embedded cluster */
	const char *public_url; /* without a slash at its end; NULL: made from the first listener */
	uint32_t rate_limit;	/* requests a second per key; 0: no rate limit at all */
	uint32_t panel_stay_s;	/* least age of a panel's WebSocket that is ended; 0: never */
	uint32_t renderers; /* processes of a kind in each worker, see render/engines.h; 0: none */
	const char *mqtt_url;		 /* NULL: no account gets a broker by the settings */
	const char *mqtt_account;	 /* e-mail address, with mqtt_url */
	const char *mqtt_username;	 /* NULL: none */
	const char *mqtt_password_file;	 /* NULL: none */
	const char *oidc;		 /* URL of the issuer; NULL: no sign-in by one */
	const char *oidc_client;	 /* ID, with oidc */
	const char *oidc_name;		 /* shown to people, with oidc */
	const char *oidc_secret_file;	 /* NULL: the client has no secret */
	struct option_list egress_allow; /* what apps may reach in addition to public addresses */
	enum sandbox_mode sandbox;
	enum log_format log_format;
	enum log_level log_level;
	bool access_log;
	bool admin_access_log;
	enum web_registration registration;
	bool first_link;
	bool plain_http_sign_in;
	bool session_pooler; /* a pooler in session mode may be before the database */
};

extern const struct option_set config_set;

/* Reads flags, variables, file. argv as passed to main(). If neither flag nor variable names the
 * file, it is SYSCONFDIR/displayd/displayd.conf for STATE_DIR_OF_SERVICE, if it exists; a state-dir
 * in it is ignored, as with the service's unit. Returns 0, or -1 with a reason that names the flag,
 * the variable, or the file and its line. May be called again at any time, for another struct. Call
 * config_finish() in either case. */
__attribute__((warn_unused_result)) int
config_read(struct config *ret_config, int argc, char *const argv[], struct options_error *reterr);
/* Works as config_read(), with another configuration file; NULL: the one that flags and variables
 * name.
 */
__attribute__((warn_unused_result)) int config_read_with(struct config *ret_config,
							 const char *file, int argc,
							 char *const argv[],
							 struct options_error *reterr);
void config_finish(struct config *config);

/* Checks an address or a network that apps may reach. */
option_check config_check_egress;

/* Writes a hash, as text, of the settings that a running instance cannot change. */
enum { CONFIG_FIXED_BYTES = 65 };
void config_hash_fixed(const struct config *config, char ret_text[static CONFIG_FIXED_BYTES]);

/* Writes the settings from the configuration file as such a file. Returns false if that fails. */
bool config_write_file(const struct config *config, FILE *out);

/* Whether the configuration file is the service's. */
bool config_is_of_service(const struct config *config);

/* Returns the number of workers at a time, and of slots in their shared memory: twice the
 * configured number. New workers use one half, old workers the other. */
unsigned config_worker_slots(const struct config *config);
