#include "access_device_key.h"
#include "domain/device_reference.h"
#include "endpoints.h"
#include "metric/metric.h"
#include "task/failed_attempts.h"

#include <text/reach.h>

struct device_access {
	struct panel_lookup lookup; /* zeroed at the start */
	struct task *task;
	struct panel *panel;
	bool is_attempt; /* attempt at a former address, which was counted */
};

/* Keys of other servers have no fixed form. */
enum { ALIAS_KEY_LENGTH_MAX = 256 };

/* Header names are spelled as the firmware searches for them. */
struct step_result access_refuse_panel(struct task *task)
{
	metric_add(METRIC_UNAUTHENTICATED, METRIC_ACCESS_DEVICE_KEY, 1);
	task_add_field(task, STR("Tronbyt-Brightness"), STR("20"));
	task_add_field(task, STR("Cache-Control"), STR("no-store"));
	return task_reply(task, 404, STR("image/webp"),
			  delivery_refusal_picture(access_panel_lookup(task)));
}

/* Firmware from v1.6.1 on cuts the key out of the query and sends it as a bearer token. */
static struct str link_key(struct task *task)
{
	struct http_request *request = task_request(task);
	struct str key = http_request_query(request, STR("key"));
	struct str authorization;

	if (key.data)
		return key;
	authorization = http_request_field(request, STR("authorization"));
	if (authorization.length > 7 &&
	    str_equal_ignore_case((struct str){authorization.data, 7}, STR("bearer ")))
		return str_trim(str_from_offset(authorization, 7));
	return (struct str){0};
}

/* Counts a wrong key; a former address was counted already, and is given back if it is right. */
static void note_attempt(struct task *task, const struct device_access *access)
{
	const struct panel_lookup *lookup = &access->lookup;
	bool is_wrong = !access->panel && !lookup->is_undecided && !lookup->is_disabled;
	struct str address = task_request(task)->remote_address;

	if (access->is_attempt && !is_wrong)
		alias_attempt_succeeded(task_service(task), address);
	else if (is_wrong && !lookup->way.is_alias)
		failed_attempts_count(task_service(task), address);
}

static struct step_result access_device_key_found(struct task *task)
{
	const struct device_access *access = task_access_state(task);
	char text[ID_TEXT_LENGTH + 1];

	note_attempt(task, access);
	if (!access->panel)
		return access_refuse_panel(task);
	id_format(delivery_panel_id(access->panel), text);
	task_request(task)->log_device = arena_copy(task_arena(task), str_from(text));
	return task_admit_unlimited(task);
}

static void on_found(struct panel_lookup *lookup, struct panel *panel)
{
	struct device_access *access = container_of(lookup, struct device_access, lookup);

	access->panel = panel;
	task_resume(access->task);
}

/* Whether too many wrong keys came from the panel's address, so that its device is not looked up.
 */
static bool has_failed_too_often(struct task *task, const struct device_reference *reference,
				 struct str key)
{
	return !failed_attempts_allow(task_service(task), task_request(task)->remote_address)
		    .is_allowed &&
	       !delivery_knows(api_delivery(task), reference, key);
}

static struct step_result access_device_key_check(struct task *task)
{
	struct device_access *access = task_access_state(task);
	struct str key = link_key(task);
	struct device_reference reference = device_reference_parse(task_path_parameter(task, 0));

	access->task = task;
	access->lookup.done = on_found;
	if (!link_key_is_well_formed(key) || has_failed_too_often(task, &reference, key))
		return access_refuse_panel(task);
	if (delivery_find(api_delivery(task), &access->lookup, &reference, key, &access->panel))
		return access_device_key_found(task);
	return task_wait(task, access_device_key_found);
}

struct panel *access_panel(struct task *task)
{
	const struct device_access *access = task_access_state(task);

	return access->panel;
}

struct panel_lookup *access_panel_lookup(struct task *task)
{
	struct device_access *access = task_access_state(task);

	return &access->lookup;
}

/* ---- a former address ---- */

/* Whether a request comes from a private network. One that came to this machine through a proxy
 * that is not trusted may come from anywhere. */
static bool is_near(const struct http_request *request)
{
	struct address address;

	if (!address_read(request->remote_address, &address) || !address_is_private(&address))
		return false;
	return !str_starts_with(request->remote_address, STR("127.")) ||
	       !(http_request_field(request, STR("x-forwarded-for")).data ||
		 http_request_field(request, STR("forwarded")).data);
}

static struct step_result check_alias(struct task *task)
{
	struct device_access *access = task_access_state(task);
	struct delivery *delivery = api_delivery(task);
	struct str name = task_path_parameter(task, 0), key = link_key(task);
	/* Name for the look-up, which goes by is_alias. */
	struct device_reference reference = {
	    .kind = DEVICE_REFERENCE_SERIAL,
	    .serial = alias_parse(name, arena_alloc(task_arena(task), ALIAS_LENGTH_MAX))};

	access->task = task;
	access->lookup.done = on_found;
	access->lookup.way.is_alias = true;
	access->lookup.way.is_near = is_near(task_request(task));
	task_request(task)->log_hides_path = true;
	if (!reference.serial.data || key.length > ALIAS_KEY_LENGTH_MAX)
		return access_refuse_panel(task);
	alias_hash(reference.serial, access->lookup.way.alias_hash);
	access->is_attempt = !delivery_knows_alias(delivery, &access->lookup, key);
	if (access->is_attempt &&
	    !alias_attempt_begins(task_service(task), task_request(task)->remote_address))
		return access_refuse_panel(task);
	if (delivery_find(delivery, &access->lookup, &reference, key, &access->panel))
		return access_device_key_found(task);
	return task_wait(task, access_device_key_found);
}

const struct access access_device_alias = {
    .metric = METRIC_ACCESS_DEVICE_KEY,
    .check = check_alias,
    .refuse = access_refuse_panel,
    .state_size = sizeof(struct device_access),
};

const struct access access_device_key = {
    .metric = METRIC_ACCESS_DEVICE_KEY,
    .check = access_device_key_check,
    .refuse = access_refuse_panel,
    .state_size = sizeof(struct device_access),
};
