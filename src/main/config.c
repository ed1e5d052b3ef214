#include "main/config.h"
#include "base/hex.h"
#include "base/memory.h"
#include "http/proxies.h"
#include "http/tls.h"
#include "main/config_database.h"
#include "main/config_mqtt.h"
#include "main/config_oidc.h"
#include "main/config_url.h"
#include "main/state_dir.h"

#include <errno.h>
#include <sched.h>
#include <sodium.h>
#include <text/address.h>
#include <unistd.h>

/* Path at which the build installs displayd.conf. */
#define CONFIG_SERVICE_FILE DISPLAYD_SYSCONFDIR "/displayd/displayd.conf"

static int check_proxy(char *value, struct options_error *reterr)
{
	struct network network;

	if (network_read(value, &network))
		return 0;
	return options_error_set(reterr, "must be an address, a network such as 10.0.0.0/8 with no "
					 "bit set after its prefix, or unix");
}

int config_check_egress(char *value, struct options_error *reterr)
{
	struct network network;

	if (network_read(value, &network) && !network.is_unix)
		return 0;
	return options_error_set(
	    reterr,
	    "must be an address, or a network such as 10.0.0.0/8 with no bit set after its prefix");
}

#define INTO(member) OPTION_INTO(struct config, member)

static const struct option settings[] = {
    OPTION(SWITCH, "check-config", NULL,
	   "Check the configuration and the files it names, print each setting as a line of a "
	   "configuration file with its source, and exit.",
	   .argument_only = true),
    OPTION(SWITCH, "check-upgrade", NULL,
	   "Print what a running displayd must know before this program replaces it, and exit. See "
	   "displayctl upgrade.",
	   .argument_only = true),
    OPTION(TEXT, "config", "FILE",
	   "Read settings from FILE: lines of \"name = value\" with the names of the flags below. "
	   "A comment is a line of its own that begins with \"#\".",
	   .argument_only = true),
    OPTION(SWITCH, "help", NULL, "Show this text and exit.", .argument_only = true),
    OPTION(SWITCH, "version", NULL, "Show the version and exit.", .argument_only = true),
    OPTION(ON_OFF, "access-log", "on|off", "Log each request.",
	   .heading = "Settings:", .fallback = "on", INTO(access_log)),
    OPTION(ON_OFF, "admin-access-log", "on|off",
	   "Log requests of the admin listeners, too. Monitors send one every few seconds.",
	   .fallback = "off", INTO(admin_access_log)),
    OPTION(LIST, "admin-listen", "ADDRESS",
	   "Address to listen on for the operator alone, for /livez, /readyz and /metrics, written "
	   "as for --listen. Use one that nobody else can reach. May be given several times. "
	   "Default: none.",
	   .absent = "(none)", .most = CONFIG_LISTEN_MAX),
    OPTION(LIST, "cors-origin", "ORIGIN",
	   "Origin whose pages may call the API, such as https://panels.example.org. May be given "
	   "several times. Default: none.",
	   .absent = "(none)", .most = CONFIG_CORS_ORIGINS_MAX, .check = config_check_origin,
	   INTO(cors_origins)),
    OPTION(TEXT, "database", "URL",
	   "PostgreSQL 15 to 17 to use: postgresql://USER@HOST/NAME or \"host=... dbname=...\". "
	   "Default: a private one that displayd creates and runs in the state directory.",
	   .absent = "(embedded, in the state directory)", .check = config_check_database,
	   .show = config_show_database, INTO(database)),
    OPTION(LIST, "egress-allow", "CIDR",
	   "Address or network, besides public ones, that apps may reach, and webhooks and MQTT "
	   "connections of marked accounts: 192.168.1.7 or 10.0.0.0/8. May be given several times. "
	   "Default: none.",
	   .absent = "(none)", .most = CONFIG_EGRESS_MAX, .check = config_check_egress,
	   INTO(egress_allow)),
    OPTION(ON_OFF, "first-link", "on|off",
	   "Log a one-time link that makes the first account, while there is none.",
	   .fallback = "on", INTO(first_link)),
    OPTION(LIST, "listen", "ADDRESS",
	   "Address to listen on: ADDR:PORT, [ADDR]:PORT, unix:PATH, or :PORT or [::]:PORT for all "
	   "addresses of IPv4 and IPv6. Put proxy: before it if proxies use the PROXY protocol, "
	   "version 1 or 2 (proxy:127.0.0.1:8081). May be given several times. Default: "
	   "127.0.0.1:8080, or none if --tls-listen is given.",
	   .absent = "(none)", .most = CONFIG_LISTEN_MAX),
    OPTION(CHOICE, "log-format", "logfmt|json", "Format of the log lines on stderr.",
	   .fallback = "logfmt", INTO(log_format)),
    OPTION(CHOICE, "log-level", "debug|info|warn|error", "Lowest level of log lines to write.",
	   .fallback = "info", INTO(log_level)),
    OPTION(PATH, "metrics-token-file", "FILE",
	   "File with a token for reading /metrics on the public listeners, too: one line of 32 or "
	   "more characters, such as \"openssl rand -hex 32\" writes. Default: none; /metrics is "
	   "on the admin listeners alone.",
	   .absent = "(none)", INTO(metrics_token_file)),
    OPTION(TEXT, "mqtt", "URL",
	   "MQTT broker of --mqtt-account: mqtt://HOST[:PORT], or mqtts://HOST[:PORT] for TLS. Its "
	   "address need not be public. Default: none; accounts set their own.",
	   .absent = "(none)", .check = config_check_mqtt, INTO(mqtt_url)),
    OPTION(TEXT, "mqtt-account", "EMAIL", "Account whose devices are on the broker of --mqtt.",
	   .absent = "(none)", INTO(mqtt_account)),
    OPTION(PATH, "mqtt-password-file", "FILE",
	   "File with the password of --mqtt-username, as one line.", .absent = "(none)",
	   INTO(mqtt_password_file)),
    OPTION(TEXT, "mqtt-username", "NAME", "User name at the broker of --mqtt.", .absent = "(none)",
	   INTO(mqtt_username)),
    OPTION(TEXT, "oidc", "URL",
	   "Issuer of OpenID Connect by which people can sign in, such as "
	   "https://id.example.org/realms/home. With http only on this machine. Apps reach no more "
	   "by it: "
	   "for an address at home, --egress-allow is needed, too. Default: none.",
	   .absent = "(none)", .check = config_check_oidc, INTO(oidc)),
    OPTION(TEXT, "oidc-client", "ID", "ID of this server at the issuer of --oidc.",
	   .absent = "(none)", INTO(oidc_client)),
    OPTION(TEXT, "oidc-name", "NAME", "Name of the issuer, shown on the page that signs in.",
	   .fallback = "your identity provider", INTO(oidc_name)),
    OPTION(PATH, "oidc-secret-file", "FILE",
	   "File with the secret of --oidc-client, as one line. Default: the client has none.",
	   .absent = "(none)", INTO(oidc_secret_file)),
    OPTION(LIST, "panel-frame", "ORIGIN",
	   "Origin whose pages may show the page /panel in a frame, such as "
	   "http://home.example.org:8123. May be given several times. Default: none.",
	   .absent = "(none)", .most = CONFIG_FRAME_ORIGINS_MAX, .check = config_check_origin,
	   INTO(frame_origins)),
    OPTION(NUMBER, "panel-stay", "SECONDS",
	   "Least age of a panel's WebSocket that is ended so that the panel goes to an instance "
	   "with fewer panels. 0: none is ended. Without other instances it means nothing.",
	   .most = CONFIG_PANEL_STAY_MAX, .fallback = "300", INTO(panel_stay_s)),
    OPTION(ON_OFF, "plain-http-sign-in", "on|off",
	   "Let people sign in even if the public URL is plain http and not on this machine. "
	   "Others on the network can then read passwords.",
	   .fallback = "off", INTO(plain_http_sign_in)),
    OPTION(TEXT, "public-url", "URL",
	   "Start of the URLs that the server hands out, such as https://panels.example.org. "
	   "Default: made from the first listener.",
	   .absent = "(made from the first listener)", .check = config_check_public_url,
	   INTO(public_url)),
    OPTION(NUMBER, "rate-limit", "N", "Requests per second and key; 0 turns all rate limits off.",
	   .most = CONFIG_RATE_MAX, .fallback = "500", INTO(rate_limit)),
    OPTION(NUMBER, "renderers", "N",
	   "Apps that each worker renders at the same time, each in a sandboxed process of its "
	   "own, plus one for previews. 0: no app is rendered.",
	   .most = CONFIG_RENDERERS_MAX, .fallback = "1", INTO(renderers)),
    OPTION(CHOICE, "registration", "open|invite|closed",
	   "Who can make an account in the web application: anybody, people with an invitation, or "
	   "nobody.",
	   .fallback = "invite", INTO(registration)),
    OPTION(CHOICE, "sandbox", "required|best-effort",
	   "Workers and apps run in a sandbox of several layers. If the kernel or the container "
	   "lacks one: refuse to start, or run without it. The log lists the active layers.",
	   .fallback = "best-effort", INTO(sandbox)),
    OPTION(
	PATH, "secret-key-file", "FILE",
	"File with the key that encrypts secret settings of apps, such as passwords: 64 "
	"hexadecimal digits, as \"openssl rand -hex 32\" writes them. All instances on one "
	"database need the same key. Default: one in the state directory, made at the first start.",
	.absent = "(secret-key in the state directory)", INTO(secret_key_file)),
    OPTION(ON_OFF, "session-pooler", "on|off",
	   "Allow a session pooler such as PgBouncer in front of the database. If off, displayd "
	   "does not start behind one.",
	   .fallback = "off", INTO(session_pooler)),
    OPTION(PATH, "state-dir", "DIR",
	   "Directory for all data of the server. Default: /var/lib/displayd for root, else "
	   "displayd in $XDG_STATE_HOME or ~/.local/state.",
	   INTO(state_dir)),
    OPTION(LIST, "tls-certificate", "FILE",
	   "Certificate for --tls-listen, in PEM form, followed by its intermediate certificates. "
	   "May be given several times, each with its --tls-key: clients get the certificate of "
	   "the name they ask for, or else the first. SIGHUP reloads them.",
	   .absent = "(none)", .most = HTTP_TLS_PAIRS_MAX, INTO(tls_certificates)),
    OPTION(LIST, "tls-key", "FILE",
	   "Key of the certificate, in PEM form and not encrypted. May be the same file.",
	   .absent = "(none)", .most = HTTP_TLS_PAIRS_MAX, INTO(tls_keys)),
    OPTION(LIST, "tls-listen", "ADDRESS",
	   "Address to listen on for TLS, written as for --listen. May be given several times. "
	   "Default: none.",
	   .absent = "(none)", .most = CONFIG_LISTEN_MAX),
    OPTION(LIST, "trust-proxy", "CIDR",
	   "Proxy, or network of proxies, whose X-Forwarded-For, Forwarded and PROXY headers are "
	   "trusted: 10.0.0.0/8, ::1, or unix for all clients of unix sockets. May be given "
	   "several times. Default: none.",
	   .absent = "(none)", .most = HTTP_PROXIES_MAX, .check = check_proxy, INTO(trusted)),
    OPTION(NUMBER, "workers", "N", "Worker processes. Default: one for each core.", .least = 1,
	   .most = CONFIG_WORKERS_MAX, INTO(workers)),
    {0},
};

