#include "brokers.h"
#include "base/memory.h"
#include "metric/metric.h"

#include <stdlib.h>

struct broker *brokers_find(const struct list *brokers, struct id account)
{
	list_for_each (node, brokers) {
		struct broker *broker = container_of(node, struct broker, node);

		if (id_equal(broker->peer.account_id, account))
			return broker;
	}
	return NULL;
}

void brokers_forget(struct broker *broker)
{
	broker->peer.is_open = broker->is_connected = broker->has_news = false;
}

unsigned brokers_count_open(const struct list *brokers)
{
	unsigned count = 0;

	list_for_each (node, brokers)
		count += container_of(node, struct broker, node)->peer.is_open;
	return count;
}

uint64_t brokers_next_end_ms(const struct list *brokers)
{
	uint64_t next_ms = 0;

	list_for_each (node, brokers) {
		const struct broker *broker = container_of(node, struct broker, node);

		if (broker->peer.is_open && broker->end_ms &&
		    (!next_ms || broker->end_ms < next_ms))
			next_ms = broker->end_ms;
	}
	return next_ms;
}

void brokers_tell(const struct list *brokers)
{
	unsigned counts[METRIC_MQTT_STATES] = {0};

	list_for_each (node, brokers) {
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

struct broker *brokers_add(struct list *brokers, struct id account,
			   const struct http_listener_settings *listener)
{
	struct broker *broker = memory_zalloc(sizeof(*broker));

	broker->peer.account_id = account;
	broker->listener = *listener;
	broker->listener.peer = &broker->peer;
	list_init(&broker->node);
	list_append(brokers, &broker->node);
	return broker;
}

void brokers_free(struct list *brokers)
{
	for (struct list *node; (node = list_take_first(brokers));)
		free(container_of(node, struct broker, node));
}
