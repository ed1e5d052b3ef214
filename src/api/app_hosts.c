#include "app_hosts.h"
#include "domain/settings_mask.h"
#include "render/asked_hosts.h"
#include "task/service.h"

/* Counts the parameter, typed for a handler, as a setting, too. */
static void all_values(const struct engine_job *job, struct arena *arena, struct settings *ret)
{
	struct setting parameter = {.name = STR("parameter"), .value = job->parameter};
	const struct settings typed = {&parameter, job->parameter.length > 0};
	struct settings settings, all;

	settings_parse(job->config, arena, &settings);
	settings_merge(&settings, &typed, arena, &all);
	settings_parts(&all, arena, ret);
}

void api_note_hosts(struct task *task, struct id app_id, const struct engine_job *job)
{
	struct str asked = job->answer.hosts;
	struct settings values;

	if (asked.length == 0 || id_is_none(app_id))
		return;
	all_values(job, task_arena(task), &values);
	asked_hosts_note(task_service(task)->db, app_id,
			 settings_mask_hosts(&values, asked, task_arena(task)));
}
