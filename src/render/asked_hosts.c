#include "render/asked_hosts.h"
#include "db/note.h"
#include "db/statements.h"

void asked_hosts_note(struct db *db, struct id app_id, struct str hosts)
{
	struct db_note *note;

	if (hosts.length == 0)
		return;
	note = db_note_new();
	statement_app_hosts_note(&note->query,
				 &(struct app_hosts_note_parameters){
				     .app_id = app_id,
				     .hosts = arena_copy(&note->arena, hosts),
				 },
				 NULL);
	db_note_send(db, note);
}
