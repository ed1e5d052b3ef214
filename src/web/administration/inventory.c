#include "domain/inventory.h"
#include "app_unknown.h"
#include "base/limits.h"
#include "domain/device_reference.h"
#include "domain/studio.h"
#include "task/list.h"
#include "web/access.h"
#include "web/endpoints.h"
#include "web/people/key_streams.h"
#include "web/search.h"

/* GET /web/admin/devices, GET /web/admin/keys and GET /web/admin/apps - objects of all accounts,
 * oldest first; with "name", the devices or keys that the name may mean. GET
 * /web/admin/apps/{appId}
 * - an app of any account, by ID or slug. */

/* State of the three lists. */
struct inventory {
	struct str wanted; /* data is NULL: all */
	bool with_broken;
	uint8_t mac[MAC_BYTES];
};

/* The account that the operator names; none: all accounts. */
static struct id wanted_account(struct task *task)
{
	return task_is_of_operator(task) ? task_account_id(task) : (struct id){0};
}

static struct step_result reply(struct task *task, const struct task_list *all,
				const struct task_list *matching)
{
	struct inventory *inventory = task_state(task);
	struct str wanted = http_request_query(task_request(task), STR("name"));

	if (!wanted.data)
		return task_reply_list(task, all);
	if (!http_decode(task_arena(task), wanted, &inventory->wanted) ||
	    inventory->wanted.length > LIMIT_SEARCH_BYTES)
		return task_fail(task, PROBLEM_PARAMETER_INVALID,
				 "name must be a text of at most %d bytes", LIMIT_SEARCH_BYTES);
	return task_reply_list(task, matching);
}

/* ---- devices ---- */

static void ask_devices(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_inventory_device_list(query,
					&(struct inventory_device_list_parameters){
					    .account_id = wanted_account(task),
					    .after_created_at = range->after.number,
					    .after_id = range->after.id,
					    .row_limit = range->limit,
					},
					NULL);
}

static void ask_first_devices(struct task *task, struct db_query *query)
{
	ask_devices(task, query, &web_search_short);
}

static void ask_device_match(struct task *task, struct db_query *query)
{
	struct inventory *inventory = task_state(task);
	struct device_reference reference = device_reference_parse(inventory->wanted);
	struct inventory_device_match_parameters parameters = {
	    .account_id = wanted_account(task),
	    .name = inventory->wanted,
	};

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

static struct list_position device_position(const void *row)
{
	const struct inventory_device *device = row;

	return (struct list_position){.number = device->created_at_us, .id = device->id};
}

static const struct task_list devices = {
    .letter = 'w',
    .ask_short = ask_first_devices,
    .ask_part = ask_devices,
    .record = &inventory_device_record,
    .position = device_position,
};
static const struct task_list matching_devices = {
    .letter = 'W',
    .ask_short = ask_device_match,
    .record = &inventory_device_record,
};

static struct step_result reply_devices(struct task *task)
{
	return reply(task, &devices, &matching_devices);
}

const struct endpoint endpoint_inventory_device_list = {
    .handler = reply_devices,
    .state_size = sizeof(struct inventory),
    ENDPOINT_INVENTORY_DEVICE_LIST,
};

/* ---- keys ---- */

static void ask_keys(struct task *task, struct db_query *query, const struct list_range *range)
{
	statement_inventory_key_list(query,
				     &(struct inventory_key_list_parameters){
					 .account_id = wanted_account(task),
					 .after_created_at = range->after.number,
					 .after_id = range->after.id,
					 .row_limit = range->limit,
				     },
				     NULL);
}

static void ask_first_keys(struct task *task, struct db_query *query)
{
	ask_keys(task, query, &web_search_short);
}

static void ask_key_match(struct task *task, struct db_query *query)
{
	const struct inventory *inventory = task_state(task);

	statement_inventory_key_match(query,
				      &(struct inventory_key_match_parameters){
					  .account_id = wanted_account(task),
					  .key = inventory->wanted,
				      },
				      NULL);
}

static struct list_position key_position(const void *row)
{
	const struct inventory_key *key = row;

	return (struct list_position){.number = key->created_at_us, .id = key->id};
}

static void complete_key(struct task *task, void *row)
{
	struct inventory_key *key = row;

	key->event_streams = key_streams_count(task, key->secret_hash);
}

static const struct task_list keys = {
    .letter = 'x',
    .complete = complete_key,
    .ask_short = ask_first_keys,
    .ask_part = ask_keys,
    .record = &inventory_key_record,
    .position = key_position,
};
static const struct task_list matching_keys = {
    .letter = 'X',
    .complete = complete_key,
    .ask_short = ask_key_match,
    .record = &inventory_key_record,
};

static struct step_result reply_keys(struct task *task)
{
	return reply(task, &keys, &matching_keys);
}

const struct endpoint endpoint_inventory_key_list = {
    .handler = reply_keys,
    .state_size = sizeof(struct inventory),
    ENDPOINT_INVENTORY_KEY_LIST,
};

/* ---- apps ---- */

static void ask_apps(struct task *task, struct db_query *query, const struct list_range *range)
{
	const struct inventory *inventory = task_state(task);

	statement_inventory_app_list(query,
				     &(struct inventory_app_list_parameters){
					 .account_id = wanted_account(task),
					 .with_broken = inventory->with_broken,
					 .after_created_at = range->after.number,
					 .after_id = range->after.id,
					 .row_limit = range->limit,
				     },
				     NULL);
}

static void ask_first_apps(struct task *task, struct db_query *query)
{
	ask_apps(task, query, &web_search_short);
}

static struct list_position app_position(const void *row)
{
	const struct own_app *app = row;

	return (struct list_position){.number = app->created_at_us, .id = app->id};
}

static const struct task_list apps = {
    .letter = 'y',
    .parameters = {"broken"},
    .ask_short = ask_first_apps,
    .ask_part = ask_apps,
    .record = &own_app_record,
    .position = app_position,
};

static struct step_result reply_apps(struct task *task)
{
	struct inventory *inventory = task_state(task);
	struct step_result answer;

	if (task_has_bad_switch(task, "broken", &inventory->with_broken, &answer))
		return answer;
	return task_reply_list(task, &apps);
}

const struct endpoint endpoint_inventory_app_list = {
    .handler = reply_apps,
    .state_size = sizeof(struct inventory),
    ENDPOINT_INVENTORY_APP_LIST,
};

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

const struct endpoint endpoint_inventory_app_get = {
    .handler = find_app,
    .state_size = sizeof(struct app_search),
    ENDPOINT_INVENTORY_APP_GET,
};
