#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"
#include "domain/person.h"

struct link_row {
	struct str kind;
	struct str email;
	struct str url;
	int64_t expires_at_us;
};

static const struct record_field link_fields[] = {
    RECORD_STR(struct link_row, kind, .name = "kind"),
    RECORD_STR(struct link_row, email, .name = "email", .nullable = true),
    RECORD_STR(struct link_row, url, .name = "url"),
    RECORD_TIMESTAMP(struct link_row, expires_at_us, .name = "expiresAt"),
};
static const struct record link_record = RECORD(struct link_row, link_fields);
/* Reads a link that an administrator makes. */
static const struct record made_record = CTL_RECORD_OF(struct link_row, link_fields, 2, 2);

/* Messages with the e-mail address. */
#define UNKNOWN(email) "there is no account " email "; --invite makes a link for a new one"
#define USED(email)                                                                                \
	"there is an account " email " already; without --invite the link sets its password"

/* ---- over --server: as an administrator ---- */

struct found_row {
	struct id id;
};

static const struct record_field found_fields[] = {RECORD_ID(struct found_row, id, .name = "id")};
static const struct record found_record = RECORD(struct found_row, found_fields);

/* Makes a link for a new password of the account, or an invitation. roles: members of the
 * invitation's body. */
static enum ctl_exit make_link(struct ctl *ctl, struct str email, bool is_invitation,
			       const struct ctl_member *roles)
{
	struct ctl_request request = {
	    .path = ARENA_JOIN(&ctl->arena, STR("/web/admin/accounts/"), ctl_encode(ctl, email)),
	    .sentences = {{.status = 404}}};
	struct link_row link = {.email = email, .kind = STR("invitation")};
	struct found_row found = {0};
	enum ctl_exit code;

	if (!ctl_is_segment(email))
		return ctl_fail(CTL_USAGE, "account link needs an e-mail address with --server");
	code = ctl_ask_row(ctl, &request, &found_record, &found);
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
		link.kind = STR("password");
		request.body = (struct str){0};
		request.path = ctl_path(ctl, "/web/admin/accounts/", found.id, "/password-link");
	}
	code = ctl_ask_row(ctl, &request, &made_record, &link);
	return code == CTL_DONE ? ctl_print_row(ctl, &link_record, &link) : code;
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
	struct link_row link = {0};
	enum ctl_exit code;

	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	if (ctl->remote)
		return make_link(ctl, email, is_invitation, members);
	request.body = ctl_body(ctl, members);
	code = ctl_ask_row(ctl, &request, &link_record, &link);
	if (code != CTL_DONE)
		return code;
	/* The command's --public-url takes precedence over the server's. */
	if (ctl->config.public_url)
		link.url = ARENA_JOIN(&ctl->arena, str_from(ctl->config.public_url), STR("/link"),
				      str_from_offset(link.url, str_find(link.url, '#')));
	return ctl_print_row(ctl, &link_record, &link);
}
