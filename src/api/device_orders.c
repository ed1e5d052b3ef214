#include "api/device_urls.h"
#include "api/operator_note.h"
#include "delivery/delivery.h"
#include "domain/key.h"
#include "domain/panel_report.h"
#include "domain/secret_settings.h"
#include "endpoints.h"

/* POST /v1/devices/{deviceId}/reboot - restarts the device's panel: at once, or at its next poll.
 * POST /v1/devices/{deviceId}/move-address - moves it from its former address to its own: it is
 * sent a second key, and restarts. */

struct ordering {
	struct device_panel_row panel;
	char key[LINK_KEY_LENGTH + 1];
	uint8_t key_hash[KEY_HASH_BYTES];
	union {
		struct device_reboot_row rebooted;
		struct device_move_row moved;
	};
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

static struct step_result reply(struct task *task)
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
	return api_note_change(task, "device.reboot", STR(""), reply);
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

/* ---- another address ---- */

static struct step_result moved(struct task *task)
{
	const struct ordering *ordering = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_FORMER_ADDRESS_NEEDED,
				 "the device has no former address");
	delivery_device_changed(api_delivery(task), task_device(task)->id,
				ordering->moved.generation);
	return api_note_change(task, "device.move", STR(""), reply);
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
	    },
	    &ordering->moved);
	return task_query(task, moved);
}

static struct step_result move(struct task *task)
{
	struct ordering *ordering = task_state(task);
	struct device_link link;

	if (task_row_count(task) == 0)
		return fail_none(task);
	if (!ordering->panel.alias.length)
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
	link = device_link_make(task_arena(task), str_from(api_service(task)->panel_url),
				task_device(task)->id, str_from(ordering->key));
	if (link.excess)
		return api_fail_link(task, &link);
	return store_move(task);
}

static struct step_result begin_move(struct task *task)
{
	return ask_panel(task, move);
}

ENDPOINT_DEVICE_MOVE(.handler = begin_move, .state_size = sizeof(struct ordering));

struct step_result api_fail_link(struct task *task, const struct device_link *link)
{
	return task_fail(task, PROBLEM_PUBLIC_URL_TOO_LONG,
			 "device URL has %zu characters, maximum %d; shorten --public-url by %zu",
			 link->polling_url.length, DEVICE_URL_LENGTH_MAX, link->excess);
}
