#include "ctl/ctl.h"

enum { ACCOUNT_NAME_LENGTH_MAX = 100 };

struct account_row {
	struct id id;
	struct str email;
	struct str name;
	int64_t created_at_us;
};

static const struct record_field fields[] = {
    RECORD_ID(struct account_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct account_row, email, .name = "email", .column = "email"),
    RECORD_STR(struct account_row, name, .name = "name", .column = "name"),
    RECORD_TIMESTAMP(struct account_row, created_at_us, .name = "createdAt",
		     .column = "created_at"),
};
static const struct record record = RECORD(fields);

enum ctl_exit ctl_account_create(struct ctl *ctl)
{
	struct str email = ctl->positional, name = ctl_value(ctl, "name");
	struct db_parameters parameters;
	struct ctl_rows rows;
	enum ctl_exit code;
	const char *fault;

	/* Others see the name: nothing of the address may show where none was chosen. */
	if (!name.data)
		name = STR("Anonymous");
	fault = ctl_check_email(email);
	if (fault)
		return ctl_fail(CTL_USAGE, "the e-mail address %s", fault);
	fault = ctl_check_name(name, ACCOUNT_NAME_LENGTH_MAX);
	if (fault)
		return ctl_fail(CTL_USAGE, "--name %s", fault);
	if (str_equal_ignore_case(name, email))
		return ctl_fail(CTL_USAGE,
				"--name is shown to others and must not be the e-mail address");
	code = ctl_connect(ctl);
	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	db_add_id(&parameters, id_new());
	db_add_text(&parameters, email);
	db_add_text(&parameters, name);
	code = ctl_query(ctl, STATEMENT_ACCOUNT_CREATE, &parameters, &record,
			 sizeof(struct account_row), &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.refusal == REFUSAL_EMAIL_TAKEN)
		return ctl_fail(CTL_REFUSED, "there is an account %.*s already", STR_ARG(email));
	return ctl_print_row(ctl, &record, rows.rows);
}
