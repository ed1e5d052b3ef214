#include "api/operator_note.h"
#include "domain/key.h"
#include "task/access.h"

struct id api_noted_session(struct task *task)
{
	return task_is_of_operator(task) ? access_operator_session() : (struct id){0};
}

struct str api_maker(struct task *task)
{
	const char *hash = (const char *)task_key_hash(task);

	return hash && !task_is_of_bridge(task) ? (struct str){hash, KEY_HASH_BYTES}
						: (struct str){0};
}

struct step_result api_note_change(struct task *task, const char *action, struct str entry,
				   task_step *next)
{
	struct str name = task_device(task)->name;
	struct arena *arena = task_arena(task);

	if (!task_is_of_operator(task))
		return task_continue(task, next);
	if (entry.length)
		name = ARENA_JOIN(arena, name, STR(" "), entry);
	statement_operator_note(task_new_query(task),
				&(struct operator_note_parameters){
				    .action = str_from(action),
				    .target = name,
				    .session_id = access_operator_session(),
				},
				arena_zalloc(arena, sizeof(struct operator_note_row)));
	return task_query(task, next);
}
