#include "key_streams.h"
#include "base/require.h"
#include "domain/key.h"
#include "events/events.h"
#include "web/access.h"

void key_streams_count(struct task *task, struct key_entry *key)
{
	require(key->secret_hash.length == KEY_HASH_BYTES);
	key->event_streams = events_count_of_key(web_service_of(task)->api.events,
						 (const uint8_t *)key->secret_hash.data);
}
