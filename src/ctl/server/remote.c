#include "ctl/server/remote.h"
#include "base/clock.h"
#include "ctl/shell/input.h"
#include "http/problem.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	KEY_FILE_BYTES_MAX = 4096,
	KEY_LENGTH_MAX = 256,
	PATIENCE_MS = 120 * 1000,
	CA_FILE_BYTES_MAX = 16 * 1024 * 1024
};

/* Credentials that a command needs over --server. */
enum reach {
	REACH_MACHINE,	     /* not available over --server */
	REACH_NO_SERVER,     /* asks no server */
	REACH_ANY,	     /* a key or a session */
	REACH_KEY,	     /* an API key, or a session, which gets a key */
	REACH_SESSION,	     /* a session */
	REACH_ADMINISTRATOR, /* a session of an administrator */
	REACH_VISITOR,	     /* nothing */
};

/* The first entry counts whose words begin the command's name. */
static const struct {
	const char *words;
	enum reach reach;
} reaches[] = {
    {"account remove", REACH_MACHINE},
    {"account ", REACH_ADMINISTRATOR},
    {"app create", REACH_SESSION},
    {"app deploy", REACH_KEY},
    {"app disable", REACH_ADMINISTRATOR},
    {"app enable", REACH_ADMINISTRATOR},
    {"app list", REACH_KEY},
    {"app new", REACH_NO_SERVER},
    {"app render", REACH_NO_SERVER},
    {"app review", REACH_SESSION},
    {"app show", REACH_KEY},
    {"app types", REACH_NO_SERVER},
    {"app upload", REACH_KEY},
    {"device unalias", REACH_KEY},
    {"device list", REACH_ANY},
    {"device move", REACH_KEY},
    {"device reboot", REACH_KEY},
    {"device show", REACH_ANY},
    {"device update", REACH_ANY},
    {"device ", REACH_SESSION},
    {"installation ", REACH_KEY},
    {"key ", REACH_SESSION},
    {"push", REACH_KEY},
    {"sign-in", REACH_VISITOR},
    {"sign-out", REACH_VISITOR},
    {"version approve", REACH_SESSION},
    {"version list", REACH_KEY},
};

static enum reach reach_of(const struct ctl *ctl)
{
	struct str name = str_from(ctl->command->line.name);

	for (unsigned i = 0; i < array_length(reaches); i++)
		if (str_starts_with(name, str_from(reaches[i].words)))
			return reaches[i].reach;
	return REACH_MACHINE;
}

bool remote_has_session(const struct ctl *ctl)
{
	return ctl->remote && !ctl->remote->key.data && ctl->remote->session.cookies.data;
}

bool remote_has_key_only(const struct ctl *ctl)
{
	return ctl->remote && !remote_has_session(ctl);
}

static bool has_valid_key(const struct session *session)
{
	return session->key.data && session->ends_at_us > clock_wall_us();
}

bool remote_needs_key(const struct ctl *ctl)
{
	return remote_has_session(ctl) && reach_of(ctl) == REACH_KEY &&
	       !has_valid_key(&ctl->remote->session);
}

/* ---- the server ---- */

static struct str without_slash(struct str url)
{
	while (url.length && url.data[url.length - 1] == '/')
		url.length--;
	return url;
}

/* Reads them once: the file may be a pipe. */
static enum ctl_exit read_authorities(struct ctl *ctl, struct remote *remote)
{
	static const char begin[] = "-----BEGIN CERTIFICATE-----";
	const char *path = options_text(&ctl->options, "ca-file");
	struct buffer file;
	enum ctl_exit code;

	if (!path)
		return CTL_DONE;
	code = ctl_read_file("", path, CA_FILE_BYTES_MAX, &file);
	if (code == CTL_DONE &&
	    !(buffer_length(&file) &&
	      memmem(buffer_view(&file).data, buffer_length(&file), begin, sizeof(begin) - 1)))
		code = ctl_fail(CTL_USAGE, "%s contains no certificate in PEM", path);
	if (code == CTL_DONE)
		remote->authorities = arena_copy(&ctl->arena, buffer_view(&file));
	buffer_finish(&file);
	return code;
}

enum ctl_exit remote_use(struct ctl *ctl, struct str url)
{
	struct remote *remote = arena_zalloc(&ctl->arena, sizeof(*remote));
	const char *fault;

	remote->base = arena_copy(&ctl->arena, without_slash(url));
	remote->patience_ms = PATIENCE_MS;
	fault = wire_url_parse(remote->base.data, remote->base.length, &remote->url);
	if (!fault && remote->url.is_websocket)
		fault = "it must begin with https:// or http://";
	if (!fault && remote->url.target_length)
		fault = "it must end after the host or the port";
	if (fault)
		return ctl_fail(CTL_USAGE, "the server's URL %.*s: %s", STR_ARG(url), fault);
	ctl->remote = remote;
	return remote->url.is_tls ? read_authorities(ctl, remote) : CTL_DONE;
}

