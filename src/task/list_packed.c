#include "gzip.h"
#include "http/coding.h"
#include "task_private.h"

/* Short lists and parts in gzip, for callers that accept it. They are compressed as a whole, on a
 * worker thread if they are large. */

enum {
	LOOP_BYTES = 16 * 1024, /* takes up to 0.4 ms */
	STEP_BYTES = 8 * 1024,
};

struct packing {
	struct gzip *gzip;
	struct str rest; /* not yet compressed */
	struct buffer packed;
	void (*leave_before)(struct task *task);
};

void task_choose_coding(struct task *task)
{
	static const bool has[HTTP_CODING_COUNT] = {
	    [HTTP_CODING_GZIP] = true, [HTTP_CODING_IDENTITY] = true};

	if (!task->list->is_compressed)
		return;
	task_add_field(task, STR("Vary"), STR("Accept-Encoding"));
	task->is_packed = http_choose_coding(task->request, has) == HTTP_CODING_GZIP;
}

struct str task_tag_of_coding(struct task *task, struct str tag)
{
	return arena_printf(task_arena(task), "%.*s-gzip\"", (int)tag.length - 1, tag.data);
}

/* Compresses a portion. Returns whether there are more. */
static bool pack(void *argument)
{
	struct packing *packing = ((struct task *)argument)->packing;
	struct str portion = packing->rest;

	if (portion.length > STEP_BYTES)
		portion.length = STEP_BYTES;
	packing->rest = str_from_offset(packing->rest, portion.length);
	gzip_write(packing->gzip, portion, packing->rest.length == 0, &packing->packed);
	return packing->rest.length > 0;
}

static void leave(struct task *task)
{
	struct packing *packing = task->packing;

	gzip_free(packing->gzip);
	buffer_finish(&packing->packed);
	if (packing->leave_before)
		packing->leave_before(task);
}

static struct step_result packed(struct task *task)
{
	struct str body = arena_copy(task_arena(task), buffer_view(&task->packing->packed));

	task_add_field(task, STR("Content-Encoding"), STR("gzip"));
	return task_reply(task, 200, STR("application/json"), body);
}

struct step_result task_reply_rows(struct task *task, struct str json)
{
	struct packing *packing;

	if (!task->is_packed)
		return task_reply(task, 200, STR("application/json"), json);
	packing = arena_zalloc(task_arena(task), sizeof(*packing));
	packing->gzip = gzip_new();
	packing->rest = json;
	packing->leave_before = task->leave_list;
	task->packing = packing;
	task->leave_list = leave;
	if (json.length > LOOP_BYTES)
		return task_work_on_text(task, pack, json.length, packed);
	while (pack(task))
		;
	return packed(task);
}
