#include "api/app_work.h"
#include "domain/stored_settings.h"
#include "endpoints.h"
#include "record/json.h"

struct str api_settings_text(struct task *task, const struct settings *settings)
{
	return settings_to_text(settings, task_arena(task));
}

/* If a version no longer marks a field as secret, or removes it, its stored secret is dropped. If a
 * version newly marks a field as secret, its value stored in the clear becomes a secret. */
static void sort_stored(struct task *task, const struct app_work *work, struct settings *secret)
{
	struct settings open, all;

	settings_parse(work->source.settings, task_arena(task), &open);
	settings_keep(&open, &work->form, true);
	settings_keep_secret(secret, &work->form);
	settings_merge(&open, secret, task_arena(task), &all);
	*secret = all;
}

bool api_open_secrets(struct task *task, const struct app_work *work, struct settings *ret_secret)
{
	const struct app_source_row *source = &work->source;
	struct str json;

	*ret_secret = (struct settings){0};
	if (source->secret_settings.length > 0) {
		if (!settings_decrypt(api_service(task)->settings_key, work->device_id,
				      work->installation_id, source->secret_settings,
				      task_arena(task), &json))
			return false;
		settings_parse(json, task_arena(task), ret_secret);
	}
	sort_stored(task, work, ret_secret);
	return true;
}

/* Leaves plain settings plain if the secret fields are unknown. */
static void keep_open(struct task *task, struct app_work *work, struct settings *changed)
{
	struct settings stored, open = {0};
	unsigned kept = 0;

	if (!form_makes_more(&work->form))
		return;
	settings_parse(work->source.settings, task_arena(task), &stored);
	open.items = arena_alloc(task_arena(task), (changed->count + 1) * sizeof(open.items[0]));
	for (unsigned i = 0; i < changed->count; i++) {
		const struct setting *setting = &changed->items[i];

		if (!form_find(&work->form, setting->name) && settings_find(&stored, setting->name))
			open.items[open.count++] = *setting;
		else
			changed->items[kept++] = *setting;
	}
	changed->count = kept;
	settings_merge(&work->open, &open, task_arena(task), &work->open);
}

/* Whether the body sets or removes all secret settings, so that no old ones are left. */
static bool replaces_all(const struct app_work *work, const struct settings *secret)
{
	for (unsigned i = 0; i < work->form.count; i++)
		if (work->form.fields[i].is_secret &&
		    !settings_find(secret, work->form.fields[i].id))
			return false;
	return true;
}

bool api_take_settings(struct task *task, struct app_work *work, const struct settings *settings,
		       struct step_result *ret_answer)
{
	struct faults *faults = task_faults(task);
	struct settings changed, stored;

	settings_check(settings, &work->form, faults, &work->open, &changed);
	if (faults->count) {
		*ret_answer = task_fail_faults(task);
		return false;
	}
	keep_open(task, work, &changed);
	if (!api_open_secrets(task, work, &stored) && !replaces_all(work, &changed)) {
		*ret_answer =
		    task_fail(task, PROBLEM_SECRET_UNREADABLE, "%s", settings_open_failed);
		return false;
	}
	settings_merge(&stored, &changed, task_arena(task), &work->secret);
	settings_merge(&work->open, &work->secret, task_arena(task), &work->all);
	return true;
}

/* Returns false, with the answer 409, if some belong to unknown fields because a handler did not
 * answer. Stored settings stay as they are. */
static bool knows(struct task *task, const struct app_work *work, const struct settings *settings,
		  struct step_result *ret_answer)
{
	struct settings open, stored;

	if (!form_makes_more(&work->form))
		return true;
	settings_parse(work->source.settings, task_arena(task), &open);
	if (!api_open_secrets(task, work, &stored))
		stored = (struct settings){0};
	for (unsigned i = 0; i < settings->count; i++) {
		struct str name = settings->items[i].name;

		if (form_find(&work->form, name) || settings_find(&open, name) ||
		    settings_find(&stored, name) || settings->items[i].is_removed)
			continue;
		*ret_answer =
		    task_fail(task, PROBLEM_SECRET_UNREADABLE,
			      "it is unknown which generated fields of the app are secret, "
			      "try again: %.*s",
			      STR_ARG(work->made.problem));
		return false;
	}
	return true;
}

bool api_accept_settings(struct task *task, struct app_work *work, const struct settings *settings,
			 struct step_result *ret_answer)
{
	if (!work->has_form) {
		*ret_answer = api_fail_no_form(task, work);
		return false;
	}
	return knows(task, work, settings, ret_answer) &&
	       api_take_settings(task, work, settings, ret_answer);
}

void api_encrypt_settings(struct task *task, struct id device_id, struct str installation_id,
			  const struct app_work *work, struct stored_settings *ret)
{
	stored_settings_make(api_service(task)->settings_key, device_id, installation_id,
			     &work->open, &work->secret, task_arena(task), ret);
}

void api_take_good_settings(struct task *task, struct app_work *work,
			    const struct settings *settings)
{
	struct faults ignored;

	faults_init(&ignored, task_arena(task));
	settings_check(settings, &work->form, &ignored, &work->open, &work->secret);
	settings_fit(&work->open, &work->secret, &work->form, &ignored);
	settings_merge(&work->open, &work->secret, task_arena(task), &work->all);
}

void api_write_settings(struct task *task, struct buffer *json, const struct app_work *work)
{
	struct settings open;

	settings_parse(work->source.settings, task_arena(task), &open);
	settings_keep(&open, &work->form, false);
	settings_write(&open, json);
}

static void write_name(struct buffer *json, struct str name, bool *is_first)
{
	buffer_append_str(json, *is_first ? STR("") : STR(","));
	json_write_str(json, name);
	*is_first = false;
}

/* Includes fields that the app makes. Secrets that cannot be decrypted count as set, so that their
 * owner sees them, and sets them again. */
void api_write_secrets(struct task *task, struct buffer *json, const struct app_work *work)
{
	struct settings stored;
	bool is_first = true;

	buffer_append_str(json, STR("["));
	if (api_open_secrets(task, work, &stored)) {
		for (unsigned i = 0; i < stored.count; i++)
			write_name(json, stored.items[i].name, &is_first);
	} else {
		for (unsigned i = 0; i < work->form.count; i++)
			if (work->form.fields[i].is_secret)
				write_name(json, work->form.fields[i].id, &is_first);
	}
	buffer_append_char(json, ']');
}
