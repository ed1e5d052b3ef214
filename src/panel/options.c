#include "options.h"

#include "link.h"

#include <ctype.h>
#include <getopt.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>

enum panel_option {
	OPTION_URL = 256,
	OPTION_POLL,
	OPTION_KEY_IN_URL,
	OPTION_NO_ACK,
	OPTION_MAC,
	OPTION_FIRMWARE_VERSION,
	OPTION_CA,
	OPTION_FRAMES,
	OPTION_EVENTS,
	OPTION_QUIET,
	OPTION_EXIT_AFTER,
	OPTION_RECONNECT_MS,
	OPTION_PING_MS,
	OPTION_PONG_TIMEOUT_MS,
};

static const struct option options[] = {
    {"url", required_argument, NULL, OPTION_URL},
    {"poll", required_argument, NULL, OPTION_POLL},
    {"key-in-url", no_argument, NULL, OPTION_KEY_IN_URL},
    {"no-ack", no_argument, NULL, OPTION_NO_ACK},
    {"mac", required_argument, NULL, OPTION_MAC},
    {"firmware-version", required_argument, NULL, OPTION_FIRMWARE_VERSION},
    {"ca", required_argument, NULL, OPTION_CA},
    {"frames", required_argument, NULL, OPTION_FRAMES},
    {"events", required_argument, NULL, OPTION_EVENTS},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"exit-after", required_argument, NULL, OPTION_EXIT_AFTER},
    {"reconnect-ms", required_argument, NULL, OPTION_RECONNECT_MS},
    {"ping-ms", required_argument, NULL, OPTION_PING_MS},
    {"pong-timeout-ms", required_argument, NULL, OPTION_PONG_TIMEOUT_MS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
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

struct reading {
	struct panel_options *options;
	const char *url;
	const char *poll_url;
	const char *mac;
	bool key_in_url;
};

static bool read_number(const char *name, const char *text, uint64_t min, uint64_t *ret_value)
{
	unsigned long long value;

	if (!str_to_uint64(str_from(text), 86400000, &value) || value < min)
		return wrong("--%s wants a number from %llu to 86400000, not \"%s\"", name,
			     (unsigned long long)min, text);
	*ret_value = value;
	return true;
}

/* Goes into a header and into JSON as it stands. */
static bool read_version(const char *text, const char **ret_version)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._+-", text[i]))
			return wrong("--firmware-version has letters, digits and ._+- only");
	if (length == 0 || length > 64)
		return wrong("--firmware-version has 1 to 64 characters");
	*ret_version = text;
	return true;
}

static bool read_numeric_option(struct panel_options *result, int option)
{
	uint64_t retry_ms = 0;

	switch (option) {
	case OPTION_EXIT_AFTER:
		return read_number("exit-after", optarg, 1, &result->exit_after);
	case OPTION_PING_MS:
		return read_number("ping-ms", optarg, 1, &result->ping_ms);
	case OPTION_PONG_TIMEOUT_MS:
		return read_number("pong-timeout-ms", optarg, 1, &result->pong_timeout_ms);
	default:
		if (!read_number("reconnect-ms", optarg, 0, &retry_ms))
			return false;
		result->retry_ms = (int64_t)retry_ms;
		return true;
	}
}

static bool read_option(struct reading *reading, int option)
{
	struct panel_options *result = reading->options;

	switch (option) {
	case OPTION_URL:
		reading->url = optarg;
		return true;
	case OPTION_POLL:
		reading->poll_url = optarg;
		return true;
	case OPTION_KEY_IN_URL:
		return reading->key_in_url = true;
	case OPTION_NO_ACK:
		return result->no_ack = true;
	case OPTION_MAC:
		reading->mac = optarg;
		return true;
	case OPTION_FIRMWARE_VERSION:
		return read_version(optarg, &result->firmware_version);
	case OPTION_CA:
		result->ca_file = optarg;
		return true;
	case OPTION_FRAMES:
		result->frames = optarg;
		return true;
	case OPTION_EVENTS:
		result->events = optarg;
		return true;
	case OPTION_QUIET:
		return result->quiet = true;
	default:
		return read_numeric_option(result, option);
	}
}

static bool read_url(struct reading *reading)
{
	struct panel_options *result = reading->options;
	const char *text = reading->url ? reading->url : reading->poll_url;
	const char *name = reading->url ? "--url" : "--poll";
	const char *fault;
	bool is_web_socket;

	if (!reading->url == !reading->poll_url)
		return wrong("one of --url and --poll is needed; see --help");
	fault = panel_url_parse(text, reading->key_in_url, &result->url);
	if (fault)
		return wrong("%s: %s", name, fault);
	is_web_socket = result->url.scheme == PANEL_WS || result->url.scheme == PANEL_WSS;
	result->polling = !reading->url;
	if (!result->polling && !is_web_socket)
		return wrong("--url wants ws:// or wss://; for an http URL there is --poll");
	if (result->polling && is_web_socket)
		return wrong("--poll wants http:// or https://; for a WebSocket there is --url");
	if (strlen(text) > PANEL_URL_FIRMWARE_LENGTH ||
	    strlen(result->url.bearer) > PANEL_KEY_FIRMWARE_LENGTH)
		wrong("warning: real panels drop a URL of more than %d or a key of more than %d "
		      "characters",
		      PANEL_URL_FIRMWARE_LENGTH, PANEL_KEY_FIRMWARE_LENGTH);
	return true;
}

/* Lower case with colons; without --mac, a locally administered one that stays the same for a URL.
 */
static bool make_mac(struct reading *reading)
{
	char *mac = reading->options->mac;
	uint8_t hash[crypto_hash_sha256_BYTES];
	const char *url = reading->options->url.shown;

	if (!reading->mac) {
		crypto_hash_sha256(hash, (const uint8_t *)url, strlen(url));
		snprintf(mac, 18, "02:%02x:%02x:%02x:%02x:%02x", hash[0], hash[1], hash[2], hash[3],
			 hash[4]);
		return true;
	}
	for (size_t i = 0; i <= 17; i++) {
		char c = (char)tolower((unsigned char)reading->mac[i]);
		bool fits = i == 17	 ? c == '\0'
			    : i % 3 == 2 ? c == ':'
					 : isxdigit((unsigned char)c) != 0;

		if (!fits)
			return wrong("--mac wants the form 24:0a:c4:12:34:56");
		mac[i] = c;
	}
	return true;
}

enum options_result panel_options_parse(int argc, char **argv, struct panel_options *ret_options)
{
	struct reading reading = {.options = ret_options};
	int option;

	*ret_options = (struct panel_options){
	    .firmware_version = "1.6.6",
	    .retry_ms = -1,
	    .ping_ms = LINK_PING_MS,
	    .pong_timeout_ms = LINK_PONG_TIMEOUT_MS,
	};
	optind = 0; /* argv is not the process's own, and may be read twice */
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help_text, stdout);
			return OPTIONS_HELP;
		}
		if (option == '?') {
			wrong("unknown option or missing value: %s; see --help", argv[optind - 1]);
			return OPTIONS_WRONG;
		}
		if (!read_option(&reading, option))
			return OPTIONS_WRONG;
	}
	if (optind < argc) {
		wrong("unexpected \"%s\"; see --help", argv[optind]);
		return OPTIONS_WRONG;
	}
	return read_url(&reading) && make_mac(&reading) ? OPTIONS_RUN : OPTIONS_WRONG;
}
