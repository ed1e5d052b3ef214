#include "domain/inventory.h"
#include "app_unknown.h"
#include "domain/device_reference.h"
#include "domain/studio.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"
#include "web/people/key_streams.h"

/* GET /web/admin/devices, GET /web/admin/keys and GET /web/admin/apps - objects of all accounts,
 * oldest first; with "name", the devices or keys that the name may mean; with "q", the apps that
 * have this text. GET /web/admin/apps/{appId} - an app of any account, by ID or slug. */

/* State of the three lists. */
struct inventory {
	struct list_choice choice; /* first: the lists read their parameters into it */
	struct str wanted;
	uint8_t mac[MAC_BYTES];
};

/* The account that the operator names; none: all accounts. */
static struct id wanted_account(struct task *task)
{
	return task_is_of_operator(task) ? task_account_id(task) : (struct id){0};
}

static struct step_result inventory_reply(struct task *task, const struct task_list *all,
					  const struct task_list *matching)
{
	struct inventory *inventory = task_state(task);
	struct step_result answer;

	if (!http_request_query(task_request(task), STR("name")).data)
		return task_reply_list(task, all);
	if (task_has_bad_text(task, "name", &inventory->wanted, &answer))
		return answer;
	return task_reply_list(task, matching);
}

/* ---- devices ---- */

static void ask_devices(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_inventory_device_list(query,
					&(struct inventory_device_list_parameters){
					    .account_id = wanted_account(task),
					},
					range);
}

static void ask_device_match(struct task *task, struct db_query *query,
			     const struct list_range *range)
{
	struct inventory *inventory = task_state(task);
	struct device_reference reference = device_reference_parse(inventory->wanted);
	struct inventory_device_match_parameters parameters = {
	    .account_id = wanted_account(task),
	    .name = inventory->wanted,
	};

	(void)range;
	if (reference.kind == DEVICE_REFERENCE_ID)
		parameters.id = reference.id;
	if (reference.kind == DEVICE_REFERENCE_SERIAL)
		parameters.serial = reference.serial;
	if (reference.kind == DEVICE_REFERENCE_MAC) {
		memcpy(inventory->mac, reference.mac, MAC_BYTES);
		parameters.mac = (struct str){(const char *)inventory->mac, MAC_BYTES};
	}
	statement_inventory_device_match(query, &parameters, NULL);
}

static const struct task_list devices = {
    .letter = 'w',
    .ask = ask_devices,
    .order = &inventory_device_list_order,
    .record = &inventory_device_record,
};
static const struct task_list matching_devices = {
    .letter = 'W',
    .ask = ask_device_match,
    .record = &inventory_device_record,
};

static struct step_result reply_devices(struct task *task)
{
	return inventory_reply(task, &devices, &matching_devices);
}

ENDPOINT_INVENTORY_DEVICE_LIST(.handler = reply_devices, .state_size = sizeof(struct inventory));

/* ---- keys ---- */

static void ask_keys(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_inventory_key_list(query,
				     &(struct inventory_key_list_parameters){
					 .account_id = wanted_account(task),
				     },
				     range);
}

static void ask_key_match(struct task *task, struct db_query *query, const struct list_range *range)
{
	const struct inventory *inventory = task_state(task);

	(void)range;
	statement_inventory_key_match(query,
				      &(struct inventory_key_match_parameters){
					  .account_id = wanted_account(task),
					  .key = inventory->wanted,
				      },
				      NULL);
}

static void complete_key(struct task *task, void *row)
{
	struct inventory_key *key = row;

	key->event_streams = key_streams_count(task, key->secret_hash);
}

static const struct task_list keys = {
    .letter = 'x',
    .complete = complete_key,
    .ask = ask_keys,
    .order = &inventory_key_list_order,
    .record = &inventory_key_record,
};
static const struct task_list matching_keys = {
    .letter = 'X',
    .complete = complete_key,
    .ask = ask_key_match,
    .record = &inventory_key_record,
};

static struct step_result reply_keys(struct task *task)
{
	return inventory_reply(task, &keys, &matching_keys);
}

ENDPOINT_INVENTORY_KEY_LIST(.handler = reply_keys, .state_size = sizeof(struct inventory));

/* ---- apps ---- */

static void ask_apps(struct task *task, struct db_query *query, const struct list_range *range)
{
	const struct inventory *inventory = task_state(task);

	statement_inventory_app_list(query,
				     &(struct inventory_app_list_parameters){
					 .account_id = wanted_account(task),
					 .with_broken = inventory->choice.is_on,
					 .wanted = inventory->choice.texts[0],
				     },
				     range);
}

static const struct task_list apps = {
    .letter = 'y',
    .parameters = {{"q"}, {"broken", .is_switch = true}},
    .ask = ask_apps,
    .order = &inventory_app_list_order,
    .record = &own_app_record,
};

static struct step_result reply_apps(struct task *task)
{
	return task_reply_list(task, &apps);
}

ENDPOINT_INVENTORY_APP_LIST(.handler = reply_apps, .state_size = sizeof(struct inventory));

static const struct record_field app_fields[] = {
    RECORD_ROW(struct inventory_app_get_row, own_app, &own_app_record, .is_shown = true),
    RECORD_STR(struct inventory_app_get_row, account, .name = "account", .nullable = true),
    RECORD_INT8(struct inventory_app_get_row, versions, .name = "versions"),
    RECORD_INT8(struct inventory_app_get_row, installations, .name = "installations"),
};
static const struct record shown_record = RECORD(struct inventory_app_get_row, app_fields);

struct app_search {
	struct app_unknown unknown;
	struct inventory_app_get_row row;
};

static struct step_result app_found(struct task *task)
{
	const struct app_search *search = task_state(task);

	if (task_row_count(task) == 0)
		return app_unknown(task);
	return task_reply_record(task, 200, &shown_record, &search->row);
}

static struct step_result find_app(struct task *task)
{
	struct app_search *search = task_state(task);

	statement_inventory_app_get(
	    task_new_query(task),
	    &(struct inventory_app_get_parameters){.app = task_path_parameter(task, 0)},
	    &search->row);
	return task_query(task, app_found);
}

ENDPOINT_INVENTORY_APP_GET(.handler = find_app, .state_size = sizeof(struct app_search));
