#include "domain/key.h"
#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"

struct key_row {
	struct id account_id;
	struct id id;
	struct str name;
	struct str key;
	struct str first_characters;
	int64_t created_at_us;
	int64_t last_used_at_us;
	int64_t revoked_at_us;
};

static const struct record_field key_fields[] = {
    RECORD_ID(struct key_row, account_id, .column = "account_id"),
    RECORD_ID(struct key_row, id, .name = "id", .column = "id", .nullable = true),
    RECORD_STR(struct key_row, name, .name = "name", .column = "name", .nullable = true),
    RECORD_STR(struct key_row, first_characters, .name = "firstCharacters",
	       .column = "first_characters", .nullable = true),
    RECORD_TIMESTAMP(struct key_row, created_at_us, .name = "createdAt", .column = "created_at",
		     .nullable = true),
    RECORD_TIMESTAMP(struct key_row, last_used_at_us, .name = "lastUsedAt",
		     .column = "last_used_at", .nullable = true),
    RECORD_TIMESTAMP(struct key_row, revoked_at_us, .name = "revokedAt", .column = "revoked_at",
		     .nullable = true),
};
const struct record key_row_record = RECORD(struct key_row, key_fields);

static const struct record_field listed_fields[] = {
    RECORD_ID(struct inventory_key, id, .name = "id"),
    RECORD_STR(struct inventory_key, name, .name = "name"),
    RECORD_STR(struct inventory_key, first_characters, .name = "firstCharacters", .nullable = true),
    RECORD_TIMESTAMP(struct inventory_key, created_at_us, .name = "createdAt"),
    RECORD_TIMESTAMP(struct inventory_key, last_used_at_us, .name = "lastUsedAt", .nullable = true),
    RECORD_TIMESTAMP(struct inventory_key, revoked_at_us, .name = "revokedAt", .nullable = true),
};
static const struct record listed_record = RECORD(struct inventory_key, listed_fields);

/* Fields of a new key, with the key itself: shown once, when it is made. */
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
	struct ctl_question question = {.path = STR("/web/admin/keys"),
					.account = ctl_value(ctl, "account")};
	struct ctl_rows rows;
	enum ctl_exit code = ctl_get_rows(ctl, &question, &inventory_key_record, &rows);

	return code == CTL_DONE ? ctl_print_rows(ctl, &listed_record, &rows) : code;
}

/* ---- one that is there ---- */

/* A person copies what is nearest, and that may be the key itself, also with what stands around it:
 * it is not to be in a shell's history, and is not repeated. */
static enum ctl_exit check_is_no_key(struct str text)
{
	static const char prefix[] = "ddk_";
	const char *key =
	    text.length ? memmem(text.data, text.length, prefix, sizeof(prefix) - 1) : NULL;

	if (!key || text.data + text.length - key <= API_KEY_SHOWN_LENGTH)
		return CTL_DONE;
	return ctl_fail(CTL_USAGE,
			"that looks like a whole key, which is a secret: give its first %d "
			"characters, its name or its ID; see displayctl key list",
			API_KEY_SHOWN_LENGTH);
}

static enum ctl_exit fail_many(struct str text, const struct ctl_rows *rows)
{
	const struct inventory_key *keys = rows->rows;
	enum ctl_exit code = ctl_fail(
	    CTL_REFUSED, "several keys are called %.*s: give the ID of one", STR_ARG(text));
	char id[ID_TEXT_LENGTH + 1];

	for (unsigned i = 0; i < rows->count; i++) {
		id_format(keys[i].id, id);
		fprintf(stderr, "  %s  %.*s  %.*s\n", id, STR_ARG(keys[i].first_characters),
			STR_ARG(keys[i].account));
	}
	return code;
}

/* Finds the one key with this ID, name or first characters; among several, the only one that is not
 * revoked. */
static enum ctl_exit find(struct ctl *ctl, const struct inventory_key **ret_key)
{
	struct str text = ctl->positionals[0];
	struct ctl_question question = {.account = ctl_value(ctl, "account")};
	const struct inventory_key *keys;
	struct ctl_rows rows;
	enum ctl_exit code = check_is_no_key(text);

	if (code != CTL_DONE)
		return code;
	question.path =
	    ARENA_JOIN(&ctl->arena, STR("/web/admin/keys?name="), ctl_encode(ctl, text));
	code = ctl_get_rows(ctl, &question, &inventory_key_record, &rows);
	if (code != CTL_DONE)
		return code;
	keys = rows.rows;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no key %.*s", STR_ARG(text));
	if (rows.count > 1 && (keys[0].revoked_at_us || !keys[1].revoked_at_us))
		return fail_many(text, &rows);
	*ret_key = keys;
	return CTL_DONE;
}

enum ctl_exit ctl_key_show(struct ctl *ctl)
{
	const struct inventory_key *key = NULL;
	enum ctl_exit code = find(ctl, &key);

	return code == CTL_DONE ? ctl_print_row(ctl, &inventory_key_record, key) : code;
}

enum ctl_exit ctl_key_revoke(struct ctl *ctl)
{
	const struct inventory_key *key = NULL;
	struct ctl_rows rows;
	enum ctl_exit code = find(ctl, &key);

	if (code != CTL_DONE)
		return code;
	require(key);
	if (!key->revoked_at_us)
		code = ctl_confirm(ctl,
				   "This ends the key \"%.*s\" of %.*s: programs that use it are "
				   "refused.",
				   STR_ARG(key->name), STR_ARG(key->account));
	if (code != CTL_DONE)
		return code;
	statement_key_revoke(ctl_new_query(ctl), &(struct key_revoke_parameters){.id = key->id},
			     NULL);
	code = ctl_query(ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no key %.*s",
				STR_ARG(ctl->positionals[0]));
	return ctl_print_row(ctl, &key_row_record, rows.rows);
}
