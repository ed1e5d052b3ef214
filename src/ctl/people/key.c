#include "domain/key.h"
#include "base/require.h"
#include "ctl/ctl.h"
#include "ctl/server/client.h"
#include "ctl/server/remote.h"

#include <yyjson.h>

/* A key in the list that accounts get, which has no revoked keys. */
static const struct record_field fields[] = {
    RECORD_JSON(struct inventory_key, set_up, .name = "setUp"),
    RECORD_ID(struct inventory_key, id, .name = "id"),
    RECORD_STR(struct inventory_key, name, .name = "name"),
    RECORD_STR(struct inventory_key, first_characters, .name = "firstCharacters", .nullable = true),
};
static const struct record own_record = RECORD(struct inventory_key, fields);

/* Returns the IDs of the devices of --device as a JSON array; data is NULL without that option. */
static enum ctl_exit read_devices(struct ctl *ctl, struct str *ret_json)
{
	struct buffer json = {0};
	enum ctl_exit code = CTL_DONE;

	for (unsigned i = 0; i < ctl->options.given_count && code == CTL_DONE; i++) {
		const struct option_given *given = &ctl->options.given[i];
		struct inventory_device device = {0};

		if (given->option->type != OPTION_LIST)
			continue;
		code = ctl_find_listed_device(ctl, str_from(given->value), &device);
		buffer_append_char(&json, buffer_length(&json) ? ',' : '[');
		json_write_str(&json, ctl_id_text(ctl, device.id));
	}
	if (buffer_length(&json)) {
		buffer_append_char(&json, ']');
		*ret_json = arena_copy(&ctl->arena, buffer_view(&json));
	}
	buffer_finish(&json);
	return code;
}

enum ctl_exit ctl_key_create(struct ctl *ctl)
{
	struct str devices = {0};
	enum ctl_exit code = read_devices(ctl, &devices);

	if (code != CTL_DONE)
		return code;
	return ctl_plain_with(ctl, CTL_MEMBERS({"deviceIds", devices, true}));
}

/* ---- existing keys ---- */

/* Rejects a whole key instead of its name, also within other text. People paste keys by mistake;
 * the key must not stay in the shell's history unnoticed, and the message does not repeat it. */
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
	enum ctl_exit code =
	    ctl_fail(CTL_REFUSED, "several keys are called %.*s; use an ID", STR_ARG(text));
	char id[ID_TEXT_LENGTH + 1];

	for (unsigned i = 0; i < rows->count && i < CTL_NAMED_MAX; i++) {
		id_format(keys[i].id, id);
		ctl_say("  %s  %.*s  %.*s", id, STR_ARG(keys[i].first_characters),
			STR_ARG(keys[i].account));
	}
	ctl_say_rest(rows->count);
	return code;
}

/* Whether the text names the key. way: 0 by ID, 1 by exact name or first characters, 2 by name
 * without regard to case. */
static bool means(const struct inventory_key *key, struct str text, unsigned way)
{
	struct id id = {0};

	if (way == 0)
		return id_parse(text, &id) && id_equal(key->id, id);
	if (way == 1)
		return str_equal(key->name, text) || str_equal(key->first_characters, text);
	return str_equal_ignore_case(key->name, text);
}

/* Lists the account's keys with this ID, name or first characters, in their order. */
static enum ctl_exit find_own(struct ctl *ctl, struct str text, struct str json,
			      struct ctl_rows *ret_rows)
{
	enum ctl_exit code = ctl_read_rows(ctl, json, &own_record, ret_rows);
	struct inventory_key *keys = ret_rows->rows;
	unsigned count = 0;

	for (unsigned way = 0; way < 3 && count == 0; way++)
		for (unsigned i = 0; i < ret_rows->count; i++)
			if (means(&keys[i], text, way))
				keys[count++] = keys[i];
	ret_rows->count = count;
	return code;
}

/* Lists the keys that the text names. *ret_json: the server's list, which has them. */
static enum ctl_exit list(struct ctl *ctl, struct str text, struct str *ret_json,
			  struct ctl_rows *ret_rows)
{
	struct ctl_request request = {.path = STR("/web/keys"),
				      .account = ctl_value(ctl, "account")};
	enum ctl_exit code;

	if (!ctl->remote)
		request.path =
		    ARENA_JOIN(&ctl->arena, STR("/web/admin/keys?name="), ctl_encode(ctl, text));
	code = ctl_ask_json(ctl, &request, ret_json);
	if (code != CTL_DONE)
		return code;
	return ctl->remote ? find_own(ctl, text, *ret_json, ret_rows)
			   : ctl_read_rows(ctl, *ret_json, &inventory_key_record, ret_rows);
}

