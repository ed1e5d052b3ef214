/* displayctl sign-in, sign-out: sessions as in browsers. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/problem.h"
#include "ctl/server/remote.h"
#include "ctl/shell/input.h"
#include "ctl/shell/prompt.h"

#include <stdlib.h>
#include <unistd.h>

/* Prints what of a session is not secret. */
static enum ctl_exit print_session(struct ctl *ctl, const struct session *session)
{
	return ctl_print_members(
	    ctl, CTL_MEMBERS(ctl_text("server", session->server), ctl_text("email", session->email),
			     ctl_flag("isAdministrator", session->is_administrator)));
}

static enum ctl_exit find_email(struct ctl *ctl, struct str *ret_email)
{
	*ret_email = ctl_value(ctl, "email");
	return ret_email->data
		   ? CTL_DONE
		   : ctl_ask_line(ctl, "E-mail address", false, "--email EMAIL", ret_email);
}

/* Reads the password from --password-file or the terminal. is_new: it must be typed twice. */
static enum ctl_exit find_password(struct ctl *ctl, bool is_new, struct str *ret_password)
{
	static const char otherwise[] = "--password-file FILE";
	const char *path = options_text(&ctl->options, "password-file");
	struct str again = {0};
	enum ctl_exit code;

	if (path)
		return ctl_read_line(ctl, path, ret_password);
	code =
	    ctl_ask_line(ctl, is_new ? "New password" : "Password", true, otherwise, ret_password);
	if (code != CTL_DONE || !is_new)
		return code;
	code = ctl_ask_line(ctl, "Repeat the password", true, otherwise, &again);
	if (code == CTL_DONE && !str_equal(again, *ret_password))
		return ctl_fail(CTL_REFUSED, "the two passwords differ");
	return code;
}

/* ---- the API key of a session ---- */

/* Requests to /v1 use this key. It is created when a command first needs it, ends after the time
 * that a session lasts at most, and is revoked by sign-out. */
static const struct record_field key_fields[] = {
    RECORD_ID(struct session, key_id, .name = "id"),
    RECORD_STR(struct session, key, .name = "key"),
    RECORD_TIMESTAMP(struct session, ends_at_us, .name = "endsAt"),
};
static const struct record key_record = RECORD(struct session, key_fields);

enum ctl_exit ctl_prepare_key(struct ctl *ctl)
{
	struct ctl_request request = {.method = "POST", .path = STR("/web/keys")};
	char end[TIMESTAMP_LENGTH + 1];
	struct session *session;
	enum ctl_exit code;

	if (!remote_needs_key(ctl))
		return CTL_DONE;
	session = &ctl->remote->session;
	timestamp_format(clock_wall_us() + (int64_t)LIMIT_SESSION_S * 1000000, end);
	request.body = ctl_body(
	    ctl, (const struct ctl_member[]){{.name = "name", .value = remote_own_name(ctl)},
					     {.name = "scope", .value = STR("all")},
					     {.name = "endsAt", .value = str_from(end)},
					     {0}});
	request.subject = session->email;
	code = ctl_ask_row(ctl, &request, &key_record, session);
	return code == CTL_DONE ? session_write(ctl, session) : code;
}

/* Revokes the key of a session of the same account, with the current session. */
static enum ctl_exit revoke_key(struct ctl *ctl, const struct session *session)
{
	struct ctl_request request = {.method = "DELETE", .sentences = {{.status = 404}}};
	enum ctl_exit code;

	if (id_is_none(session->key_id))
		return CTL_DONE;
	request.path = ctl_path(ctl, "/web/keys/", session->key_id, "");
	code = ctl_ask_row(ctl, &request, NULL, NULL);
	return code == CTL_NOT_FOUND ? CTL_DONE : code;
}

/* ---- sign-in ---- */

/* Sends the request that signs in, and stores the session instead of an earlier one. */
static enum ctl_exit keep(struct ctl *ctl, struct ctl_request *request)
{
	struct remote *remote = ctl->remote;
	struct session earlier = {0}, session = {.server = remote->base};
	struct str answer = {0};
	enum ctl_exit code = session_read(ctl, remote->base, &earlier);

	if (code != CTL_DONE)
		return code;
	/* Send the earlier session's cookies: the server ends that session, as for browsers. */
	remote->session = earlier;
	request->cookies = &session.cookies;
	code = ctl_ask_json(ctl, request, &answer);
	if (code != CTL_DONE)
		return code;
	session.email = ctl_json_text(ctl, answer, "email");
	session.is_administrator =
	    str_equal(ctl_json_part(ctl, answer, "isAdministrator"), STR("true"));
	if (!session.email.data)
		return problem_fail_version();
	if (!session.cookies.data)
		return ctl_fail(CTL_FAILED, "the server has set no cookie");
	remote->session = session;
	if (str_equal(earlier.email, session.email))
		(void)revoke_key(ctl, &earlier);
	code = session_write(ctl, &session);
	return code == CTL_DONE ? print_session(ctl, &session) : code;
}

