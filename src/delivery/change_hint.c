#include "change_hint.h"
#include "base/decimal.h"
#include "base/require.h"

enum { KIND_BYTES_MAX = 15 };

void change_hint_send(struct db *db, struct str kind, struct id id, int64_t generation)
{
	/* The NUL of the ID has the place of its colon. */
	char word[KIND_BYTES_MAX + 1 + ID_TEXT_LENGTH + 1 + DECIMAL_BYTES_MAX];
	size_t length = kind.length;

	require(length <= KIND_BYTES_MAX);
	memcpy(word, kind.data, length);
	word[length++] = ':';
	id_format(id, word + length);
	length += ID_TEXT_LENGTH;
	word[length++] = ':';
	length += decimal_format(generation, word + length);
	db_hint(db, (struct str){word, length});
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
