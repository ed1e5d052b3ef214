#include "base/limits.h"
#include "import_line.h"
#include "web/access.h"
#include "web/endpoints.h"

#include <sodium.h>
#include <stdlib.h>

/* POST /web/admin/imports/{importId}/lines - checks lines of an export, and keeps them until the
 * import is applied. Lines may be repeated. */

enum { PART_LINES_MAX = 10000 };

struct part {
	struct account_import_lines
	    body; /* first: the pre-handler checks read the request into it */
	struct id import_id;
	struct settings_key file_key;
	bool has_file_key;
	const struct settings_key *key;
	struct str rest; /* not yet read */
	struct arena arena;
	struct account_import_row *rows;
	unsigned count;
	bool is_wrong; /* the line after those in rows is invalid */
	struct str why;
	struct account_import_add_row row;
};

/* ---- on a worker thread ---- */

static bool read_line(void *argument)
{
	struct part *part = argument;
	struct str line;

	if (!str_next(&part->rest, '\n', &line))
		return false;
	if (part->count == PART_LINES_MAX) {
		part->is_wrong = true;
		part->why = STR("a part has at most 10000 lines");
		return false;
	}
	if (part->count % 256 == 0) {
		part->rows = realloc(part->rows, (part->count + 256) * sizeof(*part->rows));
		if (!part->rows)
			abort();
	}
	part->is_wrong =
	    !account_import_read(line, part->has_file_key ? &part->file_key : NULL, part->key,
				 &part->arena, &part->rows[part->count], &part->why);
	part->count += !part->is_wrong;
	return !part->is_wrong && part->rest.length > 0;
}

/* ---- on the loop ---- */

static struct step_result kept(struct task *task)
{
	const struct part *part = task_state(task);

	if (task_row_count(task) == 0)
		return task_fail(task, PROBLEM_IMPORT_NOT_FOUND, "there is no such import");
	if (part->row.is_full)
		return task_fail(task, PROBLEM_IMPORT_TOO_LARGE,
				 "the import is too large, maximum %d lines and %d MiB",
				 LIMIT_ACCOUNT_IMPORT_LINES, LIMIT_ACCOUNT_IMPORT_MIB);
	if (part->row.other_line)
		return task_fail(task, PROBLEM_IMPORT_CONFLICT,
				 "line %lld of the file has come before with another text; nothing "
				 "was changed",
				 (long long)part->row.other_line);
	return task_reply_empty(task, 200);
}

/* Returns an array of one member of all rows; offset: that of the member. */
static struct db_texts column(struct task *task, const struct part *part, size_t offset)
{
	struct str *list = arena_alloc(task_arena(task), (part->count + 1) * sizeof(*list));

	for (unsigned i = 0; i < part->count; i++)
		list[i] =
		    *(const struct str *)(const void *)((const char *)&part->rows[i] + offset);
	return (struct db_texts){list, part->count};
}

static struct step_result keep(struct task *task, struct part *part)
{
	int64_t *numbers = arena_alloc(task_arena(task), (part->count + 1) * sizeof(*numbers));

	for (unsigned i = 0; i < part->count; i++)
		numbers[i] = part->body.first + i;
#define COLUMN(member) column(task, part, offsetof(struct account_import_row, member))
	statement_account_import_add(task_new_query(task),
				     &(struct account_import_add_parameters){
					 .id = part->import_id,
					 .numbers = {numbers, part->count},
					 .kinds = COLUMN(kind),
					 .names = COLUMN(name),
					 .lines = COLUMN(line),
					 .pictures = COLUMN(picture),
					 .settings = COLUMN(settings),
					 .encrypted = COLUMN(encrypted),
					 .hashes = COLUMN(hash),
					 .checksums = COLUMN(checksum),
					 .line_limit = LIMIT_ACCOUNT_IMPORT_LINES,
					 .byte_limit = LIMIT_ACCOUNT_IMPORT_MIB * INT64_C(1048576),
					 .life_s = LIMIT_ACCOUNT_IMPORT_S,
				     },
				     &part->row);
#undef COLUMN
	return task_query(task, kept);
}

static struct step_result lines_read(struct task *task)
{
	struct part *part = task_state(task);

	if (part->is_wrong)
		return task_fail(task, PROBLEM_IMPORT_CONFLICT,
				 "line %lld of the file: %.*s; nothing was changed",
				 (long long)part->body.first + part->count, STR_ARG(part->why));
	return keep(task, part);
}

static struct step_result import_lines_begin(struct task *task)
{
	struct part *part = task_state(task);

	if (!task_is_of_operator(task))
		return web_refuse_all_but_operator(task);
	if (!id_parse(task_path_parameter(task, 0), &part->import_id))
		return task_fail(task, PROBLEM_IMPORT_NOT_FOUND, "there is no such import");
	if (!storage_takes_pictures(db_storage(task_service(task)->db)))
		return task_fail_busy(task, PROBLEM_STORAGE_FULL, 60, "%s",
				      STORAGE_PICTURE_PROBLEM);
	part->has_file_key =
	    part->body.file_key.data && account_file_key(part->body.file_key, &part->file_key);
	part->key = web_service_of(task)->api.settings_key;
	part->rest = part->body.lines;
	return task_work(
	    task, LANE_LONG,
	    &(struct task_work){
		.run = read_line, .argument = part, .size = part->rest.length, .is_text = true},
	    lines_read);
}

static void import_lines_finish(void *state)
{
	struct part *part = state;

	free(part->rows);
	arena_finish(&part->arena);
	sodium_memzero(&part->file_key, sizeof(part->file_key));
}

ENDPOINT_ACCOUNT_IMPORT_LINES(.handler = import_lines_begin, .state_size = sizeof(struct part),
			      .finish = import_lines_finish);
