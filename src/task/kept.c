#include "base/clock.h"
#include "base/limits.h"
#include "domain/installation.h"
#include "task_private.h"

/* Uses cached answers (task/read_cache.h).
 *
 *   task_begin_keeping() -> task_finds_kept() --> task_reply_kept()
 *                                  no --> queries -> task_keep_row(), task_keep() */

/* RFC 9111 section 5.2.1.4. */
static bool asks_anew(const struct http_request *request)
{
	for (unsigned i = 0; i < request->field_count; i++) {
		struct str list = request->fields[i].value, item;

		if (!str_equal_ignore_case(request->fields[i].name, STR("cache-control")))
			continue;
		while (str_next(&list, ',', &item)) {
			if (str_equal_ignore_case(str_trim(item), STR("no-cache")))
				return true;
		}
	}
	return false;
}

static bool is_list(const struct task *task)
{
	return task->endpoint->kept_as == READ_DEVICES ||
	       task->endpoint->kept_as == READ_INSTALLATIONS;
}

void task_begin_keeping(struct task *task)
{
	if (!task->service->reads || id_is_none(task->account_id) ||
	    (is_list(task) && http_request_query(task->request, STR("limit")).data) ||
	    (task->endpoint->kept_as == READ_DEVICES && task_key_devices(task).count))
		return;
	task->is_to_keep = true;
	task->asked = read_cache_now(task->service->reads);
}

static struct read_key key_of(const struct task *task)
{
	return (struct read_key){
	    .account_id = task->account_id, .id = task->kept_id, .kind = task->endpoint->kept_as};
}

bool task_finds_kept(struct task *task, struct id id)
{
	struct arena *arena = task_arena(task);
	const struct read_answer *found;
	struct read_answer *kept;
	struct read_key key;

	if (!task->is_to_keep)
		return false;
	task->kept_id = id;
	key = key_of(task);
	found = asks_anew(task->request) ? NULL : read_cache_find(task->service->reads, &key);
	if (!found)
		return false;
	kept = arena_alloc(arena, sizeof(*kept));
	kept->tag = arena_copy(arena, found->tag);
	kept->body = arena_copy(arena, found->body);
	task->kept = kept;
	return true;
}

struct step_result task_reply_kept(struct task *task)
{
	if (task_tag_is_not_modified(task, task->kept->tag))
		return task_reply(task, 304, (struct str){0}, (struct str){0});
	return task_reply(task, 200, STR("application/json"), task->kept->body);
}

static struct read_sources *sources_of(struct task *task)
{
	struct read_sources *sources = task->sources;

	if (sources)
		return sources;
	sources = arena_alloc(task_arena(task), sizeof(*sources));
	sources->ids[0] = task->kept_id;
	sources->count = 1;
	sources->fresh_ms = READ_FRESH_MS;
	task->sources = sources;
	return sources;
}

static void add_source(struct read_sources *sources, struct id id)
{
	if (id_equal(sources->ids[0], id))
		return;
	if (sources->count < READ_SOURCES_MAX)
		sources->ids[sources->count++] = id;
	else
		sources->fresh_ms = 0;
}

static void add_device(struct task *task, const struct device *device)
{
	struct read_sources *sources = sources_of(task);
	uint64_t fresh_ms = read_cache_device_ms(device->last_online_us, clock_common_us());

	if (sources->fresh_ms > fresh_ms)
		sources->fresh_ms = fresh_ms;
	add_source(sources, device->id);
}

static void add_installation(struct read_sources *sources, const struct installation_list_row *row)
{
	/* The row expires by itself, at a time that only the database knows. */
	if (row->has_end)
		sources->fresh_ms = 0;
	else if (!row->installation.is_pushed)
		add_source(sources, row->installation.app_id);
}

void task_keep_row(struct task *task, const void *row)
{
	if (!task->is_to_keep)
		return;
	if (task->endpoint->kept_as == READ_INSTALLATIONS)
		add_installation(sources_of(task), row);
	else
		add_device(task, row);
}

void task_keep(struct task *task, struct str body)
{
	struct read_answer answer = {.tag = task->shown_tag, .body = body};
	struct read_key key = key_of(task);

	if (task->is_to_keep)
		read_cache_keep(task->service->reads, &key, &answer, sources_of(task), task->asked);
}