/* Finds the key with this ID, name or first characters; among several, the only one that is not
 * revoked. *ret_json: as the server's list shows it. */
static enum ctl_exit key_find(struct ctl *ctl, struct str text,
			      const struct inventory_key **ret_key, struct str *ret_json)
{
	const struct inventory_key *keys;
	struct ctl_rows rows;
	struct str json = {0};
	enum ctl_exit code = check_is_no_key(text);

	if (code == CTL_DONE)
		code = list(ctl, text, &json, &rows);
	if (code != CTL_DONE)
		return code;
	keys = rows.rows;
	if (rows.count == 0)
		return ctl_fail(CTL_NOT_FOUND, "there is no key %.*s", STR_ARG(text));
	if (rows.count > 1 && (keys[0].revoked_at_us || !keys[1].revoked_at_us))
		return fail_many(text, &rows);
	*ret_key = keys;
	*ret_json = ctl_json_find(ctl, json, NULL, "id", ctl_id_text(ctl, keys->id));
	/* The list that accounts get has no revoked keys, and leaves out whose they are. */
	if (ctl->remote)
		*ret_json =
		    ctl_json_with(ctl, *ret_json,
				  CTL_MEMBERS(ctl_text("account", ctl->remote->session.email),
					      ctl_text("revokedAt", (struct str){0})));
	return CTL_DONE;
}

enum ctl_exit ctl_key_show(struct ctl *ctl)
{
	const struct inventory_key *key = NULL;
	struct str json = {0};
	enum ctl_exit code = key_find(ctl, ctl->positionals[0], &key, &json);

	return code == CTL_DONE ? ctl_print_json(ctl, json) : code;
}

/* Revokes the key. *json: the key before; afterwards its new state, if the server still lists it.
 */
static enum ctl_exit end_key(struct ctl *ctl, const struct inventory_key *key, struct str *json)
{
	struct ctl_request request = {
	    .method = "DELETE", .account = key->account, .subject = ctl->positionals[0]};
	enum ctl_exit code;

	request.path = ctl_path(ctl, "/web/keys/", key->id,
				ctl_value(ctl, "keep").data ? "?keepSetUp=true" : "");
	code = ctl_ask_json(ctl, &request, &(struct str){0});
	if (code != CTL_DONE || ctl->remote)
		return code;
	return key_find(ctl, ctl_id_text(ctl, key->id), &key, json);
}

/* Returns a sentence with what ends with the key, or is kept; empty if the key has set up nothing.
 */
static struct str set_up_text(struct ctl *ctl, const struct inventory_key *key)
{
	yyjson_doc *document = yyjson_read(key->set_up.data, key->set_up.length, 0);
	struct str text = ctl_value(ctl, "keep").data ? STR(" The account keeps: ")
						      : STR(" These end, too (--keep): ");
	size_t i, count;
	yyjson_val *item;

	yyjson_arr_foreach(yyjson_doc_get_root(document), i, count, item)
	{
		bool is_mqtt = yyjson_equals_str(yyjson_obj_get(item, "kind"), "mqtt");

		text = ARENA_JOIN(&ctl->arena, text, i ? STR(", ") : STR(""),
				  is_mqtt ? STR("MQTT ") : STR("webhook "),
				  str_from(yyjson_get_str(yyjson_obj_get(item, "host"))));
	}
	count = yyjson_arr_size(yyjson_doc_get_root(document));
	yyjson_doc_free(document);
	return count ? ARENA_JOIN(&ctl->arena, text, STR(".")) : STR("");
}

enum ctl_exit ctl_key_revoke(struct ctl *ctl)
{
	const struct inventory_key *key = NULL;
	struct str json = {0}, owner;
	enum ctl_exit code = key_find(ctl, ctl->positionals[0], &key, &json);

	if (code != CTL_DONE)
		return code;
	require(key);
	owner = ctl->remote ? ctl->remote->session.email : key->account;
	if (!key->revoked_at_us)
		code = ctl_confirm(
		    ctl,
		    "This revokes the key \"%.*s\" of %.*s: programs that use it are refused.%.*s",
		    STR_ARG(key->name), STR_ARG(owner), STR_ARG(set_up_text(ctl, key)));
	if (code == CTL_DONE && !key->revoked_at_us)
		code = end_key(ctl, key, &json);
	return code == CTL_DONE ? ctl_print_json(ctl, json) : code;
}
