/* displayctl push: a picture of a file on a device, by the API's own checks and conversion. */
#include "domain/push.h"
#include "api/image_job.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "ctl/ctl.h"
#include "domain/device.h"
#include "domain/poll.h"
#include "domain/push_shown.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>

struct pushed_row {
	struct id device_id;
	struct str device_name;
	struct str installation_id; /* data is NULL for a temporary image */
	int64_t bytes;		    /* as a WebP */
	struct str shown;	    /* in words */
};

static const struct record_field pushed_fields[] = {
    RECORD_ID(struct pushed_row, device_id, .name = "deviceId"),
    RECORD_STR(struct pushed_row, device_name, .name = "device"),
    RECORD_STR(struct pushed_row, installation_id, .name = "installationId", .nullable = true),
    RECORD_INT8(struct pushed_row, bytes, .name = "bytes"),
    RECORD_STR(struct pushed_row, shown, .name = "shown"),
};
static const struct record pushed_record = RECORD(struct pushed_row, pushed_fields);

struct push {
	struct ctl *ctl;
	const char *path;
	struct buffer file, json;
	struct json_document document;
	struct push_body body; /* points into the document */
	struct pot pot;
	struct image_job job;
	struct device device;
};

/* ---- what would be the request's body ---- */

static enum ctl_exit load(struct push *push)
{
	enum { PIECE = 64 * 1024 };
	FILE *file = fopen(push->path, "re");
	bool has_failed;
	size_t length = 1;

	if (!file)
		return ctl_fail(CTL_USAGE, "%s: %s", push->path, strerror(errno));
	while (length > 0 && buffer_length(&push->file) <= PANELIMAGE_INPUT_MAX_BYTES) {
		length = fread(buffer_reserve(&push->file, PIECE), 1, PIECE, file);
		buffer_commit(&push->file, length);
	}
	has_failed = ferror(file);
	fclose(file);
	if (has_failed)
		return ctl_fail(CTL_USAGE, "%s: %s", push->path, strerror(EIO));
	return CTL_DONE;
}

static void write_body(struct push *push)
{
	struct str file = buffer_view(&push->file);
	size_t size = sodium_base64_encoded_len(file.length, sodium_base64_VARIANT_ORIGINAL);
	struct str duration = ctl_value(push->ctl, "duration");
	struct str installation = ctl_value(push->ctl, "installation");
	struct str expires_in = ctl_value(push->ctl, "expires-in");
	static const char *const switches[] = {"background", "wake", "hold"};

	buffer_append_str(&push->json, STR("{\"image\":\""));
	sodium_bin2base64(buffer_reserve(&push->json, size), size, (const uint8_t *)file.data,
			  file.length, sodium_base64_VARIANT_ORIGINAL);
	buffer_commit(&push->json, size - 1);
	buffer_append_char(&push->json, '"');
	if (duration.data)
		buffer_printf(&push->json, ",\"duration\":%.*s", STR_ARG(duration));
	if (installation.data) {
		buffer_append_str(&push->json, STR(",\"installationId\":"));
		json_write_str(&push->json, installation);
	}
	if (expires_in.data)
		buffer_printf(&push->json, ",\"expiresIn\":%.*s", STR_ARG(expires_in));
	for (size_t i = 0; i < array_length(switches); i++)
		if (ctl_value(push->ctl, switches[i]).data)
			buffer_printf(&push->json, ",\"%s\":true", switches[i]);
	buffer_append_char(&push->json, '}');
}

/* The API names members of a body; a person has given options and a file. */
static enum ctl_exit fail_faults(const struct push *push, const struct faults *faults)
{
	static const char *const names[][2] = {{"duration", "--duration"},
					       {"installationId", "--installation"},
					       {"background", "--background"},
					       {"expiresIn", "--expires-in"}};

	for (unsigned i = 0; i < faults->count; i++) {
		const char *name = push->path;

		for (size_t j = 0; j < array_length(names); j++)
			if (str_equal(faults->list[i].name, str_from(names[j][0])))
				name = names[j][1];
		ctl_fail(CTL_USAGE, "%s %.*s", name, STR_ARG(faults->list[i].detail));
	}
	return CTL_USAGE;
}

