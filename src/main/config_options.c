#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "main/config_option.h"

#include <ctype.h>
#include <libpq-fe.h>
#include <limits.h>
#include <unistd.h>

static void replace(char **text, const char *value)
{
	free(*text);
	*text = memory_strdup(value);
}

static int parse_number(const char *value, unsigned least, unsigned most, uint32_t *ret,
			struct reason *reterr)
{
	unsigned long long number;

	if (!str_to_uint64(str_from(value), most, &number) || number < least)
		return reason_set(reterr, "must be a number from %u to %u", least, most);
	*ret = (uint32_t)number;
	return 0;
}

static int parse_access_log(struct config *config, const char *value, struct reason *reterr)
{
	config->access_log = strcmp(value, "on") == 0;
	return config->access_log || strcmp(value, "off") == 0
		   ? 0
		   : reason_set(reterr, "must be on or off");
}

static void show_access_log(const struct config *config, struct buffer *text)
{
	buffer_append_str(text, config->access_log ? STR("on") : STR("off"));
}

static int parse_cors_origin(struct config *config, const char *value, struct reason *reterr)
{
	struct str origin = str_from(value), host;

	if (str_starts_with(origin, STR("https://")))
		host = str_from_offset(origin, 8);
	else if (str_starts_with(origin, STR("http://")))
		host = str_from_offset(origin, 7);
	else
		return reason_set(reterr, "must start with http:// or https://");
	/* Browsers send it in this form and no other: it is compared byte for byte. */
	for (size_t i = 0; i < host.length; i++)
		if (!islower((unsigned char)host.data[i]) &&
		    !isdigit((unsigned char)host.data[i]) && !strchr(".-:[]", host.data[i]))
			return reason_set(reterr, "must be an origin such as "
						  "https://panels.example.org, in lower case and "
						  "without a path");
	if (host.length == 0)
		return reason_set(reterr, "has no host");
	if (config->cors_origin_count == CONFIG_CORS_ORIGINS_MAX)
		return reason_set(reterr, "can be given %d times at most", CONFIG_CORS_ORIGINS_MAX);
	config->cors_origins[config->cors_origin_count++] = memory_strdup(value);
	return 0;
}

static void show_cors_origin(const struct config *config, struct buffer *text)
{
	if (config->cors_origin_count == 0)
		buffer_append_str(text, STR("(none)"));
	for (unsigned i = 0; i < config->cors_origin_count; i++)
		buffer_printf(text, "%s%s", i ? " " : "", config->cors_origins[i]);
}

static void clear_cors_origin(struct config *config)
{
	while (config->cors_origin_count > 0)
		free(config->cors_origins[--config->cors_origin_count]);
}

static int parse_database(struct config *config, const char *value, struct reason *reterr)
{
	char *complaint = NULL;
	PQconninfoOption *parsed = PQconninfoParse(value, &complaint);

	if (!parsed) {
		/* libpq's text may quote the value, and so a password. */
		PQfreemem(complaint);
		return reason_set(reterr, "must be a PostgreSQL URL (postgresql://USER@HOST/NAME) "
					  "or a list such as \"host=... dbname=...\"");
	}
	PQconninfoFree(parsed);
	replace(&config->database, value);
	return 0;
}

static void show_database(const struct config *config, struct buffer *text)
{
	PQconninfoOption *parsed;
	const char *space = "";

	if (!config->database) {
		buffer_append_str(text, STR("(embedded, in the state directory)"));
		return;
	}
	parsed = PQconninfoParse(config->database, NULL);
	for (const PQconninfoOption *one = parsed; one && one->keyword; one++) {
		/* libpq marks with "*" what is to be hidden in a dialogue. */
		if (!one->val)
			continue;
		buffer_printf(text, "%s%s=%s", space, one->keyword,
			      one->dispchar[0] == '*' ? "****" : one->val);
		space = " ";
	}
	PQconninfoFree(parsed);
}

/* Port 0: the kernel chooses one, so the same address can be had again. */
static bool asks_for_any_port(const char *value)
{
	const char *port = strrchr(value, ':');

	return port && strcmp(port, ":0") == 0;
}

