#include "import_store.h"
#include "api/pages.h"
#include "base/hex.h"
#include "base/limits.h"
#include "endpoints.h"
#include "import_report.h"
#include "import_state.h"
#include "task/access.h"
#include "task/failed_attempts.h"

/* Stores the devices of an import, each with its entries by one statement. */

/* Entry in the form of the statement. */
struct entry_line {
	int64_t number;
	struct str id;
	struct id app_id, version_id;
	struct str name, note, color_filter, recurrence_rule, recurrence_start;
	bool is_enabled, plays_whole, pins_itself, is_pinned, is_night;
	int64_t display_s, start_minute, end_minute, weekdays;
	struct str settings, secret_settings, settings_hash;
};

static const struct record_field entry_fields[] = {
    RECORD_INT8(struct entry_line, number, .name = "number"),
    RECORD_STR(struct entry_line, id, .name = "id"),
    RECORD_ID(struct entry_line, app_id, .name = "appId"),
    RECORD_ID(struct entry_line, version_id, .name = "versionId"),
    RECORD_STR(struct entry_line, name, .name = "name"),
    RECORD_STR(struct entry_line, note, .name = "note"),
    RECORD_STR(struct entry_line, color_filter, .name = "colorFilter"),
    RECORD_STR(struct entry_line, recurrence_rule, .name = "recurrenceRule"),
    RECORD_STR(struct entry_line, recurrence_start, .name = "recurrenceStart"),
    RECORD_BOOL(struct entry_line, plays_whole, .name = "playsWhole"),
    RECORD_BOOL(struct entry_line, pins_itself, .name = "pinsItself"),
    RECORD_BOOL(struct entry_line, is_enabled, .name = "isEnabled"),
    RECORD_BOOL(struct entry_line, is_pinned, .name = "isPinned"),
    RECORD_BOOL(struct entry_line, is_night, .name = "isNight"),
    RECORD_INT4(struct entry_line, display_s, .name = "displaySeconds"),
    RECORD_INT2(struct entry_line, start_minute, .name = "startMinute"),
    RECORD_INT2(struct entry_line, end_minute, .name = "endMinute"),
    RECORD_INT2(struct entry_line, weekdays, .name = "weekdays"),
    RECORD_STR(struct entry_line, settings, .name = "settings"),
    RECORD_STR(struct entry_line, secret_settings, .name = "secretSettings"),
    RECORD_STR(struct entry_line, settings_hash, .name = "settingsHash"),
};
static const struct record entry_record = RECORD(struct entry_line, entry_fields);

struct device_line {
	struct tronbyt_device device;
	struct str alias; /* data is NULL: none */
	bool is_guessable, is_open;
	struct str entries; /* JSON */
};

static const struct record_field device_fields[] = {
    RECORD_STR(struct device_line, device.former_id, .name = "formerId"),
    RECORD_STR(struct device_line, alias, .name = "alias", .nullable = true),
    RECORD_BOOL(struct device_line, is_guessable, .name = "aliasIsGuessable"),
    RECORD_BOOL(struct device_line, is_open, .name = "aliasIsOpen"),
    RECORD_STR(struct device_line, device.name, .name = "name"),
    RECORD_STR(struct device_line, device.timezone, .name = "timezone"),
    RECORD_STR(struct device_line, device.place, .name = "place"),
    RECORD_STR(struct device_line, device.locale, .name = "locale"),
    RECORD_STR(struct device_line, device.board, .name = "board", .nullable = true),
    RECORD_STR(struct device_line, device.size, .name = "size"),
    RECORD_STR(struct device_line, device.brightness_curve, .name = "brightnessCurve"),
    RECORD_STR(struct device_line, device.color_filter, .name = "colorFilter"),
    RECORD_STR(struct device_line, device.night_color_filter, .name = "nightColorFilter"),
    RECORD_STR(struct device_line, device.dim_color_filter, .name = "dimColorFilter"),
    RECORD_STR(struct device_line, device.note, .name = "note"),
    RECORD_INT2(struct device_line, device.brightness, .name = "brightness"),
    RECORD_INT4(struct device_line, device.schedule_interval_s, .name = "scheduleInterval"),
    RECORD_BOOL(struct device_line, device.sleep_enabled, .name = "sleepEnabled"),
    RECORD_INT2(struct device_line, device.sleep_start_minute, .name = "sleepStart"),
    RECORD_INT2(struct device_line, device.sleep_end_minute, .name = "sleepEnd"),
    RECORD_INT2(struct device_line, device.night_brightness, .name = "nightBrightness"),
    RECORD_BOOL(struct device_line, device.dim_enabled, .name = "dimEnabled"),
    RECORD_INT2(struct device_line, device.dim_start_minute, .name = "dimStart"),
    RECORD_INT2(struct device_line, device.dim_brightness, .name = "dimBrightness"),
    RECORD_JSON(struct device_line, entries, .name = "entries"),
};
static const struct record device_line_record = RECORD(struct device_line, device_fields);

