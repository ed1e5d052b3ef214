/* Hints about shown pictures: for any input, the values are within their bounds, and are the same
 * after they are written and read again. */
#include "base/limits.h"
#include "base/memory.h"
#include "view_hint.h"

#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>

static bool is_same_picture(const struct view_picture *a, const struct view_picture *b)
{
	return a->kind == b->kind && a->has_hash == b->has_hash &&
	       (!a->has_hash || memcmp(a->hash, b->hash, sizeof(a->hash)) == 0) &&
	       str_equal(a->installation_id, b->installation_id);
}

static bool is_sound(const struct view_picture *picture)
{
	return picture->kind < SHOWN_KINDS && utf8_is_valid(picture->installation_id) &&
	       picture->installation_id.length <= 4 * LIMIT_INSTALLATION_ID;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy =
	    memory_alloc(size ? size : 1); /* a separate copy, so that an overrun is detected */
	struct id device_id, sender, device_again, sender_again;
	struct panel_view view, again;
	struct arena arena = {0};
	struct str word;

	memcpy(copy, data, size);
	if (watch_hint_read((struct str){copy, size}, &device_id, &sender) &&
	    size != 2 * ID_TEXT_LENGTH + 1)
		abort();
	if (view_hint_read((struct str){copy, size}, &arena, &device_id, &sender, &view)) {
		if (view.connection > SHOWN_POLLING || view.brightness < 0 ||
		    view.brightness > 100 || view.since_us < 0 || view.until_us < 0 ||
		    view.rank_us < 0 || !is_sound(&view.now) || !is_sound(&view.next))
			abort();
		word = view_hint_write(&arena, device_id, sender, &view);
		if (word.length > LIMIT_HINT_WORD_BYTES ||
		    !view_hint_read(str_from_offset(word, strlen("shows:")), &arena, &device_again,
				    &sender_again, &again) ||
		    !id_equal(device_id, device_again) || !id_equal(sender, sender_again) ||
		    view.connection != again.connection || view.rank_us != again.rank_us ||
		    !is_same_picture(&view.now, &again.now) ||
		    !is_same_picture(&view.next, &again.next))
			abort();
	}
	arena_finish(&arena);
	free(copy);
	return 0;
}
