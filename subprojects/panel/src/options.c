#include "options.h"

#include <ctype.h>
#include <getopt.h>
#include <mbedtls/sha256.h>
#include <stdarg.h>

enum {
	URL_MAX = 1500,
	/* Longer ones the firmware drops without a word (device-link.md). */
	FIRMWARE_URL_LENGTH = 128,
	FIRMWARE_KEY_LENGTH = 64,
	NUMBER_MAX = 86400000,
};

/* The options as they stand on the command line. */
struct reading {
	const char *url;
	const char *poll;
	const char *mac;
	const char *version;
	const char *frames;
	const char *events;
	const char *authorities;
	bool key_in_url;
	bool no_ack;
	bool quiet;
	int64_t exit_after;
	int64_t reconnect_ms;
	int64_t ping_ms;
	int64_t pong_timeout_ms;
};

static const char help_text[] =
    "Usage: displayctl panel --url WEBSOCKET_URL [options]\n"
    "       displayctl panel --poll HTTP_URL [options]\n"
    "\n"
    "Is a panel: speaks the device link as the firmware of a 64x32 LED panel does, and draws\n"
    "what the panel would show in a true-colour terminal of 64x17 characters. Where standard\n"
    "output is no terminal it prints one line per event. Ctrl-C ends it.\n"
    "\n"
    "  --url URL            device URL, ws:// or wss://, with its ?key=\n"
    "  --poll URL           device URL, http:// or https://: one request per picture\n"
    "  --key-in-url         leave key= in the URL, as firmware before 1.6.1 does; otherwise it\n"
    "                       is cut out and sent as \"Authorization: Bearer\"\n"
    "  --no-ack             send no acknowledgements and no client_info, as old firmware and\n"
    "                       other clients do\n"
    "  --ca FILE            certificates (PEM) to trust instead of the system's\n"
    "  --mac MAC            hardware address to report; default: made from the URL\n"
    "  --firmware-version V version to report; default: 1.6.6\n"
    "\n"
    "  --frames DIR         write each change of the screen as NNNNNN-MILLISECONDS.png. The\n"
    "                       colours are the picture's own; at brightness 0 all is black\n"
    "  --events FILE        write all that happens as JSON lines; \"-\" is standard output\n"
    "  --quiet              draw and print nothing\n"
    "\n"
    "For tests:\n"
    "  --exit-after N       end after N pictures were shown\n"
    "  --reconnect-ms N     stay away for N ms after any lost connection or failed request;\n"
    "                       default: as the firmware, 1 s to 5 minutes\n"
    "  --ping-ms N          between pings; default 10000\n"
    "  --pong-timeout-ms N  reconnect when no pong came for so long; default 120000\n"
    "  --help               this text\n";

