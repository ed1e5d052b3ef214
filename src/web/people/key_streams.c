#include "key_streams.h"
#include "base/require.h"
#include "domain/key.h"
#include "events/events.h"
#include "web/access.h"

int64_t key_streams_count(struct task *task, struct str secret_hash)
{
	require(secret_hash.length == KEY_HASH_BYTES);
	return events_count_of_key(web_service_of(task)->api.events,
				   (const uint8_t *)secret_hash.data);
}