static struct str to_hex(struct arena *arena, struct str bytes)
{
	char *text = arena_alloc(arena, 2 * bytes.length + 1);

	hex_encode(bytes.data, bytes.length, text);
	return (struct str){text, 2 * bytes.length};
}

static struct entry_line line_of(struct arena *arena, const struct tronbyt_entry *file,
				 const struct import_entry *entry, unsigned index)
{
	return (struct entry_line){
	    .number = index + 1,
	    .id = str_from(entry->id),
	    .app_id = entry->app_id,
	    .version_id = entry->version_id,
	    .name = file->name.data ? file->name : STR(""),
	    .note = file->note.data ? file->note : STR(""),
	    .color_filter = file->color_filter,
	    .plays_whole = file->plays_whole,
	    .pins_itself = file->pins_itself,
	    .recurrence_rule = file->recurrence_rule,
	    .recurrence_start = file->recurrence_start,
	    .is_enabled = file->is_enabled,
	    .is_pinned = file->is_pinned,
	    .is_night = file->is_night,
	    .display_s = file->display_s,
	    .start_minute = file->start_minute,
	    .end_minute = file->end_minute,
	    .weekdays = file->weekdays,
	    .settings = entry->stored.open,
	    .secret_settings =
		entry->stored.encrypted.data ? to_hex(arena, entry->stored.encrypted) : STR(""),
	    .settings_hash = to_hex(arena, entry->stored.hash),
	};
}

static struct str write_entries(struct arena *arena, const struct tronbyt_device *file,
				const struct import_device *device)
{
	struct buffer json = {0};
	struct str text;

	buffer_append_char(&json, '[');
	for (unsigned i = 0; i < file->entry_count; i++) {
		struct entry_line line;

		if (!device->entries[i].comes)
			continue;
		if (buffer_length(&json) > 1)
			buffer_append_char(&json, ',');
		line = line_of(arena, &file->entries[i], &device->entries[i], i);
		record_write_json(&entry_record, &line, &json);
	}
	buffer_append_char(&json, ']');
	text = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	return text;
}

static struct str write_line(struct arena *arena, const struct tronbyt_device *file,
			     const struct import_device *device)
{
	struct device_line line = {.device = *file,
				   .alias = device->has_alias ? file->alias : (struct str){0},
				   .is_guessable = device->has_alias && file->is_guessable,
				   .is_open = device->has_alias && device->is_open,
				   .entries = write_entries(arena, file, device)};
	struct buffer json = {0};
	struct str text;

	record_write_json(&device_line_record, &line, &json);
	text = arena_copy(arena, buffer_view(&json));
	buffer_finish(&json);
	return text;
}

/* Notes entries whose app got a new deployed version meanwhile. */
static void note_missing(struct tronbyt_importing *importing, struct import_device *device)
{
	const struct tronbyt_device *file = import_file_device(importing);
	struct str rest = importing->stored.missing, text;
	unsigned long long number;

	while (rest.length && str_next(&rest, ',', &text)) {
		if (!str_to_uint64(text, file->entry_count, &number) || number == 0)
			continue;
		device->entry_count--;
		import_note(importing, &file->entries[number - 1], STR("entry"),
			    "its app's version changed during the import");
	}
}

static void tell_pages(struct task *task)
{
	api_tell_pages(task, task_account_id(task), STR("devices"));
	api_tell_pages(task, task_account_id(task), STR("account"));
	api_tell_pages(task, (struct id){0}, STR("admin"));
}

/* An import reveals whether another device has a former address, so it counts as an attempt. */
static bool begin_attempt(struct task *task, const struct import_device *device)
{
	return !device->has_alias ||
	       alias_attempt_begins(task_service(task), task_request(task)->remote_address);
}

static void end_attempt(struct task *task, const struct import_device *device)
{
	if (device->has_alias)
		alias_attempt_succeeded(task_service(task), task_request(task)->remote_address);
}

static struct step_result stored(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	struct import_device *device = &importing->devices[importing->device];

	if (task_row_count(task) == 0)
		return task_refuse(task);
	end_attempt(task, device);
	if (importing->stored.is_stored) {
		note_missing(importing, device);
		tell_pages(task);
	} else {
		device->state = IMPORT_FAILED;
		import_note(importing, NULL, STR("device"), "the account has %d devices already",
			    LIMIT_DEVICES_OF_ACCOUNT);
	}
	importing->device++;
	return task_continue(task, import_store);
}

static struct str key_hash_of(const struct tronbyt_device *file, const struct import_device *device)
{
	if (!file->is_guessable && !file->needs_key)
		return (struct str){0};
	return (struct str){(const char *)device->alias_key_hash, KEY_HASH_BYTES};
}

