#include "hint_subscribers.h"
#include "base/memory.h"
#include "db/hints.h"
#include "metric/metric.h"

static struct hint_subscription *subscription_of(struct list *node)
{
	return container_of(node, struct hint_subscription, node);
}

static unsigned metric_of(struct str kind)
{
	static const struct str kinds[] = {
	    [METRIC_HINT_DEVICE] = STR("device"), [METRIC_HINT_PUSH] = STR("push"),
	    [METRIC_HINT_KEY] = STR("key"),	  [METRIC_HINT_APP] = STR("app"),
	    [METRIC_HINT_RENDER] = STR("render"), [METRIC_HINT_CHANGED] = STR("changed"),
	    [METRIC_HINT_WATCH] = STR("watch"),	  [METRIC_HINT_SHOWS] = STR("shows"),
	    [METRIC_HINT_READ] = STR("read"),
	};

	for (unsigned i = 0; i < array_length(kinds); i++)
		if (kinds[i].length > 0 && str_equal(kind, kinds[i]))
			return i;
	return METRIC_HINT_OTHER;
}

void hint_deliver(const struct list *subscriptions, struct str word, bool is_first)
{
	struct str kind = {word.data, str_find(word, ':')};

	metric_add(METRIC_HINTS_RECEIVED, metric_of(kind), 1);

	list_for_each (node, subscriptions) {
		struct hint_subscription *subscription = subscription_of(node);

		if (subscription->is_once && !is_first)
			continue;
		if (subscription->kind.length == 0)
			subscription->on_hint(subscription, word);
		else if (kind.length < word.length && str_equal(kind, subscription->kind))
			subscription->on_hint(subscription, str_from_offset(word, kind.length + 1));
	}
}

void hint_set_up(struct hints *hints, bool up)
{
	if (hints->up == up)
		return;
	hints->up = up;
	list_for_each (node, &hints->subscriptions) {
		struct hint_subscription *subscription = subscription_of(node);

		if (subscription->on_up)
			subscription->on_up(subscription, up);
	}
	if (up)
		hints->first_bytes = buffer_length(&hints->waiting);
}

void hint_tell_heard(const struct list *subscriptions, uint64_t before_ms)
{
	list_for_each (node, subscriptions) {
		struct hint_subscription *subscription = subscription_of(node);

		if (subscription->on_heard)
			subscription->on_heard(subscription, before_ms);
	}
}
