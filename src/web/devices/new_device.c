#include "api/device_urls.h"
#include "base/limits.h"
#include "delivery/delivery.h"
#include "domain/device_reference.h"
#include "domain/key.h"
#include "own_device.h"
#include "web/changed.h"
#include "web/endpoints.h"

/* POST /web/devices - adds a device. POST /web/devices/{deviceId}/key - gives a device a new key:
 * the old one becomes invalid for all workers, and connections made with it end. The key is shown
 * only once: its hash is stored. */

struct new_device {
	struct device_creation body; /* first: the pre-handler checks read the request into it */
	struct id id;
	char key[LINK_KEY_LENGTH + 1];
	uint8_t key_hash[KEY_HASH_BYTES];
	uint8_t mac[MAC_BYTES];
	struct own_device_create_row created;
	struct own_device_key_row changed;
	struct own_device_get_row row;
	struct device_link link;
	struct str key_text;
	bool is_loopback_only;
};

static const struct record_field new_device_fields[] = {
    RECORD_OPEN(.name = "device"),
    RECORD_ROW(struct new_device, row, &own_device_record, .is_shown = true),
    RECORD_CLOSE(),
    RECORD_OPEN(.name = "link"),
    RECORD_STR(struct new_device, link.websocket_url, .name = "webSocketUrl"),
    RECORD_STR(struct new_device, link.polling_url, .name = "pollingUrl"),
    RECORD_STR(struct new_device, key_text, .name = "key"),
    RECORD_OPEN(.name = "reach"),
    RECORD_BOOL(struct new_device, is_loopback_only, .name = "isLoopbackOnly"),
    RECORD_CLOSE(),
    RECORD_CLOSE(),
};
static const struct record new_device_record = RECORD(struct new_device, new_device_fields);

static struct str hash_of(const struct new_device *device)
{
	return (struct str){(const char *)device->key_hash, KEY_HASH_BYTES};
}

/* Makes the key and the URLs. Returns false if they are too long for panels. */
static bool make_link(struct task *task, struct id id)
{
	const struct web_service *web = web_service_of(task);
	struct new_device *device = task_state(task);

	device->id = id;
	link_key_new(device->key);
	device->key_text = str_from(device->key);
	key_hash(device->key_text, device->key_hash);
	device->link =
	    device_link_make(task_arena(task), str_from(web->api.panel_url), id, device->key_text);
	device->is_loopback_only = site_is_loopback_url(web->api.panel_url);
	return device->link.excess == 0;
}

static struct step_result fail_link(struct task *task)
{
	const struct new_device *device = task_state(task);

	return api_fail_link(task, &device->link, "--public-url");
}

static struct step_result new_device_found(struct task *task)
{
	const struct new_device *device = task_state(task);

	if (task_row_count(task) == 0)
		return own_device_fail(task);
	return task_reply_record(task, 201, &new_device_record, device);
}

static struct step_result new_device_reply(struct task *task)
{
	struct new_device *device = task_state(task);

	statement_own_device_get(task_new_query(task),
				 &(struct own_device_get_parameters){
				     .id = device->id,
				     .account_id = task_account_id(task),
				 },
				 &device->row);
	return task_query(task, new_device_found);
}

/* ---- a new device ---- */

static struct step_result created(struct task *task)
{
	const struct new_device *device = task_state(task);

	if (task_row_count(task) == 0)
		return task_refuse(task);
	if (!device->created.is_stored)
		return task_fail(task, PROBLEM_DEVICES_TOO_MANY,
				 "the account has %d devices already: remove one first",
				 LIMIT_DEVICES_OF_ACCOUNT);
	web_changed(task, task_account_id(task), "devices");
	web_changed(task, task_account_id(task), "account");
	web_changed(task, (struct id){0}, "admin");
	return new_device_reply(task);
}

static struct step_result create(struct task *task)
{
	struct new_device *device = task_state(task);
	const struct device_creation *body = &device->body;
	bool has_mac = mac_parse(body->mac_address, device->mac);

	if (!make_link(task, id_new()))
		return fail_link(task);
	statement_own_device_create(
	    task_new_query(task),
	    &(struct own_device_create_parameters){
		.account_id = task_account_id(task),
		.id = device->id,
		.name = body->name,
		.timezone = body->timezone,
		.serial = body->serial_number,
		.mac = {has_mac ? (const char *)device->mac : NULL, MAC_BYTES},
		.link_key_hash = hash_of(device),
		/* No limit for the operator, who knows the machine. */
		.device_limit = task_is_of_operator(task) ? INT32_MAX : LIMIT_DEVICES_OF_ACCOUNT,
		.address = web_address(task),
		.session_id = web_session_id(task),
	    },
	    &device->created);
	return task_query(task, created);
}

static struct step_result refused(struct task *task)
{
	switch (task_constraint_error(task)) {
	case CONSTRAINT_SERIAL_TAKEN:
		return task_fail(task, PROBLEM_SERIAL_NUMBER_USED,
				 "another device of the account has this serial number");
	case CONSTRAINT_MAC_TAKEN:
		return task_fail(task, PROBLEM_MAC_ADDRESS_USED,
				 "another device of the account has this MAC address");
	default:
		return web_fail_constraint(task);
	}
}

/* ---- a new key ---- */

static struct step_result changed(struct task *task)
{
	const struct new_device *device = task_state(task);

	if (task_row_count(task) == 0)
		return own_device_fail(task);
	delivery_device_changed(web_delivery(task), device->id, device->changed.generation);
	return new_device_reply(task);
}

static struct step_result change_key(struct task *task)
{
	struct new_device *device = task_state(task);

	if (!make_link(task, task_device(task)->id))
		return fail_link(task);
	statement_own_device_key(task_new_query(task),
				 &(struct own_device_key_parameters){
				     .id = device->id,
				     .account_id = task_account_id(task),
				     .link_key_hash = hash_of(device),
				     .address = web_address(task),
				     .session_id = web_session_id(task),
				 },
				 &device->changed);
	return task_query(task, changed);
}

ENDPOINT_OWN_DEVICE_CREATE(.handler = create, .state_size = sizeof(struct new_device),
			   .refused = refused);
ENDPOINT_OWN_DEVICE_KEY(.handler = change_key, .state_size = sizeof(struct new_device));
