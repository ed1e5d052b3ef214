#include "domain/content.h"

#include <stddef.h>

enum { LAPSE_MIN_S = 60 };

struct content_entry *content_next(const struct content *content, int64_t after_position)
{
	for (unsigned i = 0; i < content->entry_count; i++) {
		if (content->entries[i].position > after_position)
			return &content->entries[i];
	}
	return content->entry_count ? &content->entries[0] : NULL;
}

struct content_entry *content_at(const struct content *content, int64_t position)
{
	for (unsigned i = 0; i < content->entry_count; i++) {
		if (content->entries[i].position == position)
			return &content->entries[i];
	}
	return NULL;
}

struct picture *content_push_picture(const struct content *content)
{
	struct content_entry *entry;

	if (!content->push.is_entry)
		return (struct picture *)&content->push.picture;
	entry = content_at(content, content->push.entry_position);
	return entry ? &entry->picture : NULL;
}

bool content_push_is_due(const struct content *content, int64_t wall_us)
{
	const struct content_push *push = &content->push;
	int64_t lapse_s = 2 * content->settings.schedule_interval_s;

	if (push->generation == 0 || !content_push_picture(content))
		return false;
	if (push->displayed_us)
		return wall_us < push->displayed_us + push->duration_s * 1000000;
	if (lapse_s < LAPSE_MIN_S)
		lapse_s = LAPSE_MIN_S;
	return wall_us < push->created_us + lapse_s * 1000000;
}

int64_t content_push_rest_s(const struct content *content, int64_t wall_us)
{
	const struct content_push *push = &content->push;
	int64_t rest_us;

	if (push->displayed_us == 0)
		return push->duration_s;
	rest_us = push->displayed_us + push->duration_s * 1000000 - wall_us;
	return rest_us > 1000000 ? (rest_us + 999999) / 1000000 : 1;
}