static struct step_result store_line(struct task *task, struct str line)
{
	struct tronbyt_importing *importing = task_state(task);
	const struct tronbyt_device *file = import_file_device(importing);
	const struct import_device *device = &importing->devices[importing->device];
	bool is_of_operator = task_is_of_operator(task);
	struct id session_id = {0};

	if (is_of_operator)
		session_id = access_operator_session();
	statement_tronbyt_import(
	    task_new_query(task),
	    &(struct tronbyt_import_parameters){
		.account_id = task_account_id(task),
		.id = device->id,
		.line = line,
		.link_key_hash = {(const char *)device->key_hash, KEY_HASH_BYTES},
		.alias_key_hash = key_hash_of(file, device),
		.device_limit = is_of_operator ? INT32_MAX : LIMIT_DEVICES_OF_ACCOUNT,
		.address = task_request(task)->remote_address,
		.session_id = session_id,
	    },
	    &importing->stored);
	return task_query(task, stored);
}

static bool write_large_line(void *argument)
{
	struct tronbyt_importing *importing = argument;

	importing->line = write_line(&importing->line_arena, import_file_device(importing),
				     &importing->devices[importing->device]);
	return false;
}

static struct step_result large_line_written(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);

	arena_adopt(task_arena(task), &importing->line_arena);
	return store_line(task, importing->line);
}

/* About the bytes of its line. */
static size_t line_bytes(const struct tronbyt_device *file, const struct import_device *device)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < file->entry_count; i++)
		if (device->entries[i].comes)
			bytes += IMPORT_ENTRY_BYTES + device->entries[i].stored.open.length +
				 2 * device->entries[i].stored.encrypted.length;
	return bytes;
}

static struct step_result store_device(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	const struct tronbyt_device *file = import_file_device(importing);
	const struct import_device *device = &importing->devices[importing->device];
	size_t bytes = line_bytes(file, device);

	if (bytes <= LIMIT_LOOP_TEXT_BYTES)
		return store_line(task, write_line(task_arena(task), file, device));
	/* Devices before this one were stored: what they began is not refused. */
	return task_work(task, LANE_LONG,
			 &(struct task_work){.run = write_large_line,
					     .argument = importing,
					     .size = bytes / TASK_TEXT_BYTES,
					     .is_text = true,
					     .goes_on = true},
			 large_line_written);
}

struct step_result import_store(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	struct import_device *device;

	for (; importing->device < importing->body.export.device_count; importing->device++) {
		device = &importing->devices[importing->device];
		if (device->state != IMPORT_NEW)
			continue;
		if (begin_attempt(task, device))
			return store_device(task);
		device->state = IMPORT_FAILED;
		import_note(importing, NULL, STR("device"),
			    "too many of the addresses belong to other devices here; import it "
			    "again in a minute");
	}
	return import_report(task);
}

/* ---- claims of addresses ---- */

static struct step_result claimed(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	unsigned wait_s = (unsigned)importing->claims.wait_s;

	if (task_row_count(task) == 0)
		return task_refuse(task);
	if (wait_s == 0)
		return task_continue(task, import_store);
	task_add_field(task, STR("Retry-After"), arena_decimal(task_arena(task), wait_s));
	return task_fail(task, PROBLEM_REQUESTS_TOO_MANY,
			 "the account has claimed too many former addresses, at most %d a day; "
			 "import without keepAddresses, or try again in %u s",
			 LIMIT_ADDRESS_CLAIMS_PER_DAY, wait_s);
}

struct step_result import_claim(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	int32_t claims = 0;

	for (unsigned i = 0; i < importing->body.export.device_count; i++)
		claims +=
		    importing->devices[i].state == IMPORT_NEW && importing->devices[i].has_alias;
	if (claims == 0 || task_is_of_operator(task))
		return task_continue(task, import_store);
	statement_address_claims(task_new_query(task),
				 &(struct address_claims_parameters){
				     .account_id = task_account_id(task), .claims = claims},
				 &importing->claims);
	return task_query(task, claimed);
}

/* Another request took the name or address, or PostgreSQL lacks the time zone: imports the device
 * without it. */
struct step_result import_refused(struct task *task)
{
	struct tronbyt_importing *importing = task_state(task);
	struct import_device *device = &importing->devices[importing->device];

	switch (task_constraint_error(task)) {
	case CONSTRAINT_ALIAS_TAKEN:
		device->has_alias = false;
		import_note(importing, NULL, STR("address"), "another device here uses it");
		break;
	case CONSTRAINT_DEVICE_IMPORTED:
		end_attempt(task, device);
		device->state = IMPORT_THERE;
		device->id = (struct id){0};
		break;
	case CONSTRAINT_UNKNOWN_TIMEZONE:
		end_attempt(task, device);
		import_file_device(importing)->timezone = STR("UTC");
		import_note(importing, NULL, STR("time zone"),
			    "is not a known time zone: set to UTC");
		break;
	default:
		return task_fail_constraint(task);
	}
	return task_continue(task, import_store);
}