__attribute__((format(printf, 1, 2))) static bool wrong(const char *format, ...)
{
	va_list args;

	fputs("displayctl panel: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return false;
}

static bool read_number(const char *name, const char *text, int64_t min, int64_t *ret_value)
{
	int64_t value = 0;

	for (const char *c = text; *c; c++) {
		if (!isdigit((unsigned char)*c) || value > NUMBER_MAX) {
			value = -1;
			break;
		}
		value = value * 10 + (*c - '0');
	}
	if (!*text || value < min || value > NUMBER_MAX)
		return wrong("--%s wants a number from %lld to %d, not \"%s\"", name,
			     (long long)min, NUMBER_MAX, text);
	*ret_value = value;
	return true;
}

static bool read_command_line(int argc, char **argv, struct reading *reading, bool *ret_help)
{
	const struct {
		const char *name;
		const char **text;
		bool *flag;
		int64_t *number;
		int64_t min;
	} options[] = {
	    {"url", .text = &reading->url},
	    {"poll", .text = &reading->poll},
	    {"mac", .text = &reading->mac},
	    {"firmware-version", .text = &reading->version},
	    {"frames", .text = &reading->frames},
	    {"events", .text = &reading->events},
	    {"ca", .text = &reading->authorities},
	    {"key-in-url", .flag = &reading->key_in_url},
	    {"no-ack", .flag = &reading->no_ack},
	    {"quiet", .flag = &reading->quiet},
	    {"help", .flag = ret_help},
	    {"exit-after", .number = &reading->exit_after, .min = 1},
	    {"reconnect-ms", .number = &reading->reconnect_ms},
	    {"ping-ms", .number = &reading->ping_ms, .min = 1},
	    {"pong-timeout-ms", .number = &reading->pong_timeout_ms, .min = 1},
	};
	enum { COUNT = sizeof(options) / sizeof(options[0]) };
	struct option long_options[COUNT + 1] = {0};
	int index;

	for (int i = 0; i < COUNT; i++)
		long_options[i] = (struct option){
		    options[i].name, options[i].flag ? no_argument : required_argument, NULL, i};
	optind = 0; /* argv is not the process's own, and may be read twice */
	opterr = 0;
	while ((index = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (index == '?')
			return wrong("unknown option or missing value: %s; see --help",
				     argv[optind - 1]);
		if (index == 'h')
			*ret_help = true;
		else if (options[index].text)
			*options[index].text = optarg;
		else if (options[index].flag)
			*options[index].flag = true;
		else if (!read_number(options[index].name, optarg, options[index].min,
				      options[index].number))
			return false;
	}
	return optind == argc || *ret_help || wrong("unexpected \"%s\"; see --help", argv[optind]);
}

const char *panel_options_parse_url(const char *text, bool key_in_url, struct link_config *ret_link)
{
	struct wire_url *url = &ret_link->url;
	const char *fault = "it is too long";
	char query[URL_MAX + 1];
	char bare[LINK_TARGET_MAX];
	char *separator;
	char *rest = query;
	const char *piece;
	int used;

	if (strlen(text) < URL_MAX)
		fault = wire_url_parse(text, strlen(text), url);
	if (fault)
		return fault;
	snprintf(ret_link->target, sizeof(ret_link->target), "%s%s",
		 url->target[0] == '/' ? "" : "/", url->target);
	ret_link->bearer[0] = '\0';
	snprintf(query, sizeof(query), "%s", ret_link->target);
	separator = strchr(query, '?');
	rest = separator ? separator + 1 : NULL;
	if (separator)
		*separator = '\0';
	used = snprintf(bare, sizeof(bare), "%s", query);
	for (char mark = '?'; (piece = strsep(&rest, "&"));) {
		if (strncmp(piece, "key=", 4) == 0) {
			snprintf(ret_link->bearer, sizeof(ret_link->bearer), "%s", piece + 4);
			continue;
		}
		used += snprintf(bare + used, sizeof(bare) - (size_t)used, "%c%s", mark, piece);
		mark = '&';
	}
	snprintf(ret_link->shown, sizeof(ret_link->shown), "%s://%s%s", url->scheme, url->authority,
		 bare);
	if (key_in_url)
		ret_link->bearer[0] = '\0';
	else
		memcpy(ret_link->target, bare, sizeof(bare));
	return NULL;
}

static bool read_url(const struct reading *reading, struct link_config *link)
{
	const char *text = reading->url ? reading->url : reading->poll;
	const char *fault;

	if (!reading->url == !reading->poll)
		return wrong("one of --url and --poll is needed; see --help");
	fault = panel_options_parse_url(text, reading->key_in_url, link);
	if (fault)
		return wrong("%s: %s", reading->url ? "--url" : "--poll", fault);
	if (reading->url && !link->url.is_websocket)
		return wrong("--url wants ws:// or wss://; for an http URL there is --poll");
	if (reading->poll && link->url.is_websocket)
		return wrong("--poll wants http:// or https://; for a WebSocket there is --url");
	if (strlen(text) > FIRMWARE_URL_LENGTH || strlen(link->bearer) > FIRMWARE_KEY_LENGTH)
		wrong("warning: real panels drop a URL of more than %d or a key of more than %d "
		      "characters",
		      FIRMWARE_URL_LENGTH, FIRMWARE_KEY_LENGTH);
	return true;
}

/* Goes into a header and into JSON as it stands. */
static bool check_version(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._+-", text[i]))
			return wrong("--firmware-version has letters, digits and ._+- only");
	return (length > 0 && length <= 64) || wrong("--firmware-version has 1 to 64 characters");
}

/* Lower case with colons; without --mac, a locally administered one that stays the same for a URL.
 */
static bool make_mac(const char *given, const char *url, char ret_mac[static 18])
{
	uint8_t hash[32];

	if (!given) {
		mbedtls_sha256((const uint8_t *)url, strlen(url), hash, 0);
		snprintf(ret_mac, 18, "02:%02x:%02x:%02x:%02x:%02x", hash[0], hash[1], hash[2],
			 hash[3], hash[4]);
		return true;
	}
	for (size_t i = 0; i <= 17; i++) {
		char c = (char)tolower((unsigned char)given[i]);
		bool fits = i == 17	 ? c == '\0'
			    : i % 3 == 2 ? c == ':'
					 : isxdigit((unsigned char)c) != 0;

		if (!fits)
			return wrong("--mac wants the form 24:0a:c4:12:34:56");
		ret_mac[i] = c;
	}
	return true;
}

enum options_result panel_options_parse(int argc, char **argv, struct panel_options *ret_options)
{
	struct reading reading = {
	    .version = "1.6.6",
	    .reconnect_ms = -1,
	    .ping_ms = LINK_PING_MS,
	    .pong_timeout_ms = LINK_PONG_TIMEOUT_MS,
	};
	bool help = false;

	if (!read_command_line(argc, argv, &reading, &help))
		return OPTIONS_WRONG;
	if (help) {
		fputs(help_text, stdout);
		return OPTIONS_HELP;
	}
	*ret_options = (struct panel_options){
	    .no_ack = reading.no_ack,
	    .quiet = reading.quiet,
	    .frames = reading.frames,
	    .events = reading.events,
	    .authorities_file = reading.authorities,
	    .exit_after = (uint64_t)reading.exit_after,
	    .link = {.firmware_version = reading.version,
		     .retry_ms = reading.reconnect_ms,
		     .ping_ms = (uint64_t)reading.ping_ms,
		     .pong_timeout_ms = (uint64_t)reading.pong_timeout_ms},
	};
	return check_version(reading.version) && read_url(&reading, &ret_options->link) &&
		       make_mac(reading.mac, ret_options->link.shown, ret_options->mac)
		   ? OPTIONS_RUN
		   : OPTIONS_WRONG;
}