const struct option_set config_set = {
    .program = "displayd",
    .intro = "displayd - a server for 64x32 LED panels\n\nusage: displayd [OPTION...]\n\n",
    .notes =
	"\nEach setting has a variable (--rate-limit: DISPLAYD_RATE_LIMIT) and a line in the\n"
	"configuration file (rate-limit = 500). Flags win over variables, variables over the\n"
	"file. DISPLAYD_CONFIG names the file like --config. If neither is given, the file of\n"
	"the service, " CONFIG_SERVICE_FILE ", is read if the state\n"
	"directory is " STATE_DIR_OF_SERVICE ". DISPLAYD_LISTEN may hold several addresses,\n"
	"separated by commas. Empty variables count as not set.\n\n"
	"SIGTERM and Ctrl-C finish open requests, then stop displayd; a second one stops it at\n"
	"once. SIGHUP reloads the configuration without losing a request. SIGUSR2 replaces\n"
	"displayd by the installed program: see displayctl upgrade.\n\n"
	"Exit codes: 0 stopped as requested, 1 failed, 2 invalid configuration, 3 cannot listen,\n"
	"4 state directory unusable or in use, 5 no database, 6 a migration failed,\n"
	"7 the database is newer than this displayd, 8 workers crash before they are ready,\n"
	"9 PostgreSQL is not installed in a version that fits.\n",
    .variable_prefix = "DISPLAYD_",
    .options = settings,
};

