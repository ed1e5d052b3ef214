#include "options.h"
#include "complaint.h"

#include <ctype.h>
#include <errno.h>
#include <mbedtls/sha256.h>
#include <stdlib.h>

enum {
	URL_MAX = 1500,
	/* The firmware drops longer URLs silently. */
	FIRMWARE_URL_LENGTH = 128,
	FIRMWARE_KEY_LENGTH = 64,
	NUMBER_MAX = 86400000,
};

/* The text goes into a header and into JSON unescaped. */
static int check_version(char *text, struct options_error *reterr)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._+-", text[i]))
			return options_error_set(reterr,
						 "may contain only letters, digits and ._+-");
	return length > 0 && length <= 64
		   ? 0
		   : options_error_set(reterr, "must have 1 to 64 characters");
}

/* Checks a MAC address and makes it lower case. */
static int check_mac(char *text, struct options_error *reterr)
{
	for (size_t i = 0; i <= 17; i++) {
		char c = (char)tolower((unsigned char)text[i]);
		bool fits = i == 17	 ? c == '\0'
			    : i % 3 == 2 ? c == ':'
					 : isxdigit((unsigned char)c) != 0;

		if (!fits)
			return options_error_set(reterr, "must have the form 24:0a:c4:12:34:56");
		text[i] = c;
	}
	return 0;
}

#define INTO(member) OPTION_INTO(struct panel_options, member)

static const struct option table[] = {
    OPTION(TEXT, "url", "URL", "Device URL, ws:// or wss://, with its ?key="),
    OPTION(TEXT, "poll", "URL", "Device URL, http:// or https://: one request per picture."),
    OPTION(TEXT, "url-file", "FILE",
	   "File whose first line is the device URL, of either kind. Keeps the key out of the "
	   "shell's history and the list of processes. /dev/stdin works, too."),
    OPTION(SWITCH, "key-in-url", NULL,
	   "Leave key= in the URL, like firmware before 1.6.1, instead of sending it as "
	   "\"Authorization: Bearer\"."),
    OPTION(SWITCH, "no-ack", NULL,
	   "Send no acknowledgements and no client_info, like old firmware and other clients.",
	   INTO(no_ack)),
    OPTION(TEXT, "ca", "FILE", "Certificates (PEM) to trust instead of the system's.",
	   INTO(authorities_file)),
    OPTION(TEXT, "mac", "MAC", "Hardware address to report. Default: made from the URL.",
	   .check = check_mac),
    OPTION(TEXT, "firmware-version", "V", "Version to report.", .fallback = "1.6.6",
	   .check = check_version, INTO(link.firmware_version)),
    OPTION(TEXT, "frames", "DIR",
	   "Write each change of the screen to NNNNNN-MILLISECONDS.png, in the picture's own "
	   "colours; black at brightness 0.",
	   INTO(frames)),
    OPTION(TEXT, "events", "FILE", "Write all events as JSON lines; \"-\" is standard output.",
	   INTO(events)),
    OPTION(SWITCH, "quiet", NULL, "Draw and print nothing.", INTO(quiet)),
    OPTION(SWITCH, "help", NULL, "Show this text and exit."),
    OPTION(NUMBER, "exit-after", "N", "Stop after N pictures.", .heading = "For tests:", .least = 1,
	   .most = NUMBER_MAX, INTO(exit_after)),
    OPTION(NUMBER, "reconnect-ms", "N",
	   "Wait N ms after a lost connection or a failed request. Default: like the firmware, 1 s "
	   "to 5 minutes.",
	   .most = NUMBER_MAX, INTO(link.retry_ms)),
    OPTION(NUMBER, "ping-ms", "N", "Time between pings.", .fallback = "10000", .least = 1,
	   .most = NUMBER_MAX, INTO(link.ping_ms)),
    OPTION(NUMBER, "pong-timeout-ms", "N", "Reconnect if no pong arrives for this time.",
	   .fallback = "120000", .least = 1, .most = NUMBER_MAX, INTO(link.pong_timeout_ms)),
    {0},
};

