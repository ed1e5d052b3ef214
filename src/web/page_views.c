#include "page_views.h"
#include "base/clock.h"
#include "base/hex.h"
#include "web/devices/panel_event.h"

static void write_view(struct page_stream *page, const struct event_view *view)
{
	static const char *const connections[] = {
	    [SHOWN_WEB_SOCKET] = "webSocket", [SHOWN_POLLING] = "polling"};
	const struct panel_view *known = delivery_view(&view->subscriber);
	char now[VIEW_PICTURE_TEXT_BYTES], next[VIEW_PICTURE_TEXT_BYTES];
	bool is_online = known->connection != SHOWN_OFFLINE;
	struct buffer json = {0};
	struct panel_event event = {
	    .device_id = delivery_view_id(&view->subscriber),
	    .is_online = is_online,
	    .last_online_us = is_online ? clock_common_us() : known->last_online_us,
	    .connection = str_from(connections[known->connection]),
	    .is_acknowledged = known->is_acknowledged,
	    .picture = view_picture_text(&known->now, now),
	    .kind = shown_kind_name(known->now.kind),
	    .installation_id = known->now.installation_id,
	    .since_us = known->since_us,
	    .until_us = known->until_us,
	    .brightness = known->brightness,
	    .has_no_next = known->next.kind == SHOWN_UNKNOWN,
	    .next_picture = view_picture_text(&known->next, next),
	    .next_kind = shown_kind_name(known->next.kind),
	    .next_installation_id = known->next.installation_id,
	};

	record_write_json(&panel_event_record, &event, &json);
	page_stream_write(page, "panel", buffer_view(&json));
	buffer_finish(&json);
}

void page_views_proceed(struct page_stream *page)
{
	const struct event_view *view;

	while (!event_stream_is_full(&page->stream) && (view = event_views_take(&page->views)))
		write_view(page, view);
}

/* ---- changes ---- */

static struct page_stream *page_of(struct event_views *views)
{
	return container_of(views, struct page_stream, views);
}

static void on_view(struct event_views *views)
{
	if (page_of(views)->has_begun)
		page_views_proceed(page_of(views));
}

static void on_change(struct event_views *views, struct id device_id, enum view_change change)
{
	struct str what = change == VIEW_SETTINGS ? STR("device:") : STR("rotation:");
	char topic[sizeof("rotation:") + ID_TEXT_LENGTH];

	memcpy(topic, what.data, what.length);
	id_format(device_id, topic + what.length);
	page_stream_tell(page_of(views), str_from(topic));
}

void page_views_repeat(struct page_stream *page)
{
	event_views_repeat(&page->views);
	page_views_proceed(page);
}

bool page_views_subscribe(struct page_stream *page, struct delivery *delivery, const struct id *ids,
			  unsigned count, struct id account_id)
{
	page->views.delivery = delivery;
	for (unsigned i = 0; i < count; i++) {
		if (!event_views_add(&page->views, ids[i], account_id)) {
			event_views_finish(&page->views);
			return false;
		}
	}
	return true;
}

void page_views_init(struct page_stream *page)
{
	page->views.on_view = on_view;
	page->views.on_change = on_change;
	event_views_init(&page->views);
}
