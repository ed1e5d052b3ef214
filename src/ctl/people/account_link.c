#include "base/limits.h"
#include "ctl/ctl.h"
#include "domain/key.h"
#include "domain/person.h"

struct link_row {
	struct str kind;
	struct str email;
	struct str url;
	int64_t expires_at_us;
};

static const struct record_field link_fields[] = {
    RECORD_STR(struct link_row, kind, .name = "kind", .column = "kind"),
    RECORD_STR(struct link_row, email, .name = "email", .column = "email", .nullable = true),
    RECORD_STR(struct link_row, url, .name = "url"),
    RECORD_TIMESTAMP(struct link_row, expires_at_us, .name = "expiresAt", .column = "expires_at"),
};
const struct record ctl_link_record = RECORD(struct link_row, link_fields);

enum ctl_exit ctl_account_link(struct ctl *ctl)
{
	struct str email = ctl->positionals[0], role = ctl_value(ctl, "role");
	const char *fault = email.length ? email_check(email) : NULL;
	char token[TOKEN_LENGTH + 1];
	uint8_t hash[KEY_HASH_BYTES];
	struct link_row *row;
	struct ctl_rows rows;
	enum ctl_exit code;

	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	token_new(token);
	key_hash(str_from(token), hash);
	statement_account_link_create(ctl_new_query(ctl),
				      &(struct account_link_create_parameters){
					  .id = id_new(),
					  .email = email,
					  .is_reviewer = str_equal(role, STR("reviewer")),
					  .is_administrator = str_equal(role, STR("administrator")),
					  .secret_hash = {(const char *)hash, KEY_HASH_BYTES},
					  .life_s = LIMIT_LINK_S,
				      },
				      NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_REFUSED, "the account %.*s is being removed", STR_ARG(email));
	row = rows.rows;
	row->url = ARENA_JOIN(&ctl->arena, ctl_public_url(ctl), STR("/link#"), str_from(token));
	return ctl_print_row(ctl, &ctl_link_record, row);
}