static void set_defaults(struct options *options)
{
	char *state_dir = state_dir_default(), workers[16];
	int count = 1;
	cpu_set_t cores;

	options_set_default(options, "state-dir", state_dir);
	free(state_dir);
	if (sched_getaffinity(0, sizeof(cores), &cores) == 0)
		count = CPU_COUNT(&cores);
	snprintf(workers, sizeof(workers), "%d",
		 count < CONFIG_WORKERS_MAX ? count : CONFIG_WORKERS_MAX);
	options_set_default(options, "workers", workers);
}

static enum config_action find_action(const struct options *options)
{
	static const char *const names[] = {
	    [ACTION_CHECK_CONFIG] = "check-config",
	    [ACTION_CHECK_UPGRADE] = "check-upgrade",
	    [ACTION_HELP] = "help",
	    [ACTION_VERSION] = "version",
	};
	enum config_action action = ACTION_RUN;

	for (unsigned i = ACTION_CHECK_CONFIG; i < array_length(names); i++)
		if (options_find_given(options, names[i]))
			action = (enum config_action)i;
	return action;
}

static const char *without_proxy(const char *address)
{
	return strncmp(address, "proxy:", 6) == 0 ? address + 6 : address;
}

/* Port 0 lets the kernel choose, so the same address may be listed again. */
static bool is_listed(const struct config *config, const char *text)
{
	const char *port = strrchr(text, ':');

	for (unsigned i = 0; i < config->listen_count; i++)
		if (strcmp(without_proxy(config->listen[i].text), without_proxy(text)) == 0)
			return !port || strcmp(port, ":0") != 0;
	return false;
}

