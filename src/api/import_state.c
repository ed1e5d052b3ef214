#include "import_state.h"

#include <stdarg.h>

void import_note(struct tronbyt_importing *importing, const struct tronbyt_entry *entry,
		 const char *what, const char *why, ...)
{
	struct tronbyt_notes *notes = &importing->body.export.notes;
	struct str text;
	va_list args;

	va_start(args, why);
	text = arena_vprintf(notes->arena, why, args);
	va_end(args);
	tronbyt_note(notes, import_file_device(importing)->name,
		     entry ? entry->shown : (struct str){0},
		     arena_copy(notes->arena, str_from(what)), "%.*s", STR_ARG(text));
}