static enum ctl_exit read_body(struct push *push)
{
	struct arena *arena = &push->ctl->arena;
	struct faults faults;
	struct str reason;
	uint64_t present;

	faults_init(&faults, arena);
	write_body(push);
	if (!json_parse(buffer_view(&push->json), arena, &push->document, &reason))
		return ctl_fail(CTL_USAGE, "%.*s", STR_ARG(reason));
	record_read_json(&push_body_record, push->document.root, &push->body, &present, &faults);
	return faults.count ? fail_faults(push, &faults) : CTL_DONE;
}

/* ---- the picture ---- */

static enum ctl_exit convert(struct push *push)
{
	struct image_job *job = &push->job;
	bool has_memory = true;

	if (image_job_init(job, push->body.media_type, push->body.base64)) {
		has_memory = image_job_take_memory(job, &push->pot, push->device.account_id,
						   &push->ctl->arena);
		while (has_memory && image_job_begin(job))
			;
		if (has_memory && !job->is_converted)
			has_memory = image_job_take_animation(job);
		while (has_memory && !job->is_converted && image_job_convert(job))
			;
	}
	if (!has_memory || (job->has_failed && job->error.out_of_memory))
		return ctl_fail(CTL_FAILED, "%s: no memory is left to convert it", push->path);
	if (job->has_failed)
		return ctl_fail(CTL_USAGE, "%s: %s", push->path, job->error.text);
	if ((int64_t)job->result.size > push->device.picture_limit_bytes)
		return ctl_fail(
		    CTL_REFUSED, "%s takes %zu bytes as a WebP, and the device's board takes %lld",
		    push->path, job->result.size, (long long)push->device.picture_limit_bytes);
	return CTL_DONE;
}

/* ---- the device ---- */

static void ask_to_store(struct push *push)
{
	struct db_query *query = ctl_new_query(push->ctl);
	struct str picture = {(const char *)push->job.result.data, push->job.result.size};

	if (push->body.is_installation)
		statement_push_store_installation(
		    query,
		    &(struct push_store_installation_parameters){
			.device_id = push->device.id,
			.id = push->body.installation_id,
			.picture = picture,
			.in_background = push->body.in_background,
			.expires_in_s = (int32_t)push->body.expires_in_s,
			.is_held = push->body.is_held,
			.is_waking = push->body.is_waking,
		    },
		    NULL);
	else
		statement_push_store_temporary(query,
					       &(struct push_store_temporary_parameters){
						   .device_id = push->device.id,
						   .picture = picture,
						   .duration_s = (int32_t)push->body.duration_s,
						   .is_held = push->body.is_held,
						   .is_waking = push->body.is_waking,
					       },
					       NULL);
}

/* Without a server, the panel is known by what the database was told last. */
static struct str shown_words(struct push *push, const struct push_stored *stored)
{
	struct display_settings settings = display_settings_of(&push->device, &stored->sleep_set);
	int64_t wall_us = clock_wall_us();
	bool is_online = stored->has_connected &&
			 wall_us - stored->last_online_us < POLL_AGAIN_MAX_S * INT64_C(1000000);
	struct push_shown shown = push_shown_at(&settings, wall_us, &push->body, stored, is_online,
						stored->last_online_us);

	return push_shown_words(&shown, &push->ctl->arena);
}

/* The hint is lost if this fails; the servers' sweep finds the change later. */
static enum ctl_exit tell(struct push *push, struct id device_id, int64_t generation)
{
	struct ctl_rows rows;

	statement_device_tell(
	    ctl_new_query(push->ctl),
	    &(struct device_tell_parameters){.id = device_id, .generation = generation}, NULL);
	return ctl_query(push->ctl, &rows);
}

static enum ctl_exit tell_and_print(struct push *push, const struct push_stored *stored)
{
	struct pushed_row row = {
	    .device_id = push->device.id,
	    .device_name = push->device.name,
	    .installation_id =
		push->body.is_installation ? push->body.installation_id : (struct str){0},
	    .bytes = (int64_t)push->job.result.size,
	    .shown = shown_words(push, stored),
	};
	enum ctl_exit code = tell(push, push->device.id, stored->generation);