/* Reads the addresses in the option of this name, for listeners of that role. */
static int read_listen(struct config *config, const char *name, enum http_role role,
		       struct options_error *reterr)
{
	const struct options *options = &config->options;
	const struct option_given *best = options_find_given(options, name);

	for (unsigned i = 0; best && i < options->given_count; i++) {
		const struct option_given *given = &options->given[i];
		struct listen_address *address = &config->listen[config->listen_count];
		struct reason why;

		if (given->option != best->option || given->source != best->source)
			continue;
		if (is_listed(config, given->value))
			return options_blame(options, given, reterr, "is given twice");
		if (listen_address_parse(str_from(given->value), address, &why) < 0)
			return options_blame(options, given, reterr, "%s", why.text);
		if (address->expects_proxy_header && config->trusted.count == 0)
			return options_blame(options, given, reterr,
					     "expects proxies: name them with --trust-proxy");
		address->role = role;
		address->is_tls = strcmp(name, "tls-listen") == 0;
		address->scheme = address->is_tls ? "https" : "http";
		config->listen_count++;
	}
	return 0;
}

/* may_be_given: the service manager gives sockets to this program, or to another one that reads the
 * same file. */
static int check_tls(const struct config *config, bool may_be_given, struct options_error *reterr)
{
	const struct options *options = &config->options;
	const struct option_given *listen = options_find_given(options, "tls-listen");
	const struct option_given *certificate = options_find_given(options, "tls-certificate");
	const struct option_given *key = options_find_given(options, "tls-key");

	if (listen && !certificate)
		return options_blame(options, listen, reterr,
				     "needs a --tls-certificate and its --tls-key");
	if (certificate && !listen && !may_be_given)
		return options_blame(options, certificate, reterr, "needs a --tls-listen");
	if (config->tls_certificates.count == config->tls_keys.count)
		return 0;
	return options_blame(options, certificate ? certificate : key, reterr,
			     "is given %u times, but --tls-key %u times: each certificate needs "
			     "its key, in the same order",
			     config->tls_certificates.count, config->tls_keys.count);
}

/* Adds the private socket, through which displayctl acts as operator. */
static int listen_in_state_dir(struct config *config, struct options_error *reterr)
{
	struct listen_address *address = &config->listen[config->listen_count];
	const size_t length_max =
	    sizeof(address->address.local.sun_path) - sizeof("/" STATE_DIR_SOCKET);
	char text[sizeof(address->text)];
	struct reason why;

	if (strlen(config->state_dir) > length_max)
		return options_error_set(
		    reterr,
		    "the state directory %s has a path of %zu characters, maximum %zu because of "
		    "its socket; choose a shorter --state-dir",
		    config->state_dir, strlen(config->state_dir), length_max);
	snprintf(text, sizeof(text), "unix:%s/%s", config->state_dir, STATE_DIR_SOCKET);
	if (listen_address_parse(str_from(text), address, &why) < 0)
		return options_error_set(reterr,
					 "the state directory %s cannot contain a socket: %s",
					 config->state_dir, why.text);
	for (unsigned i = 0; i < config->listen_count; i++)
		if (listen_address_is_same(&config->listen[i], address))
			return options_error_set(
			    reterr, "%s is reserved for the socket of displayctl", text);
	address->role = HTTP_ROLE_OPERATOR;
	address->is_private = true;
	config->listen_count++;
	return 0;
}

int config_read(struct config *ret_config, int argc, char *const argv[],
		struct options_error *reterr)
{
	return config_read_with(ret_config, NULL, argc, argv, reterr);
}

/* Compares without a slash at the end. */
static bool is_service_state(const char *state_dir)
{
	size_t length = strlen(STATE_DIR_OF_SERVICE);

	return strncmp(state_dir, STATE_DIR_OF_SERVICE, length) == 0 &&
	       strspn(state_dir + length, "/") == strlen(state_dir + length);
}