/* ---- credentials ---- */

static enum ctl_exit take_key(struct ctl *ctl, struct str text, const char *where)
{
	struct str key, rest = text;

	(void)str_next(&rest, '\n', &key);
	while (key.length && (key.data[key.length - 1] == '\r' || key.data[key.length - 1] == ' '))
		key.length--;
	for (size_t i = 0; i < key.length; i++)
		if (key.data[i] <= ' ' || key.data[i] > '~')
			key.length = 0;
	if (key.length == 0 || key.length > KEY_LENGTH_MAX)
		return ctl_fail(CTL_USAGE, "%s contains no API key", where);
	ctl->remote->key = arena_copy(&ctl->arena, key);
	return CTL_DONE;
}

static enum ctl_exit read_key(struct ctl *ctl)
{
	const char *path = options_text(&ctl->options, "key-file");
	const char *variable = getenv("DISPLAYD_API_KEY");
	struct buffer file;
	enum ctl_exit code;

	if (!path)
		return variable && variable[0]
			   ? take_key(ctl, str_from(variable), "DISPLAYD_API_KEY")
			   : CTL_DONE;
	for (unsigned i = 0; i < CTL_POSITIONALS_MAX; i++)
		if (strcmp(path, "-") == 0 && str_equal(ctl->positionals[i], STR("-")))
			return ctl_fail(
			    CTL_USAGE,
			    "standard input cannot be both the API key and another file");
	code = ctl_read_secret_file(path, KEY_FILE_BYTES_MAX, &file);
	if (code == CTL_DONE)
		code = take_key(ctl, buffer_view(&file), path);
	buffer_finish(&file);
	return code;
}

/* Reads the session. If the server has ended it because it was not used, its API key may still be
 * valid, and is used instead. */
static enum ctl_exit read_session(struct ctl *ctl)
{
	struct remote *remote = ctl->remote;
	enum ctl_exit code = session_read(ctl, remote->base, &remote->session);

	if (code != CTL_DONE || !remote->session.cookies.data)
		return code;
	if (remote->session.is_idle && has_valid_key(&remote->session))
		remote->key = remote->session.key;
	return CTL_DONE;
}

static enum ctl_exit check_credentials(struct ctl *ctl, enum reach reach)
{
	const char *name = ctl->command->line.name, *base = ctl->remote->base.data;
	bool is_signed_in = remote_has_session(ctl);

	if (!is_signed_in && !ctl->remote->key.data)
		return ctl_fail(CTL_REFUSED,
				"nobody is signed in at %s: see displayctl sign-in, or give an API "
				"key with --key-file or DISPLAYD_API_KEY",
				base);
	if (reach == REACH_ADMINISTRATOR &&
	    !(is_signed_in && ctl->remote->session.is_administrator))
		return ctl_fail(CTL_REFUSED,
				"%s needs the server's own machine, or the session of an "
				"administrator (displayctl sign-in)",
				name);
	if (reach == REACH_SESSION && !is_signed_in)
		return ctl_fail(CTL_REFUSED,
				"%s needs the server's own machine, or a session (displayctl "
				"sign-in), not an API key",
				name);
	return CTL_DONE;
}

bool remote_is_of_another(const struct ctl *ctl)
{
	struct str account = str_from(options_text(&ctl->options, "account"));

	return remote_has_session(ctl) && account.data &&
	       !str_equal_ignore_case(account, ctl->remote->session.email);
}

/* Rejects --account for another account, except in lists of an administrator. */
static enum ctl_exit check_account(const struct ctl *ctl)
{
	static const char *const lists[] = {"device list", "key list"};
	struct str account = str_from(options_text(&ctl->options, "account"));

	if (!account.data ||
	    (remote_has_session(ctl) && str_equal_ignore_case(account, ctl->remote->session.email)))
		return CTL_DONE;
	for (unsigned i = 0; i < array_length(lists); i++)
		if (remote_has_session(ctl) && ctl->remote->session.is_administrator &&
		    strcmp(ctl->command->line.name, lists[i]) == 0)
			return CTL_DONE;
	return ctl_fail(
	    CTL_REFUSED,
	    "--account works only on the server's machine; --server uses your own account");
}

/* ---- which server ---- */

/* Finds the URL; *ret_url is NULL if there is none. --state-dir and --database override
 * DISPLAYD_SERVER. */
static enum ctl_exit find_url(const struct ctl *ctl, const char **ret_url)
{
	static const char *const others[] = {"state-dir", "database"};
	const char *option = options_text(&ctl->options, "server"),
		   *variable = getenv("DISPLAYD_SERVER");

