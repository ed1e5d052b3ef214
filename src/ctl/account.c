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
	struct str email = ctl->positionals[0], name = ctl_value(ctl, "name");
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

struct owner_row {
	struct account_row account;
	int64_t devices;
	int64_t keys;
	int64_t apps;
};

static const struct record_field owner_fields[] = {
    RECORD_ID(struct owner_row, account.id, .name = "id", .column = "id"),
    RECORD_STR(struct owner_row, account.email, .name = "email", .column = "email"),
    RECORD_STR(struct owner_row, account.name, .name = "name", .column = "name"),
    RECORD_TIMESTAMP(struct owner_row, account.created_at_us, .name = "createdAt",
		     .column = "created_at"),
    RECORD_INT(struct owner_row, devices, .name = "devices", .column = "devices"),
    RECORD_INT(struct owner_row, keys, .name = "keys", .column = "keys"),
    RECORD_INT(struct owner_row, apps, .name = "apps", .column = "apps"),
};
static const struct record owner_record = RECORD(owner_fields);

enum ctl_exit ctl_account_list(struct ctl *ctl)
{
	struct db_parameters parameters;
	struct ctl_rows rows;
	enum ctl_exit code = ctl_connect(ctl);

	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	code = ctl_query(ctl, STATEMENT_ACCOUNT_LIST, &parameters, &owner_record,
			 sizeof(struct owner_row), &rows);
	if (code != CTL_DONE)
		return code;
	return ctl_print_rows(ctl, &owner_record, rows.rows, sizeof(struct owner_row), rows.count);
}

static const struct record_field removed_fields[] = {
    RECORD_ID(struct account_row, id, .name = "id", .column = "id"),
    RECORD_STR(struct account_row, email, .name = "email", .column = "email"),
};
static const struct record removed_record = RECORD(removed_fields);

enum ctl_exit ctl_find_account(struct ctl *ctl, struct str email)
{
	struct db_parameters parameters;
	struct ctl_rows rows;
	enum ctl_exit code;

	db_parameters_init(&parameters, &ctl->arena);
	db_add_text(&parameters, email);
	code = ctl_query(ctl, STATEMENT_ACCOUNT_FIND, &parameters, &removed_record,
			 sizeof(struct account_row), &rows);
	if (code == CTL_DONE && rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no account %.*s", STR_ARG(email));
	return code;
}

enum ctl_exit ctl_account_remove(struct ctl *ctl)
{
	struct str email = ctl->positionals[0];
	struct db_parameters parameters;
	struct ctl_rows rows;
	enum ctl_exit code;

	code = ctl_connect(ctl);
	if (code == CTL_DONE)
		code = ctl_find_account(ctl, email);
	if (code == CTL_DONE)
		code = ctl_confirm(ctl,
				   "This removes the account %.*s with its devices, keys and apps.",
				   STR_ARG(email));
	if (code != CTL_DONE)
		return code;
	db_parameters_init(&parameters, &ctl->arena);
	db_add_text(&parameters, email);
	code = ctl_query(ctl, STATEMENT_ACCOUNT_REMOVE, &parameters, &removed_record,
			 sizeof(struct account_row), &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no account %.*s", STR_ARG(email));
	return ctl_print_row(ctl, &removed_record, rows.rows);
}