static int parse_listen(struct config *config, const char *value, struct reason *reterr)
{
	if (config->listen_count == CONFIG_LISTEN_MAX)
		return reason_set(reterr, "can be given %d times at most", CONFIG_LISTEN_MAX);
	if (listen_address_parse(str_from(value), &config->listen[config->listen_count], reterr) <
	    0)
		return -1;
	for (unsigned i = 0; i < config->listen_count; i++)
		if (strcmp(config->listen[i].text, value) == 0 && !asks_for_any_port(value))
			return reason_set(reterr, "is given twice");
	config->listen_count++;
	return 0;
}

static void show_listen(const struct config *config, struct buffer *text)
{
	for (unsigned i = 0; i < config->listen_count; i++)
		buffer_printf(text, "%s%s", i ? " " : "", config->listen[i].text);
}

static void clear_listen(struct config *config)
{
	config->listen_count = 0;
}

static int parse_log_format(struct config *config, const char *value, struct reason *reterr)
{
	bool json = strcmp(value, "json") == 0;

	config->log_format = json ? LOG_FORMAT_JSON : LOG_FORMAT_LOGFMT;
	return json || strcmp(value, "logfmt") == 0 ? 0
						    : reason_set(reterr, "must be logfmt or json");
}

static void show_log_format(const struct config *config, struct buffer *text)
{
	buffer_append_str(text,
			  config->log_format == LOG_FORMAT_JSON ? STR("json") : STR("logfmt"));
}

static const char *const log_levels[] = {
    [LOG_DEBUG] = "debug", [LOG_INFO] = "info", [LOG_WARN] = "warn", [LOG_ERROR] = "error"};

static int parse_log_level(struct config *config, const char *value, struct reason *reterr)
{
	for (unsigned i = 0; i < array_length(log_levels); i++) {
		if (strcmp(value, log_levels[i]) != 0)
			continue;
		config->log_level = (enum log_level)i;
		return 0;
	}
	return reason_set(reterr, "must be debug, info, warn or error");
}

static void show_log_level(const struct config *config, struct buffer *text)
{
	buffer_append_str(text, str_from(log_levels[config->log_level]));
}

static int parse_public_url(struct config *config, const char *value, struct reason *reterr)
{
	struct str url = str_from(value), host;

	if (str_starts_with(url, STR("https://")))
		host = str_from_offset(url, 8);
	else if (str_starts_with(url, STR("http://")))
		host = str_from_offset(url, 7);
	else
		return reason_set(reterr, "must start with http:// or https://");
	if (host.length == 0 || host.data[0] == '/' || host.data[0] == ':')
		return reason_set(reterr, "has no host");
	if (url.length > CONFIG_PUBLIC_URL_BYTES)
		return reason_set(reterr, "is longer than %d characters", CONFIG_PUBLIC_URL_BYTES);
	for (size_t i = 0; i < host.length; i++)
		if (host.data[i] <= ' ' || host.data[i] > '~' ||
		    strchr("\"<>\\^`{|}", host.data[i]))
			return reason_set(reterr, "holds a character that no URL has");
	if (memchr(host.data, '?', host.length) || memchr(host.data, '#', host.length) ||
	    memchr(host.data, '@', host.length))
		return reason_set(reterr, "must have neither a user, nor a query, nor a fragment");
	replace(&config->public_url, value);
	while (url.length > 0 && value[url.length - 1] == '/')
		config->public_url[--url.length] = 0;
	return 0;
}

static void show_public_url(const struct config *config, struct buffer *text)
{
	buffer_append_str(text, config->public_url ? str_from(config->public_url)
						   : STR("(made from the first listener)"));
}

static int parse_rate_limit(struct config *config, const char *value, struct reason *reterr)
{
	return parse_number(value, 0, CONFIG_RATE_MAX, &config->rate_limit, reterr);
}

static void show_rate_limit(const struct config *config, struct buffer *text)
{
	buffer_printf(text, "%u%s", config->rate_limit, config->rate_limit ? "" : " (off)");
}

static int parse_state_dir(struct config *config, const char *value, struct reason *reterr)
{
	char folder[PATH_MAX], path[PATH_MAX];

	if (value[0] == '/') {
		replace(&config->state_dir, value);
		return 0;
	}
	if (!getcwd(folder, sizeof(folder)) ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, value) >= sizeof(path))
		return reason_set(reterr, "cannot be made an absolute path");
	replace(&config->state_dir, path);
	return 0;
}

