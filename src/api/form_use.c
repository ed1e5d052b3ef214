#include "form_use.h"
#include "db/note.h"
#include "db/statements.h"
#include "task/service.h"

void api_note_form_use(struct task *task, struct id version_id, struct str locale)
{
	struct db_note *note = db_note_new();

	statement_app_schema_used(&note->query, &(struct app_schema_used_parameters){
						    .version_id = version_id,
						    .locale = arena_copy(&note->arena, locale),
						    .account_id = task_account_id(task),
						});
	db_note_send(task_service(task)->db, note);
}
