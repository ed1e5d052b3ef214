#include "api/device_urls.h"
#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "domain/firmware.h"
#include "domain/key.h"
#include "domain/panel_report.h"
#include "domain/secret_settings.h"
#include "endpoints.h"

/* POST /v1/devices/{deviceId}/reboot - restarts the device's panel: at once, or at its next poll.
 * POST /v1/devices/{deviceId}/move-address - moves it from its former address to its own: it is
 * sent a second key, and restarts. PATCH /v1/devices/{deviceId}/firmware - changes settings of its
 * firmware, or moves it to another address of this server. */

struct ordering {
	struct firmware_change change; /* first: the pre-handler checks read a body into it */
	struct device_panel_row panel;
	char key[LINK_KEY_LENGTH + 1];
	uint8_t key_hash[KEY_HASH_BYTES];
	union {
		struct device_reboot_row rebooted;
		struct device_move_row moved;
		struct firmware_set_row set;
	};
	struct firmware firmware;
	bool is_v0;
};

static struct step_result fail_none(struct task *task)
{
	return task_fail(task, PROBLEM_DEVICE_NOT_FOUND, "there is no such device");
}

static struct step_result ask_panel(struct task *task, task_step *next)
{
	struct ordering *ordering = task_state(task);

	statement_device_panel(task_new_query(task),
			       &(struct device_panel_parameters){task_device(task)->id},
			       &ordering->panel);
	return task_query(task, next);
}

static bool is_offline(struct task *task)
{
	const struct device_panel_row *panel = &((struct ordering *)task_state(task))->panel;
	int64_t since_us;

	return !delivery_is_online(api_delivery(task), task_device(task)->id, panel->last_online_at,
				   panel->has_connected, &since_us);
}

static struct step_result fail_offline(struct task *task)
{
	return task_fail(task, PROBLEM_PANEL_OFFLINE, "the panel is offline");
}

static struct step_result fail_old(struct task *task)
{
	const struct device_panel_row *panel = &((struct ordering *)task_state(task))->panel;

	return task_fail(task, PROBLEM_FIRMWARE_TOO_OLD,
			 "the panel's firmware is %.*s; orders require 1.4.8 or newer",
			 STR_ARG(panel->firmware_version));
}

/* ---- restart ---- */

static struct step_result device_orders_reply(struct task *task)
{
	return task_reply_empty(task, 200);
}

static struct step_result rebooted(struct task *task)
{
	const struct ordering *ordering = task_state(task);

	if (task_row_count(task) == 0)
		return fail_none(task);
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				ordering->rebooted.generation);
	return api_note_change(task, "device.reboot", STR(""), device_orders_reply);
}

static struct step_result reboot(struct task *task)
{
	struct ordering *ordering = task_state(task);

	if (task_row_count(task) == 0)
		return fail_none(task);
	if (panel_orders_of(ordering->panel.firmware_version) == PANEL_ORDERS_NONE)
		return fail_old(task);
	if (is_offline(task))
		return fail_offline(task);
	statement_device_reboot(task_new_query(task),
				&(struct device_reboot_parameters){task_device(task)->id},
				&ordering->rebooted);
	return task_query(task, rebooted);
}

static struct step_result begin_reboot(struct task *task)
{
	return ask_panel(task, reboot);
}

ENDPOINT_DEVICE_REBOOT(.handler = begin_reboot, .state_size = sizeof(struct ordering));

/* ---- settings of the firmware ---- */

static struct step_result firmware_shown(struct task *task)
{
	const struct ordering *ordering = task_state(task);

	if (task_row_count(task) == 0)
		return fail_none(task);
	return task_reply_record(task, 200, &firmware_record, &ordering->firmware);
}

static struct step_result ask_firmware(struct task *task, task_step *next)
{
	struct ordering *ordering = task_state(task);

	statement_firmware_get(task_new_query(task),
			       &(struct firmware_get_parameters){task_device(task)->id},
			       &ordering->firmware);
	return task_query(task, next);
}

static struct step_result show_firmware(struct task *task)
{
	return ask_firmware(task, firmware_shown);
}

static struct step_result firmware_is_set(struct task *task)
{
	const struct ordering *ordering = task_state(task);

	if (task_row_count(task) == 0)
		return fail_none(task);
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				ordering->set.generation);
	return api_note_change(task, "device.firmware", STR(""),
			       ordering->is_v0 ? device_orders_reply : show_firmware);
}

static struct step_result store_firmware(struct task *task)
{
	struct ordering *ordering = task_state(task);
	const struct firmware_change *change = &ordering->change;

	statement_firmware_set(task_new_query(task),
			       &(struct firmware_set_parameters){
				   .id = task_device(task)->id,
				   .settings = firmware_change_write(change, task_arena(task)),
			       },
			       &ordering->set);
	return task_query(task, firmware_is_set);
}

static struct step_result set_firmware(struct task *task)
{
	const struct ordering *ordering = task_state(task);

	if (task_row_count(task) == 0)
		return fail_none(task);
	if (panel_orders_of(ordering->panel.firmware_version) == PANEL_ORDERS_NONE)
		return fail_old(task);
	if (is_offline(task))
		return fail_offline(task);
	if (delivery_is_polling(api_delivery(task), task_device(task)->id))
		return task_fail(task, PROBLEM_PANEL_POLLS,
				 "the panel polls, and only a WebSocket carries settings of its "
				 "firmware; give the panel the device's WebSocket URL");
	return store_firmware(task);
}

static bool has_settings(struct task *task)
{
	const struct ordering *ordering = task_state(task);

	return !str_equal(firmware_change_write(&ordering->change, task_arena(task)), STR("{}"));
}