	*ret_url = option;
	for (unsigned i = 0; i < array_length(others); i++) {
		if (!options_text(&ctl->options, others[i]))
			continue;
		if (option)
			return ctl_fail(CTL_USAGE, "--server and --%s exclude each other",
					others[i]);
		return CTL_DONE;
	}
	if (!option && variable && variable[0])
		*ret_url = variable;
	return CTL_DONE;
}

static enum ctl_exit check_without_server(const struct ctl *ctl)
{
	static const char *const needing[] = {"key-file", "ca-file"};

	for (unsigned i = 0; i < array_length(needing); i++)
		if (options_text(&ctl->options, needing[i]))
			return ctl_fail(CTL_USAGE, "--%s needs --server URL", needing[i]);
	return CTL_DONE;
}

enum ctl_exit remote_read(struct ctl *ctl)
{
	enum reach reach = reach_of(ctl);
	const char *url;
	enum ctl_exit code = find_url(ctl, &url);

	if (code != CTL_DONE || reach == REACH_NO_SERVER)
		return code;
	if (!url && reach == REACH_VISITOR)
		return CTL_DONE;
	if (!url)
		return check_without_server(ctl);
	if (reach == REACH_MACHINE)
		return ctl_fail(
		    CTL_REFUSED, "%s works only on the server's machine, without --server%s",
		    ctl->command->line.name,
		    options_text(&ctl->options, "server") ? "" : ", but DISPLAYD_SERVER is set");
	code = remote_use(ctl, str_from(url));
	if (code != CTL_DONE || reach == REACH_VISITOR)
		return code;
	code = read_key(ctl);
	if (code == CTL_DONE && !ctl->remote->key.data)
		code = read_session(ctl);
	if (code == CTL_DONE)
		code = check_credentials(ctl, reach);
	return code == CTL_DONE ? check_account(ctl) : code;
}

/* ---- requests ---- */

struct server_target remote_target(const struct ctl *ctl)
{
	const struct remote *remote = ctl->remote;

	if (!remote)
		return (struct server_target){.state_dir = ctl->config.state_dir};
	return (struct server_target){.base = remote->base.data,
				      .authority = remote->url.authority,
				      .authorities = remote->authorities,
				      .patience_ms = remote->patience_ms};
}

struct str remote_own_name(struct ctl *ctl)
{
	char host[HOST_NAME_MAX + 1] = "";

	(void)gethostname(host, sizeof(host) - 1);
	return ARENA_JOIN(&ctl->arena, STR("displayctl on "), str_from(host));
}

static struct str user_agent(struct ctl *ctl)
{
	return ARENA_JOIN(&ctl->arena, STR("User-Agent: "), remote_own_name(ctl), STR("\n"));
}

static bool is_by_key(struct str path)
{
	return str_starts_with(path, STR("/v1/"));
}

struct str remote_fields(struct ctl *ctl, struct str path)
{
	const struct remote *remote = ctl->remote;
	struct str key;

	if (!remote)
		return (struct str){0};
	key = remote->key.data ? remote->key : remote->session.key;
	if (is_by_key(path))
		return ARENA_JOIN(&ctl->arena, user_agent(ctl), STR("Authorization: Bearer "), key,
				  STR("\n"));
	/* Send the field that the server requires of browsers: the request does not come from a
	 * page of another site. */
	if (!remote->session.cookies.data)
		return ARENA_JOIN(&ctl->arena, user_agent(ctl),
				  STR("Sec-Fetch-Site: same-origin\n"));
	return ARENA_JOIN(&ctl->arena, user_agent(ctl),
			  STR("Sec-Fetch-Site: same-origin\nCookie: "), remote->session.cookies,
			  STR("\n"));
}

void remote_note_answer(struct ctl *ctl, struct str path)
{
	if (remote_has_session(ctl) && !is_by_key(path))
		session_touch(ctl, ctl->remote->base);
}

enum ctl_exit remote_fail_unknown(const struct ctl *ctl, const char *code, const char *detail)
{
	const struct remote *remote = ctl->remote;

	if (remote->key.data)
		return ctl_fail(CTL_REFUSED, "%s refuses the API key: %s", remote->base.data,
				detail);
	if (strcmp(code, PROBLEM_KEY_INVALID->code) == 0)
		return ctl_fail(CTL_REFUSED,
				"the API key of this session was revoked: see displayctl sign-in");
	if (!remote->session.cookies.data || strcmp(code, PROBLEM_NOT_SIGNED_IN->code) != 0)
		return ctl_fail(CTL_REFUSED, "%s", detail);
	return ctl_fail(CTL_REFUSED, "%.*s is no longer signed in at %s: see displayctl sign-in",
			STR_ARG(remote->session.email), remote->base.data);
}

enum ctl_exit remote_fail_redirect(const struct ctl *ctl, int status, struct str location)
{
	return ctl_fail(CTL_FAILED,
			"%s redirects (%d) to %.*s, which displayctl does not follow; give the "
			"server's own URL with --server",
			ctl->remote->base.data, status, STR_ARG(location));
}