static enum ctl_exit sign_in_by_password(struct ctl *ctl)
{
	struct ctl_request request = {.method = "POST", .path = STR("/web/session")};
	struct str email = {0}, password = {0};
	enum ctl_exit code = find_email(ctl, &email);

	if (code == CTL_DONE)
		code = find_password(ctl, false, &password);
	if (code != CTL_DONE)
		return code;
	request.body = ctl_body(
	    ctl, (const struct ctl_member[]){{"email", email}, {"password", password}, {0}});
	return keep(ctl, &request);
}

static enum ctl_exit sign_in_by_token(struct ctl *ctl, struct str token)
{
	struct ctl_request request = {
	    .method = "POST",
	    .path = STR("/web/links/look"),
	    .body = ctl_body(ctl, (const struct ctl_member[]){{"token", token}, {0}})};
	struct str email = {0}, name = ctl_value(ctl, "name"), password = {0};
	struct str link = {0};
	enum ctl_exit code = ctl_ask_json(ctl, &request, &link);
	bool is_new = !str_equal(ctl_json_text(ctl, link, "kind"), STR("password"));

	if (code == CTL_DONE && is_new && !ctl_json_text(ctl, link, "email").data)
		code = find_email(ctl, &email);
	if (code == CTL_DONE && is_new && !name.data)
		code = ctl_ask_line(ctl, "Name that others see", false, "--name NAME", &name);
	if (code == CTL_DONE)
		code = find_password(ctl, true, &password);
	if (code != CTL_DONE)
		return code;
	request.path = STR("/web/links/use");
	request.body = ctl_body(ctl, (const struct ctl_member[]){{"token", token},
								 {"email", email},
								 {"name", is_new ? name : email},
								 {"password", password},
								 {0}});
	return keep(ctl, &request);
}

/* Signs in with a link "https://panels.example.org/link#TOKEN". */
static enum ctl_exit sign_in_by_link(struct ctl *ctl, struct str link)
{
	const struct str path = STR("/link");
	size_t hash = str_find(link, '#');
	struct str base = {link.data, hash};
	enum ctl_exit code = CTL_DONE;

	if (hash == link.length || base.length < path.length ||
	    !str_equal(str_from_offset(base, base.length - path.length), path))
		return ctl_fail(CTL_USAGE,
				"a link must look like https://panels.example.org/link#...");
	base.length -= path.length;
	/* Use the server of the link, which issued the token, not that of DISPLAYD_SERVER. */
	if (!options_text(&ctl->options, "server"))
		code = remote_use(ctl, base);
	if (code != CTL_DONE)
		return code;
	return sign_in_by_token(ctl, arena_copy(&ctl->arena, str_from_offset(link, hash + 1)));
}

/* Asks for the link on a terminal, or reads it from standard input. */
static enum ctl_exit find_link(struct ctl *ctl, struct str *ret_link)
{
	return isatty(STDIN_FILENO)
		   ? ctl_ask_line(ctl, "One-time link", false, "the link as an argument", ret_link)
		   : ctl_read_line(ctl, "-", ret_link);
}

enum ctl_exit ctl_sign_in(struct ctl *ctl)
{
	struct str link = ctl->positionals[0];
	enum ctl_exit code = session_check_place(ctl);

	if (code == CTL_DONE && str_equal(link, STR("-")))
		code = find_link(ctl, &link);
	if (code != CTL_DONE)
		return code;
	if (link.data)
		return sign_in_by_link(ctl, link);
	if (!ctl->remote)
		return ctl_fail(CTL_USAGE, "sign-in needs --server URL, or a one-time link");
	return sign_in_by_password(ctl);
}

/* ---- sign-out ---- */

/* Prints that the API key of an ended session is still valid. */
static void say_key_stays(const struct session *session)
{
	char end[TIMESTAMP_LENGTH + 1];

	if (id_is_none(session->key_id) || session->ends_at_us <= clock_wall_us())
		return;
	timestamp_format(session->ends_at_us, end);
	ctl_say("the API key of the session is valid until %s; revoke it in the pages, or sign in "
		"and out again",
		end);
}

enum ctl_exit ctl_sign_out(struct ctl *ctl)
{
	const struct ctl_request request = {.method = "DELETE", .path = STR("/web/session")};
	struct remote *remote = ctl->remote;
	enum ctl_exit code;

	if (!remote)
		return ctl_fail(CTL_USAGE, "sign-out needs --server URL");
	code = session_read(ctl, remote->base, &remote->session);
	if (code == CTL_DONE && !remote->session.cookies.data)
		return ctl_fail(CTL_REFUSED, "nobody is signed in at %s", remote->base.data);
	if (code == CTL_DONE)
		code = revoke_key(ctl, &remote->session);
	if (code == CTL_DONE)
		code = ctl_ask_row(ctl, &request, NULL, NULL);
	/* Remove the session even if the server has ended it already; its key ends later. */
	if (code != CTL_DONE && code != CTL_REFUSED)
		return code;
	if (code == CTL_REFUSED)
		say_key_stays(&remote->session);
	if (session_remove(ctl, remote->base) != CTL_DONE)
		return CTL_FAILED;
	return code == CTL_DONE ? print_session(ctl, &remote->session) : code;
}
