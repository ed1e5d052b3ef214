/* Connects the modules by which pages learn what panels show. */
#include "base/limits.h"
#include "delivery/watch_region.h"
#include "modules.h"

static void on_peers_look(void *context)
{
	struct delivery *delivery = context;

	leases_look(&delivery->leases);
}

static void on_peer_silent(void *context, struct id peer_id)
{
	struct delivery *delivery = context;

	view_subscriptions_miss(&delivery->subscriptions, peer_id);
}

static void on_peer_gone(void *context, struct view_peer *peer)
{
	struct delivery *delivery = context;

	leases_forget(&delivery->leases, peer);
}

static void on_view(void *context, struct id device_id, const struct panel_view *view)
{
	struct delivery *delivery = context;

	view_subscriptions_take(&delivery->subscriptions, device_id, delivery->view_peers.self,
				view);
}

void views_init(struct delivery *delivery, struct loop *loop, struct region_map *shared)
{
	delivery->view_peers = (struct view_peers){
	    .loop = loop,
	    .db = delivery->db,
	    .self = cursors_name_worker(&delivery->cursors),
	    .on_look = on_peers_look,
	    .on_silent = on_peer_silent,
	    .on_gone = on_peer_gone,
	    .context = delivery,
	};
	view_peers_init(&delivery->view_peers);
	delivery->leases = (struct leases){
	    .loop = loop,
	    .db = delivery->db,
	    .panels = &delivery->panels,
	    .watched = region_common(shared, &watch_region),
	    .peers = &delivery->view_peers,
	    .on_view = on_view,
	    .context = delivery,
	};
	leases_init(&delivery->leases);
	delivery->subscriptions = (struct view_subscriptions){
	    .loop = loop,
	    .db = delivery->db,
	    .leases = &delivery->leases,
	    .peers = &delivery->view_peers,
	    .max = LIMIT_VIEWS,
	};
	view_subscriptions_init(&delivery->subscriptions);
}

void views_finish(struct delivery *delivery)
{
	view_subscriptions_finish(&delivery->subscriptions);
	leases_finish(&delivery->leases);
	view_peers_finish(&delivery->view_peers);
}