static void show_state_dir(const struct config *config, struct buffer *text)
{
	buffer_append_str(text, str_from(config->state_dir));
}

static int parse_workers(struct config *config, const char *value, struct reason *reterr)
{
	return parse_number(value, 1, CONFIG_WORKERS_MAX, &config->workers, reterr);
}

static void show_workers(const struct config *config, struct buffer *text)
{
	buffer_printf(text, "%u", config->workers);
}

const struct option config_settings[OPTION_COUNT] = {
    [OPTION_ACCESS_LOG] = {.name = "access-log",
			   .argument = "on|off",
			   .help = "One log line a request. Default: on.",
			   .parse = parse_access_log,
			   .show = show_access_log},
    [OPTION_CORS_ORIGIN] = {.name = "cors-origin",
			    .argument = "ORIGIN",
			    .help = "An origin whose pages may call the API, such as\n"
				    "https://panels.example.org. May be given several times.\n"
				    "Default: none.",
			    .parse = parse_cors_origin,
			    .show = show_cors_origin,
			    .clear = clear_cors_origin},
    [OPTION_DATABASE] = {.name = "database",
			 .argument = "URL",
			 .help = "PostgreSQL 15 to 17 to use: postgresql://USER@HOST/NAME or\n"
				 "\"host=... dbname=...\". Default: a private one that displayd\n"
				 "makes and runs inside the state directory.",
			 .parse = parse_database,
			 .show = show_database},
    [OPTION_LISTEN] = {.name = "listen",
		       .argument = "ADDRESS",
		       .help = "Where to listen: ADDR:PORT, [ADDR]:PORT or unix:PATH. May be\n"
			       "given several times. Default: 127.0.0.1:8080.",
		       .parse = parse_listen,
		       .show = show_listen,
		       .clear = clear_listen},
    [OPTION_LOG_FORMAT] = {.name = "log-format",
			   .argument = "logfmt|json",
			   .help = "Form of the log lines on stderr. Default: logfmt.",
			   .parse = parse_log_format,
			   .show = show_log_format},
    [OPTION_LOG_LEVEL] = {.name = "log-level",
			  .argument = "LEVEL",
			  .help = "debug, info, warn or error. Default: info.",
			  .parse = parse_log_level,
			  .show = show_log_level},
    [OPTION_PUBLIC_URL] = {.name = "public-url",
			   .argument = "URL",
			   .help = "What URLs that are handed out start with, such as\n"
				   "https://panels.example.org. Default: the first listener.",
			   .parse = parse_public_url,
			   .show = show_public_url},
    [OPTION_RATE_LIMIT] = {.name = "rate-limit",
			   .argument = "N",
			   .help = "Requests a second per key; 0 turns all rate limits off.\n"
				   "Default: 500.",
			   .parse = parse_rate_limit,
			   .show = show_rate_limit},
    [OPTION_STATE_DIR] = {.name = "state-dir",
			  .argument = "DIR",
			  .help = "Where everything is kept. Default: /var/lib/displayd for root,\n"
				  "else displayd in $XDG_STATE_HOME or ~/.local/state.",
			  .parse = parse_state_dir,
			  .show = show_state_dir},
    [OPTION_WORKERS] = {.name = "workers",
			.argument = "N",
			.help = "Worker processes. Default: one for each core.",
			.parse = parse_workers,
			.show = show_workers},
};

const struct option config_flags[] = {
    {.name = "check-config",
     .help = "Check the configuration, show each setting and where it comes\n"
	     "from, and exit.",
     .action = ACTION_CHECK_CONFIG},
    {.name = "config",
     .argument = "FILE",
     .help = "Read settings from FILE: lines of \"name = value\" with the names\n"
	     "of the flags below, and comments behind \"#\" at a line's start."},
    {.name = "help", .help = "Show this text and exit.", .action = ACTION_HELP},
    {.name = "version", .help = "Show the version and exit.", .action = ACTION_VERSION},
};
const unsigned config_flag_count = array_length(config_flags);

void option_variable(const struct option *option, char ret_name[static OPTION_NAME_BYTES])
{
	size_t length = (size_t)snprintf(ret_name, OPTION_NAME_BYTES, "DISPLAYD_%s", option->name);

	for (size_t i = 0; i < length; i++)
		ret_name[i] = ret_name[i] == '-' ? '_' : (char)toupper((unsigned char)ret_name[i]);
}