/* ---- another address ---- */

static struct str new_address(struct task *task)
{
	return ((const struct ordering *)task_state(task))->change.address;
}

static struct step_result moved(struct task *task)
{
	const struct ordering *ordering = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_FORMER_ADDRESS_NEEDED,
				 "the device has no former address");
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				ordering->moved.generation);
	return api_note_change(task, "device.move", new_address(task),
			       new_address(task).length ? show_firmware : device_orders_reply);
}

static struct step_result store_move(struct task *task)
{
	struct ordering *ordering = task_state(task);
	struct id id = task_device(task)->id;
	struct arena *arena = task_arena(task);
	struct buffer encrypted = {0};
	struct str order_key;

	settings_encrypt(api_service(task)->settings_key, id, STR(ORDER_KEY_LABEL),
			 str_from(ordering->key), &encrypted);
	order_key = arena_copy(arena, buffer_view(&encrypted));
	buffer_finish(&encrypted);
	statement_device_move(
	    task_new_query(task),
	    &(struct device_move_parameters){
		.id = id,
		.second_key_hash = {(const char *)ordering->key_hash, KEY_HASH_BYTES},
		.order_key = order_key,
		.url = new_address(task),
	    },
	    &ordering->moved);
	return task_query(task, moved);
}

static struct step_result move(struct task *task)
{
	struct ordering *ordering = task_state(task);
	struct str address = new_address(task);
	struct device_link link;

	if (task_row_count(task) == 0)
		return fail_none(task);
	if (!ordering->panel.alias.length && !new_address(task).length)
		return task_fail(task, PROBLEM_FORMER_ADDRESS_NEEDED,
				 "the device has no former address");
	switch (panel_orders_of(ordering->panel.firmware_version)) {
	case PANEL_ORDERS_NONE:
		return fail_old(task);
	case PANEL_ORDERS_UNKNOWN:
		return task_fail(task, PROBLEM_FIRMWARE_TOO_OLD,
				 "the panel has not reported its firmware version; orders require "
				 "1.4.8 or newer");
	default:
		break;
	}
	if (is_offline(task))
		return fail_offline(task);
	if (delivery_has_several_connections(api_delivery(task), task_device(task)->id))
		return task_fail(task, PROBLEM_PANELS_SEVERAL,
				 "the device has several panel connections, and each of them would "
				 "get the new address; disconnect the others");
	if (delivery_has_guessed(api_delivery(task), task_device(task)->id))
		return task_fail(task, PROBLEM_PANEL_UNPROVEN,
				 "the panel uses a former address that others can guess, without "
				 "its key and from a public network, so it is not told the new "
				 "address; move it from a private network");
	link_key_new(ordering->key);
	key_hash(str_from(ordering->key), ordering->key_hash);
	link = device_link_make(task_arena(task),
				address.length ? address : str_from(api_service(task)->panel_url),
				task_device(task)->id, str_from(ordering->key));
	if (link.excess)
		return api_fail_link(task, &link, address.length ? "the address" : "--public-url");
	return store_move(task);
}

static struct step_result begin_move(struct task *task)
{
	return ask_panel(task, move);
}

ENDPOINT_DEVICE_MOVE(.handler = begin_move, .state_size = sizeof(struct ordering));

/* A key for chosen devices may not lead a panel away: the panel would follow after the key's end.
 */
static struct step_result begin_firmware(struct task *task)
{
	const struct ordering *ordering = task_state(task);

	if (ordering->change.address.length && task_key_devices(task).count)
		return task_fail(task, PROBLEM_KEY_FOR_CHOSEN_DEVICES,
				 "the API key is for chosen devices, and cannot change the address "
				 "of a panel; use a key for all devices");
	if (ordering->change.address.length)
		return ask_panel(task, move);
	return ask_panel(task, set_firmware);
}

ENDPOINT_FIRMWARE_SET(.handler = begin_firmware, .state_size = sizeof(struct ordering));

struct step_result api_fail_link(struct task *task, const struct device_link *link,
				 const char *origin)
{
	return task_fail(task, PROBLEM_PUBLIC_URL_TOO_LONG,
			 "device URL has %zu characters, maximum %d; shorten %s by %zu",
			 link->polling_url.length, DEVICE_URL_LENGTH_MAX, origin, link->excess);
}

/* The panel's address only shows: programs send back what GET returned. */
static struct step_result compared(struct task *task)
{
	const struct ordering *ordering = task_state(task);
	struct json_document document = {0};
	struct str now = {0}, told, reason;
	bool is_same;

	if (task_row_count(task) == 0)
		return fail_none(task);
	if (json_parse(ordering->firmware.settings, task_arena(task), &document, &reason))
		(void)json_get_str(json_member(document.root, "imageUrl"), &now);
	is_same = json_get_str(ordering->change.image_url, &told) && str_equal(told, now);
	json_document_finish(&document);
	if (!is_same)
		return task_fail_field(task, "imageUrl",
				       "must be as GET returns it, or left out; PATCH "
				       "/v1/devices/{deviceId}/firmware changes the address");
	return has_settings(task) ? ask_panel(task, set_firmware) : device_orders_reply(task);
}

static struct step_result begin_v0_firmware(struct task *task)
{
	struct ordering *ordering = task_state(task);

	ordering->is_v0 = true;
	if (ordering->change.image_url)
		return ask_firmware(task, compared);
	return has_settings(task) ? ask_panel(task, set_firmware) : device_orders_reply(task);
}

ENDPOINT_V0_FIRMWARE_UPDATE(.handler = begin_v0_firmware, .state_size = sizeof(struct ordering));
