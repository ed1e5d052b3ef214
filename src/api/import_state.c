#include "import_state.h"

#include <stdarg.h>

void import_note(struct tronbyt_importing *importing, const struct tronbyt_entry *entry,
		 struct str what, const char *why, ...)
{
	va_list args;

	va_start(args, why);
	tronbyt_note_args(&importing->body.export, import_file_device(importing),
			  entry ? entry->shown : (struct str){0}, what, why, args);
	va_end(args);
}
