#include "ctl/ctl.h"
#include "ctl/server/client.h"
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

enum ctl_exit ctl_account_link(struct ctl *ctl)
{
	struct str email = ctl->positionals[0], role = ctl_value(ctl, "role");
	struct str is_true = STR("true"), none = {0};
	struct ctl_request request = {.method = "POST", .path = STR("/web/admin/links")};
	const char *fault = email.length ? email_check(email) : NULL;
	struct link_row link = {0};
	enum ctl_exit code;

	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	request.body = ctl_body(
	    ctl,
	    (const struct ctl_member[]){
		{"email", email.length ? email : none, false},
		{"isReviewer", str_equal(role, STR("reviewer")) ? is_true : none, true},
		{"isAdministrator", str_equal(role, STR("administrator")) ? is_true : none, true},
		{0}});
	request.sentences[0] = (struct ctl_sentence){
	    409, NULL,
	    ARENA_JOIN(&ctl->arena, STR("the account "), email, STR(" is being removed"))};
	code = ctl_ask_row(ctl, &request, &link_record, &link);
	if (code != CTL_DONE)
		return code;
	/* --public-url of the command says how people reach the server. */
	link.url = ARENA_JOIN(&ctl->arena, ctl_public_url(ctl), STR("/link"),
			      str_from_offset(link.url, str_find(link.url, '#')));
	return ctl_print_row(ctl, &link_record, &link);
}