/* Applies the command line of the service's unit. Every program that works on the service's state
 * must find the file: else it would back up another database, or miss the key. */
static int find_service_file(struct options *options, const char **ret_file,
			     struct options_error *reterr)
{
	static char program[] = "displayd", state_dir[] = "--state-dir=" STATE_DIR_OF_SERVICE;
	char *const as_unit[] = {program, state_dir, NULL};

	/* An unreadable file counts, too: it is reported like any other. */
	if (!is_service_state(options_text(options, "state-dir")) ||
	    (access(CONFIG_SERVICE_FILE, F_OK) < 0 && errno == ENOENT))
		return 0;
	*ret_file = CONFIG_SERVICE_FILE;
	return options_read_arguments(options, 2, as_unit, reterr);
}

int config_read_with(struct config *ret_config, const char *other_file, int argc,
		     char *const argv[], struct options_error *reterr)
{
	struct options *options = &ret_config->options;
	const char *file = getenv("DISPLAYD_CONFIG");
	bool is_of_service = false;

	*ret_config = (struct config){0};
	options_init(options, &config_set);
	set_defaults(options);
	if (options_read_arguments(options, argc, argv, reterr) < 0)
		return -1;
	ret_config->action = find_action(options);
	if (ret_config->action >= ACTION_HELP)
		return 0;
	options_read_variables(options);
	if (options_find_given(options, "config"))
		file = options_text(options, "config");
	if (!file || !file[0]) {
		if (find_service_file(options, &file, reterr) < 0)
			return -1;
		is_of_service = file && file[0];
	}
	if (other_file)
		file = other_file;
	if (file && file[0] && options_read_file(options, file, reterr) < 0)
		return -1;
	if (!options_find_given(options, "tls-listen"))
		options_set_default(options, "listen", "127.0.0.1:8080");
	if (options_apply(options, ret_config, reterr) < 0)
		return -1;
	is_of_service |= ret_config->action == ACTION_CHECK_CONFIG;
	if (check_tls(ret_config, is_of_service || getenv("LISTEN_FDS"), reterr) < 0)
		return -1;
	if (config_check_mqtt_settings(ret_config, reterr) < 0 ||
	    config_check_oidc_settings(ret_config, reterr) < 0)
		return -1;
	if (read_listen(ret_config, "listen", HTTP_ROLE_PUBLIC, reterr) < 0)
		return -1;
	if (read_listen(ret_config, "tls-listen", HTTP_ROLE_PUBLIC, reterr) < 0)
		return -1;
	if (read_listen(ret_config, "admin-listen", HTTP_ROLE_ADMIN, reterr) < 0)
		return -1;
	listen_address_share_port(ret_config->listen, ret_config->listen_count);
	return listen_in_state_dir(ret_config, reterr);
}

void config_finish(struct config *config)
{
	options_finish(&config->options);
	*config = (struct config){0};
}

bool config_is_of_service(const struct config *config)
{
	return config->options.file && strcmp(config->options.file, CONFIG_SERVICE_FILE) == 0;
}

unsigned config_worker_slots(const struct config *config)
{
	return 2 * config->workers;
}

static void add_text(crypto_generichash_state *state, const char *text)
{
	const char *known = text ? text : "";

	crypto_generichash_update(state, (const unsigned char *)known, strlen(known) + 1);
}

void config_hash_fixed(const struct config *config, char ret_text[static CONFIG_FIXED_BYTES])
{
	unsigned char hash[(CONFIG_FIXED_BYTES - 1) / 2];
	crypto_generichash_state state;
	char numbers[64];

	snprintf(numbers, sizeof(numbers), "%u %d %d", config->workers, config->sandbox,
		 config->renderers > 0);
	crypto_generichash_init(&state, NULL, 0, sizeof(hash));
	add_text(&state, config->state_dir);
	add_text(&state, config->database);
	add_text(&state, config->secret_key_file);
	add_text(&state, numbers);
	crypto_generichash_final(&state, hash, sizeof(hash));
	hex_encode(hash, sizeof(hash), ret_text);
	ret_text[CONFIG_FIXED_BYTES - 1] = 0;
}

bool config_write_file(const struct config *config, FILE *out)
{
	const struct options *options = &config->options;

	for (unsigned i = 0; i < options->given_count; i++)
		if (options->given[i].source == OPTION_FILE)
			fprintf(out, "%s = %s\n", options->given[i].option->name,
				options->given[i].value);
	return !ferror(out);
}
