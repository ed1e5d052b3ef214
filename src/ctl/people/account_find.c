#include "ctl/server/client.h"
#include "ctl/server/problem.h"
#include "domain/person.h"

struct named {
	struct id id;
	struct str email;
};

static const struct record_field fields[] = {
    RECORD_ID(struct named, id, .name = "id"),
    RECORD_STR(struct named, email, .name = "email"),
};
static const struct record named_record = RECORD(struct named, fields);

/* Finds the path of an account whose address cannot be a segment of a path. */
static enum ctl_exit search(struct ctl *ctl, struct str email, struct str *ret_path)
{
	struct ctl_request request = {
	    .path = ARENA_JOIN(&ctl->arena, STR("/web/admin/accounts?q="), ctl_encode(ctl, email))};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_ask_rows(ctl, &request, &named_record, &rows);
	const struct named *owners = rows.rows;

	for (unsigned i = 0; code == CTL_DONE && i < rows.count; i++) {
		if (str_equal_ignore_case(owners[i].email, email)) {
			*ret_path = ctl_path(ctl, "/web/admin/accounts/", owners[i].id, "");
			return CTL_DONE;
		}
	}
	return code == CTL_DONE ? ctl_fail_account(email) : code;
}

enum ctl_exit ctl_find_account(struct ctl *ctl, struct str email, struct ctl_found *ret_found)
{
	const char *fault = email_check(email);
	struct ctl_request request = {.subject = email};
	enum ctl_exit code = CTL_DONE;

	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	if (ctl_is_segment(email))
		request.path =
		    ARENA_JOIN(&ctl->arena, STR("/web/admin/accounts/"), ctl_encode(ctl, email));
	else
		code = search(ctl, email, &request.path);
	if (code == CTL_DONE)
		code = ctl_ask_json(ctl, &request, &ret_found->json);
	if (code == CTL_DONE)
		ret_found->id = ret_found->segment = ctl_json_text(ctl, ret_found->json, "id");
	return code == CTL_DONE && !ret_found->id.data ? problem_fail_version() : code;
}