	return code == CTL_DONE ? ctl_print_row(push->ctl, &pushed_record, &row) : code;
}

static enum ctl_exit store(struct push *push);

/* Expired entries count no more for the device's limit, and their IDs are free. */
static enum ctl_exit expire(struct push *push)
{
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_device_expire(ctl_new_query(push->ctl),
				&(struct device_expire_parameters){push->device.id}, NULL);
	code = ctl_query(push->ctl, &rows);
	return code == CTL_DONE ? store(push) : code;
}

/* Expired entries of the account's devices count no more for its bytes. */
static enum ctl_exit make_room(struct push *push)
{
	const struct account_expire_row *expired;
	struct ctl_rows rows;
	enum ctl_exit code;

	statement_account_expire(ctl_new_query(push->ctl),
				 &(struct account_expire_parameters){push->device.account_id},
				 NULL);
	code = ctl_query(push->ctl, &rows);
	if (code != CTL_DONE)
		return code;
	if (rows.count == 0)
		return ctl_fail(CTL_REFUSED,
				"the device's account has no room for the picture, see "
				"displayctl account show");
	expired = rows.rows;
	code = tell(push, expired->id, expired->generation);
	return code == CTL_DONE ? store(push) : code;
}

static enum ctl_exit store(struct push *push)
{
	const struct push_stored *stored;
	struct ctl_rows rows;
	enum ctl_exit code;

	ask_to_store(push);
	code = ctl_query(push->ctl, &rows);
	if (code != CTL_DONE)
		return code;
	stored = rows.count ? rows.rows : NULL;
	if (stored && stored->has_expired)
		return expire(push);
	if (rows.refusal == REFUSAL_TOO_MANY_INSTALLATIONS)
		return ctl_fail(CTL_REFUSED, "the device has 100 entries already");
	if (!stored)
		return ctl_fail(CTL_NOT_FOUND, "there is no device %.*s",
				STR_ARG(push->ctl->positionals[0]));
	if (stored->is_full)
		return make_room(push);
	if (!stored->is_stored)
		return ctl_fail(CTL_REFUSED,
				"--installation is the ID of an app's installation on this device");
	return tell_and_print(push, stored);
}

/* Rejects option combinations that the API would silently ignore. */
static enum ctl_exit check_options(const struct ctl *ctl)
{
	struct str installation = ctl_value(ctl, "installation");

	if (installation.data && !utf8_is_valid(installation))
		return ctl_fail(CTL_USAGE, "--installation must be UTF-8");
	if (installation.data && ctl_value(ctl, "duration").data)
		return ctl_fail(CTL_USAGE, "--duration is for pictures without --installation");
	if (!installation.data && ctl_value(ctl, "background").data)
		return ctl_fail(CTL_USAGE, "--background needs --installation ID");
	if (!installation.data && ctl_value(ctl, "expires-in").data)
		return ctl_fail(CTL_USAGE, "--expires-in needs --installation ID");
	if (ctl_value(ctl, "hold").data &&
	    (ctl_value(ctl, "duration").data || ctl_value(ctl, "background").data))
		return ctl_fail(CTL_USAGE, "--hold excludes --duration and --background");
	if (ctl_value(ctl, "wake").data && ctl_value(ctl, "background").data)
		return ctl_fail(CTL_USAGE, "--wake excludes --background");
	return CTL_DONE;
}

enum ctl_exit ctl_push(struct ctl *ctl)
{
	struct push push = {.ctl = ctl, .path = ctl->positionals[1].data};
	enum ctl_exit code = check_options(ctl);

	if (code == CTL_DONE)
		code = load(&push);
	if (code == CTL_DONE)
		code = read_body(&push);
	if (code == CTL_DONE)
		code = ctl_find_device(ctl, ctl->positionals[0], &push.device);
	if (code == CTL_DONE && push.body.is_held)
		push.body.duration_s = push.device.schedule_interval_s;
	if (code == CTL_DONE)
		code = convert(&push);
	if (code == CTL_DONE)
		code = store(&push);
	image_job_finish(&push.job);
	json_document_finish(&push.document);
	buffer_finish(&push.json);
	buffer_finish(&push.file);
	return code;
}
