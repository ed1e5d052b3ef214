#include "known_view.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_same_picture(const struct view_picture *a, const struct view_picture *b)
{
	return a->kind == b->kind && a->has_hash == b->has_hash &&
	       (!a->has_hash || memcmp(a->hash, b->hash, PICTURE_HASH_BYTES) == 0) &&
	       a->filter == b->filter && str_equal(a->installation_id, b->installation_id);
}

bool delivery_is_same_time(int64_t a_us, int64_t b_us)
{
	enum { JITTER_US = 50 * 1000 };

	return (a_us == 0) == (b_us == 0) && a_us - b_us < JITTER_US && b_us - a_us < JITTER_US;
}

static bool is_same(const struct panel_view *a, const struct panel_view *b)
{
	return a->connection == b->connection && a->is_acknowledged == b->is_acknowledged &&
	       a->brightness == b->brightness && is_same_picture(&a->now, &b->now) &&
	       is_same_picture(&a->next, &b->next) &&
	       delivery_is_same_time(a->since_us, b->since_us) &&
	       delivery_is_same_time(a->until_us, b->until_us) &&
	       a->last_online_us == b->last_online_us;
}

/* Moves the text to *end. */
static void move_text(struct str *text, char **end)
{
	if (text->length == 0 || !*end) {
		*text = (struct str){0};
		return;
	}
	memcpy(*end, text->data, text->length);
	text->data = *end;
	*end += text->length;
}

bool known_view_take(struct known_view *known, const struct panel_view *view)
{
	size_t size = view->now.installation_id.length + view->next.installation_id.length;
	char *texts, *end;

	if (known->is_known && is_same(&known->view, view)) {
		known->view.rank_us = view->rank_us;
		return false;
	}
	texts = end = size ? memory_alloc(size) : NULL;
	known->view = *view;
	move_text(&known->view.now.installation_id, &end);
	move_text(&known->view.next.installation_id, &end);
	free(known->texts);
	known->texts = texts;
	known->is_known = true;
	return true;
}

void known_view_finish(struct known_view *known)
{
	free(known->texts);
}
