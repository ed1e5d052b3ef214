#include "change_hint.h"
#include "base/arena.h"

void change_hint_send(struct db *db, const char *kind, struct id id, int64_t generation)
{
	char text[ID_TEXT_LENGTH + 1];
	struct arena arena = {0};

	id_format(id, text);
	db_hint(db, arena_printf(&arena, "%s:%s:%lld", kind, text, (long long)generation));
	arena_finish(&arena);
}

bool change_hint_parse(struct str text, struct id *ret_id, int64_t *ret_generation)
{
	unsigned long long generation;

	if (text.length <= ID_TEXT_LENGTH || text.data[ID_TEXT_LENGTH] != ':' ||
	    !id_parse((struct str){text.data, ID_TEXT_LENGTH}, ret_id) ||
	    !str_to_uint64(str_from_offset(text, ID_TEXT_LENGTH + 1), INT64_MAX, &generation))
		return false;
	*ret_generation = (int64_t)generation;
	return true;
}
