#include "domain/content.h"

#include <stddef.h>

enum { LAPSE_MIN_S = 60 };

struct content_installation *content_next(const struct content *content, int64_t after_position)
{
	const struct content_installation *at = content_at(content, after_position);
	unsigned count = content->installation_count;

	if (at)
		return &content->installations[(unsigned)(at - content->installations + 1) % count];
	for (unsigned i = 0; i < count; i++) {
		if (content->installations[i].position > after_position)
			return &content->installations[i];
	}
	return count ? &content->installations[0] : NULL;
}

int64_t content_stay_s(const struct content_installation *installation, int32_t interval_s,
		       uint32_t loop_ms)
{
	int64_t stay_s = installation->display_s ?: interval_s;
	int64_t whole_s = ((int64_t)loop_ms + 999) / 1000;

	int64_t most_s = installation->plays_whole ? CONTENT_PLAYED_MAX_S
			 : installation->is_whole  ? CONTENT_WHOLE_MAX_S
						   : 0;

	if (whole_s > most_s)
		whole_s = most_s;
	return whole_s > stay_s ? whole_s : stay_s;
}

int64_t content_animation_max_s(int64_t duration_s)
{
	return duration_s > CONTENT_WHOLE_MAX_S ? CONTENT_ANIMATION_MAX_S : duration_s;
}

struct content_installation *content_at(const struct content *content, int64_t position)
{
	for (unsigned i = 0; i < content->installation_count; i++) {
		if (content->installations[i].position == position)
			return &content->installations[i];
	}
	return NULL;
}

bool content_is_expired(const struct content_installation *installation, int64_t wall_us)
{
	return installation->expires_us && installation->expires_us <= wall_us;
}

struct picture *content_push_picture(const struct content *content)
{
	struct content_installation *installation;

	if (!content->push.is_installation)
		return (struct picture *)&content->push.picture;
	installation = content_at(content, content->push.installation_position);
	return installation && !installation->is_empty ? &installation->picture : NULL;
}

bool content_push_has_picture(const struct content *content, int64_t wall_us)
{
	const struct content_push *push = &content->push;
	const struct content_installation *installation;

	if (!content_push_picture(content))
		return false;
	installation =
	    push->is_installation ? content_at(content, push->installation_position) : NULL;
	return !installation || !content_is_expired(installation, wall_us);
}

int64_t content_push_end_us(const struct content *content)
{
	const struct content_push *push = &content->push;
	int64_t lapse_s = 2 * content->settings.schedule_interval_s;

	if (push->is_held)
		return INT64_MAX;
	if (push->displayed_us)
		return push->displayed_us + push->duration_s * INT64_C(1000000);
	if (lapse_s < LAPSE_MIN_S)
		lapse_s = LAPSE_MIN_S;
	if (lapse_s < push->duration_s)
		lapse_s = push->duration_s;
	return push->created_us + lapse_s * 1000000;
}

bool content_push_is_due(const struct content *content, int64_t wall_us)
{
	return content->push.generation != 0 && content_push_has_picture(content, wall_us) &&
	       wall_us < content_push_end_us(content);
}

int64_t content_push_rest_s(const struct content *content, int64_t wall_us)
{
	const struct content_push *push = &content->push;
	int64_t rest_us;

	if (push->displayed_us == 0 || push->is_held)
		return push->duration_s;
	rest_us = push->displayed_us + push->duration_s * INT64_C(1000000) - wall_us;
	return rest_us > 1000000 ? (rest_us + 999999) / 1000000 : 1;
}
