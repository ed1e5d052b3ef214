#include "brokers.h"
#include "base/memory.h"
#include "metric/metric.h"

#include <stdlib.h>

static struct str key_of(const struct id *account)
{
	return (struct str){(const char *)account->bytes, sizeof(account->bytes)};
}

void brokers_init(struct brokers *brokers)
{
	*brokers = (struct brokers){0};
	list_init(&brokers->all);
}

struct broker *brokers_find(const struct brokers *brokers, struct id account)
{
	struct map_node *node = map_find(&brokers->by_account, key_of(&account));

	return node ? container_of(node, struct broker, by_account) : NULL;
}

void brokers_forget(struct broker *broker)
{
	broker->peer.is_open = broker->is_connected = broker->has_news = false;
}

unsigned brokers_count_open(const struct brokers *brokers)
{
	unsigned count = 0;

	list_for_each (node, &brokers->all)
		count += container_of(node, struct broker, node)->peer.is_open;
	return count;
}

uint64_t brokers_next_end_ms(const struct brokers *brokers)
{
	uint64_t next_ms = 0;

	list_for_each (node, &brokers->all) {
		const struct broker *broker = container_of(node, struct broker, node);

		if (broker->peer.is_open && broker->end_ms &&
		    (!next_ms || broker->end_ms < next_ms))
			next_ms = broker->end_ms;
	}
	return next_ms;
}

void brokers_tell(const struct brokers *brokers)
{
	unsigned counts[METRIC_MQTT_STATES] = {0};

	list_for_each (node, &brokers->all) {
		const struct broker *broker = container_of(node, struct broker, node);

		if (!broker->peer.is_open)
			continue;
		if (broker->is_connected)
			counts[METRIC_MQTT_CONNECTED]++;
		else if (broker->error[0])
			counts[METRIC_MQTT_FAILED]++; /* not one that is tried for the first time */
	}
	for (int i = 0; i < METRIC_MQTT_STATES; i++)
		metric_set(METRIC_MQTT_CONNECTIONS, i, counts[i]);
}

struct broker *brokers_add(struct brokers *brokers, struct id account,
			   const struct http_listener_settings *listener)
{
	struct broker *broker = memory_zalloc(sizeof(*broker));

	broker->peer.account_id = account;
	broker->listener = *listener;
	broker->listener.peer = &broker->peer;
	list_init(&broker->node);
	list_append(&brokers->all, &broker->node);
	map_insert(&brokers->by_account, &broker->by_account, key_of(&broker->peer.account_id));
	return broker;
}

void brokers_free(struct brokers *brokers)
{
	for (struct list *node; (node = list_take_first(&brokers->all));)
		free(container_of(node, struct broker, node));
	map_finish(&brokers->by_account);
}
