#include "delivery_private.h"

struct str picture_of_item(const struct panel *panel, const struct air_item *item)
{
	const struct content_entry *entry;

	switch (item->kind) {
	case AIR_BUILT_IN:
		return picture_nothing_to_show;
	case AIR_ENTRY:
		entry = content_at(&panel->content, item->position);
		return entry ? entry->picture.data : (struct str){0};
	case AIR_PUSH:
		return content_push_picture(&panel->content)
			   ? content_push_picture(&panel->content)->data
			   : (struct str){0};
	default:
		return (struct str){0};
	}
}

struct str delivery_unknown_picture(void)
{
	return picture_unknown_device;
}
