#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/person.h"

/* Prints the link of the server's answer. */
static enum ctl_exit print_link(struct ctl *ctl, struct str kind, struct str email,
				struct str answer)
{
	struct str url = ctl_json_text(ctl, answer, "url");

	/* The command's --public-url takes precedence over the server's. */
	if (ctl->config.public_url)
		url = ARENA_JOIN(&ctl->arena, str_from(ctl->config.public_url), STR("/link"),
				 str_from_offset(url, str_find(url, '#')));
	return ctl_print_members(
	    ctl, CTL_MEMBERS(ctl_text("kind", kind), ctl_text("email", email), ctl_text("url", url),
			     ctl_text("expiresAt", ctl_json_text(ctl, answer, "expiresAt"))));
}

/* Messages with the e-mail address. */
#define UNKNOWN(email) "there is no account " email "; --invite makes a link for a new one"
#define USED(email)                                                                                \
	"there is an account " email " already; without --invite the link sets its password"

/* ---- over --server: as an administrator ---- */

/* Makes a link for a new password of the account, or an invitation. roles: members of the
 * invitation's body. */
static enum ctl_exit make_link(struct ctl *ctl, struct str email, bool is_invitation,
			       const struct ctl_member *roles)
{
	struct ctl_request request = {
	    .path = ARENA_JOIN(&ctl->arena, STR("/web/admin/accounts/"), ctl_encode(ctl, email)),
	    .sentences = {{.status = 404}}};
	struct str answer = {0}, kind = STR("invitation");
	enum ctl_exit code;

	if (!ctl_is_segment(email))
		return ctl_fail(CTL_USAGE, "account link needs an e-mail address with --server");
	code = ctl_ask_json(ctl, &request, &answer);
	if (code != CTL_DONE && code != CTL_NOT_FOUND)
		return code;
	if (code == CTL_DONE && is_invitation)
		return ctl_fail(CTL_REFUSED, USED("%.*s"), STR_ARG(email));
	if (code == CTL_NOT_FOUND && !is_invitation)
		return ctl_fail(CTL_NOT_FOUND, UNKNOWN("%.*s"), STR_ARG(email));
	if (code == CTL_DONE && ctl_value(ctl, "role").data)
		return ctl_fail(CTL_REFUSED,
				"there is an account %.*s already; --role is for new accounts",
				STR_ARG(email));
	request = (struct ctl_request){.method = "POST", .path = STR("/web/admin/invitations")};
	request.body = ctl_body(ctl, roles);
	if (code == CTL_DONE) {
		kind = STR("password");
		request.body = (struct str){0};
		request.path = ARENA_JOIN(&ctl->arena, STR("/web/admin/accounts/"),
					  ctl_json_text(ctl, answer, "id"), STR("/password-link"));
	}
	code = ctl_ask_json(ctl, &request, &answer);
	return code == CTL_DONE ? print_link(ctl, kind, email, answer) : code;
}

enum ctl_exit ctl_account_link(struct ctl *ctl)
{
	struct str email = ctl->positionals[0], role = ctl_value(ctl, "role");
	struct str is_true = STR("true"), none = {0};
	bool is_invitation = ctl_value(ctl, "invite").data;
	struct ctl_request request = {
	    .method = "POST",
	    .path = STR("/web/admin/links"),
	    .sentences = {{404, NULL, STR(UNKNOWN("%"))},
			  {409, PROBLEM_EMAIL_USED, STR(USED("%"))},
			  {409, NULL, STR("the account % is being removed")}},
	    .subject = email};
	const char *fault = email.length ? email_check(email) : NULL;
	const struct ctl_member members[] = {
	    {"email", email.length ? email : none, false},
	    {"isReviewer", str_equal(role, STR("reviewer")) ? is_true : none, true},
	    {"isAdministrator", str_equal(role, STR("administrator")) ? is_true : none, true},
	    {"isInvitation", is_invitation && !ctl->remote ? is_true : none, true},
	    {0}};
	struct str answer = {0};
	enum ctl_exit code;

	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	if (ctl->remote)
		return make_link(ctl, email, is_invitation, members);
	request.body = ctl_body(ctl, members);
	code = ctl_ask_json(ctl, &request, &answer);
	if (code != CTL_DONE)
		return code;
	return print_link(ctl, ctl_json_text(ctl, answer, "kind"),
			  ctl_json_text(ctl, answer, "email"), answer);
}
