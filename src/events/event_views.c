#include "events/event_views.h"

#include <stdlib.h>

static void mark(struct event_view *view)
{
	if (!list_is_linked(&view->to_write))
		list_append(&view->views->to_write, &view->to_write);
}

static void on_view(struct view_subscriber *subscriber)
{
	struct event_view *view = container_of(subscriber, struct event_view, subscriber);

	mark(view);
	view->views->on_view(view->views);
}

static void on_change(struct view_subscriber *subscriber, enum view_change change)
{
	struct event_views *views = container_of(subscriber, struct event_view, subscriber)->views;

	if (views->on_change)
		views->on_change(views, delivery_view_id(subscriber), change);
}

void event_views_init(struct event_views *views)
{
	list_init(&views->all);
	list_init(&views->to_write);
}

bool event_views_add(struct event_views *views, struct id device_id, struct id account_id)
{
	struct event_view *view = memory_zalloc(sizeof(*view));

	view->views = views;
	view->subscriber.on_view = on_view;
	view->subscriber.on_change = on_change;
	list_init(&view->to_write);
	list_init(&view->node);
	if (!delivery_subscribe_view(views->delivery, &view->subscriber, device_id, account_id)) {
		free(view);
		return false;
	}
	list_append(&views->all, &view->node);
	if (delivery_view(&view->subscriber))
		mark(view);
	return true;
}

void event_views_remove(struct event_view *view)
{
	delivery_unsubscribe_view(&view->subscriber);
	list_remove(&view->to_write);
	list_remove(&view->node);
	free(view);
}

void event_views_finish(struct event_views *views)
{
	list_for_each (node, &views->all)
		event_views_remove(container_of(node, struct event_view, node));
}

struct event_view *event_views_take(struct event_views *views)
{
	struct list *node = list_take_first(&views->to_write);

	return node ? container_of(node, struct event_view, to_write) : NULL;
}

void event_views_repeat(struct event_views *views)
{
	list_for_each (node, &views->all) {
		struct event_view *view = container_of(node, struct event_view, node);

		view->was_written = false;
		if (delivery_view(&view->subscriber))
			mark(view);
	}
}
