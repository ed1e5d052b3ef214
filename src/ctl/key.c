#include "domain/key.h"
#include "ctl/ctl.h"

struct key_row {
	struct id account_id;
	struct id id;
	struct str name;
	struct str key;
	int64_t created_at_us;
	int64_t revoked_at_us;
};

static const struct record_field key_fields[] = {
    RECORD_ID(struct key_row, account_id, .column = "account_id"),
    RECORD_ID(struct key_row, id, .name = "id", .column = "id", .nullable = true),
    RECORD_STR(struct key_row, name, .name = "name", .column = "name", .nullable = true),
    RECORD_TIMESTAMP(struct key_row, created_at_us, .name = "createdAt", .column = "created_at",
		     .nullable = true),
    RECORD_TIMESTAMP(struct key_row, revoked_at_us, .name = "revokedAt", .column = "revoked_at",
		     .nullable = true),
};
const struct record key_row_record = RECORD(struct key_row, key_fields);

/* With the key itself: once, when it is made. */
static const struct record_field fresh_fields[] = {
    RECORD_ID(struct key_row, id, .name = "id"),
    RECORD_STR(struct key_row, name, .name = "name"),
    RECORD_STR(struct key_row, key, .name = "key"),
    RECORD_TIMESTAMP(struct key_row, created_at_us, .name = "createdAt"),
    RECORD_TIMESTAMP(struct key_row, revoked_at_us, .name = "revokedAt", .nullable = true),
};
static const struct record fresh_record = RECORD(struct key_row, fresh_fields);

enum ctl_exit ctl_key_create(struct ctl *ctl)
{
	struct str account = ctl_value(ctl, "account");
	char key[API_KEY_LENGTH + 1];
	uint8_t hash[KEY_HASH_BYTES];
	struct key_row *row;
	struct ctl_rows rows;
	enum ctl_exit code;

	api_key_new(key);
	key_hash(str_from(key), hash);
	statement_key_create(ctl_new_query(ctl),
			     &(struct key_create_parameters){
				 .id = id_new(),
				 .account_email = account,
				 .name = ctl_value(ctl, "name"),
				 .secret_hash = {(const char *)hash, KEY_HASH_BYTES},
				 .first_characters = {key, API_KEY_SHOWN_LENGTH},
			     },
			     NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail_account(account);
	row = rows.rows;
	if (row->created_at_us == 0)
		return ctl_fail(CTL_REFUSED,
				"%.*s owns no device yet: an account needs one before it can have "
				"a key (displayctl device create)",
				STR_ARG(account));
	row->key = str_from(key);
	return ctl_print_row(ctl, &fresh_record, row);
}

enum ctl_exit ctl_key_list(struct ctl *ctl)
{
	struct str account = ctl_value(ctl, "account");
	struct key_row *row;
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_key_list(ctl_new_query(ctl),
			   &(struct key_list_parameters){.account_email = account}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail_account(account);
	row = rows.rows;
	if (rows.count == 1 && row->created_at_us == 0)
		rows.count = 0;
	return ctl_print_rows(ctl, &key_row_record, &rows);
}

enum ctl_exit ctl_key_revoke(struct ctl *ctl)
{
	struct ctl_rows rows;
	enum ctl_exit code;
	struct id id;

	if (!id_parse(ctl->positionals[0], &id))
		/* It may be the key itself: a terminal's log is no place for it. */
		return ctl_fail(CTL_USAGE,
				"key revoke takes the ID of a key; see displayctl key list");
	statement_key_revoke(ctl_new_query(ctl), &(struct key_revoke_parameters){.id = id}, NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no key %.*s",
				STR_ARG(ctl->positionals[0]));
	return ctl_print_row(ctl, &key_row_record, rows.rows);
}
