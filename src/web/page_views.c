#include "page_views.h"
#include "base/clock.h"
#include "base/hex.h"
#include "web/devices/panel_event.h"

#include <stdlib.h>

struct page_view {
	struct watcher watcher;
	struct page_stream *page;
	struct list to_write; /* in page->to_write */
};

/* ---- writing ---- */

static struct str hash_text(const struct view_picture *picture,
			    char text[static 2 * PICTURE_HASH_BYTES + 1])
{
	if (!picture->has_hash)
		return (struct str){0};
	hex_encode(picture->hash, PICTURE_HASH_BYTES, text);
	return (struct str){text, 2 * PICTURE_HASH_BYTES};
}

static struct str kind_text(enum shown_kind kind)
{
	static const char *const kinds[SHOWN_KINDS] = {
	    [SHOWN_UNKNOWN] = "unknown", [SHOWN_ROTATION] = "rotation",
	    [SHOWN_PUSH] = "push",	 [SHOWN_TEMPORARY] = "temporary",
	    [SHOWN_NOTHING] = "nothing", [SHOWN_ASLEEP] = "asleep",
	    [SHOWN_DARK] = "dark",	 [SHOWN_NIGHT] = "night",
	    [SHOWN_PINNED] = "pinned",
	};

	return str_from(kinds[kind]);
}

static void write_view(struct page_view *view)
{
	static const char *const connections[] = {
	    [SHOWN_WEB_SOCKET] = "webSocket", [SHOWN_POLLING] = "polling"};
	const struct panel_view *known = delivery_view(&view->watcher);
	char now[2 * PICTURE_HASH_BYTES + 1], next[2 * PICTURE_HASH_BYTES + 1];
	bool is_online = known->connection != SHOWN_OFFLINE;
	struct buffer json = {0};
	struct panel_event event = {
	    .device_id = delivery_watched_id(&view->watcher),
	    .is_online = is_online,
	    .last_online_us = is_online ? clock_wall_us() : known->last_online_us,
	    .connection = str_from(connections[known->connection]),
	    .is_acknowledged = known->is_acknowledged,
	    .picture = hash_text(&known->now, now),
	    .kind = kind_text(known->now.kind),
	    .installation_id = known->now.installation_id,
	    .since_us = known->since_us,
	    .until_us = known->until_us,
	    .brightness = known->brightness,
	    .has_no_next = known->next.kind == SHOWN_UNKNOWN,
	    .next_picture = hash_text(&known->next, next),
	    .next_kind = kind_text(known->next.kind),
	    .next_installation_id = known->next.installation_id,
	};

	record_write_json(&panel_event_record, &event, &json);
	page_stream_write(view->page, "panel", buffer_view(&json));
	buffer_finish(&json);
}

void page_views_proceed(struct page_stream *page)
{
	struct list *node;

	while (!http_stream_is_full(page->stream) && (node = list_take_first(&page->to_write)))
		write_view(container_of(node, struct page_view, to_write));
}

/* ---- changes ---- */

static void on_view(struct watcher *watcher)
{
	struct page_view *view = container_of(watcher, struct page_view, watcher);
	struct page_stream *page = view->page;

	if (!list_is_linked(&view->to_write))
		list_append(&page->to_write, &view->to_write);
	if (page->has_begun)
		page_views_proceed(page);
}

static void on_change(struct watcher *watcher, enum watch_change change)
{
	const struct page_view *view = container_of(watcher, struct page_view, watcher);
	struct str what = change == WATCH_SETTINGS ? STR("device:") : STR("rotation:");
	char topic[sizeof("rotation:") + ID_TEXT_LENGTH];

	memcpy(topic, what.data, what.length);
	id_format(delivery_watched_id(watcher), topic + what.length);
	page_stream_tell(view->page, str_from(topic));
}

void page_views_repeat(struct page_stream *page)
{
	for (unsigned i = 0; i < page->view_count; i++) {
		struct page_view *view = &page->views[i];

		if (delivery_view(&view->watcher) && !list_is_linked(&view->to_write))
			list_append(&page->to_write, &view->to_write);
	}
	page_views_proceed(page);
}

bool page_views_watch(struct page_stream *page, struct delivery *delivery, const struct id *ids,
		      unsigned count, struct id account_id)
{
	page->views = memory_zalloc(count * sizeof(page->views[0]));
	for (unsigned i = 0; i < count; i++) {
		struct page_view *view = &page->views[i];

		view->page = page;
		view->watcher.on_view = on_view;
		view->watcher.on_change = on_change;
		list_init(&view->to_write);
		if (!delivery_watch(delivery, &view->watcher, ids[i], account_id)) {
			page_views_finish(page);
			return false;
		}
		page->view_count++;
		if (delivery_view(&view->watcher))
			list_append(&page->to_write, &view->to_write);
	}
	return true;
}

void page_views_finish(struct page_stream *page)
{
	for (unsigned i = 0; i < page->view_count; i++) {
		delivery_unwatch(&page->views[i].watcher);
		list_remove(&page->views[i].to_write);
	}
	free(page->views);
	page->views = NULL;
	page->view_count = 0;
}