static const struct option_set set = {
    .program = "displayctl panel",
    .intro =
	"usage: displayctl panel --url WEBSOCKET_URL [OPTION...]\n"
	"       displayctl panel --poll HTTP_URL [OPTION...]\n"
	"       displayctl panel --url-file FILE [OPTION...]\n"
	"\n"
	"Acts as a panel: speaks the device link like the firmware of an LED panel, and "
	"draws\n"
	"what the panel would show in a true-colour terminal of 64x17 characters. If standard\n"
	"output is not a terminal, it prints one line per event. Ctrl-C stops it.\n"
	"Without a URL option, the variable DISPLAYD_PANEL_URL is used.\n"
	"Connects through the proxy of the variables http_proxy, https_proxy and no_proxy, if "
	"set.\n"
	"\n",
    .options = table,
    .takes_empty = true,
};

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

/* Reads the file's first line. */
static int read_url_file(const char *path, char text[static URL_MAX + 1],
			 struct options_error *reterr)
{
	FILE *file = fopen(path, "re");
	bool has_line;

	if (!file)
		return options_error_set(reterr, "--url-file: %s: %s", path, strerror(errno));
	has_line = fgets(text, URL_MAX + 1, file) != NULL;
	fclose(file);
	if (!has_line)
		return options_error_set(reterr, "--url-file: %s is empty", path);
	text[strcspn(text, "\r\n")] = '\0';
	return 0;
}

static int read_url(struct panel_options *options, struct options_error *reterr)
{
	const char *url = options_text(&options->given, "url");
	const char *poll = options_text(&options->given, "poll");
	const char *path = options_text(&options->given, "url-file");
	const char *text = url ? url : poll;
	struct link_config *link = &options->link;
	char line[URL_MAX + 1] = "";
	const char *fault;

	if (!url + !poll + !path < 2)
		return options_error_set(reterr, "--url, --poll and --url-file exclude each other");
	if (path && read_url_file(path, line, reterr) < 0)
		return -1;
	if (!text)
		text = path ? line : getenv("DISPLAYD_PANEL_URL");
	if (!text)
		return options_error_set(
		    reterr, "one of --url, --poll and --url-file is needed; see --help");
	fault = panel_options_parse_url(
	    text, options_find_given(&options->given, "key-in-url") != NULL, link);
	if (fault)
		return options_error_set(reterr, "%s: %s",
					 url	? "--url"
					 : poll ? "--poll"
					 : path ? "--url-file"
						: "DISPLAYD_PANEL_URL",
					 fault);
	if (url && !link->url.is_websocket)
		return options_error_set(
		    reterr, "--url must start with ws:// or wss://; for an http URL, use --poll");
	if (poll && link->url.is_websocket)
		return options_error_set(
		    reterr,
		    "--poll must start with http:// or https://; for a WebSocket, use --url");
	if (strlen(text) > FIRMWARE_URL_LENGTH || strlen(link->bearer) > FIRMWARE_KEY_LENGTH)
		complain("warning: real panels drop a URL of more than %d or a key of more than %d "
			 "characters",
			 FIRMWARE_URL_LENGTH, FIRMWARE_KEY_LENGTH);
	return 0;
}

/* Without --mac, chooses a locally administered address that is always the same for a URL. */
static void choose_mac(struct panel_options *options)
{
	const char *given = options_text(&options->given, "mac"), *url = options->link.shown;
	uint8_t hash[32];

	mbedtls_sha256((const uint8_t *)url, strlen(url), hash, 0);
	snprintf(options->mac, sizeof(options->mac), "02:%02x:%02x:%02x:%02x:%02x", hash[0],
		 hash[1], hash[2], hash[3], hash[4]);
	if (given)
		snprintf(options->mac, sizeof(options->mac), "%s", given);
}

enum options_result panel_options_parse(int argc, char **argv, struct panel_options *ret_options)
{
	struct options *given = &ret_options->given;
	struct options_error why;
	int rc;

	*ret_options = (struct panel_options){.link.retry_ms = -1};
	options_init(given, &set);
	rc = options_read_arguments(given, argc, argv, &why);
	if (rc == 0 && options_find_given(given, "help")) {
		options_print_help(&set, NULL, stdout);
		return OPTIONS_HELP;
	}
	if (rc == 0)
		rc = options_apply(given, ret_options, &why);
	if (rc == 0)
		rc = read_url(ret_options, &why);
	if (rc < 0) {
		complain("%s", why.text);
		return OPTIONS_WRONG;
	}
	choose_mac(ret_options);
	return OPTIONS_RUN;
}

void panel_options_finish(struct panel_options *options)
{
	options_finish(&options->given);
}
