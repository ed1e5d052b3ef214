#include "looks.h"
#include "base/memory.h"
#include "base/require.h"

#include <stdlib.h>

/* Bytes are compared, so it has no padding. */
struct look_key {
	const char *bytes; /* of the picture, which is shared */
	uint64_t look;
};
_Static_assert(sizeof(struct look_key) == sizeof(char *) + sizeof(uint64_t), "padding");

struct look_job {
	struct map_node by_key;
	struct look_key key;
	struct looks *looks;
	struct lane_job job;
	struct picture picture;
	struct recolouring recolouring;
	struct list waiters; /* of struct look_waiter */
};

static struct look_key key_of(const struct picture *picture, struct picture_look look)
{
	return (struct look_key){.bytes = picture->data.data,
				 .look = (uint64_t)look.limit_kb << 24 | (uint64_t)look.size << 16 |
					 (uint64_t)look.dark << 8 | look.filter};
}

static struct str key_view(const struct look_key *key)
{
	return (struct str){(const char *)key, sizeof(*key)};
}

static bool step(struct lane_job *job)
{
	return recolouring_step(&container_of(job, struct look_job, job)->recolouring);
}

static void look_job_finish(struct look_job *job)
{
	map_remove(&job->looks->under_way, &job->by_key);
	pictures_release(job->looks->pictures, &job->picture);
	recolouring_finish(&job->recolouring);
	free(job);
}

static void on_done(struct lane_job *lane_job)
{
	struct look_job *job = container_of(lane_job, struct look_job, job);
	struct str webp = recolouring_result(&job->recolouring);
	struct list waiters, *node;

	if (job->recolouring.has_failed)
		webp = (struct str){0};
	if (!lane_job->is_dropped)
		pictures_keep_look(job->looks->pictures, &job->picture, job->recolouring.look,
				   webp);
	list_init(&waiters);
	while ((node = list_take_first(&job->waiters)))
		list_append(&waiters, node);
	look_job_finish(job);
	while ((node = list_take_first(&waiters))) {
		struct look_waiter *waiter = container_of(node, struct look_waiter, node);

		waiter->on_made(waiter);
	}
}

static struct look_job *look_job_start(struct looks *looks, const struct picture *picture,
				       struct picture_look look, struct id account)
{
	struct look_job *job = memory_zalloc(sizeof(*job));
	unsigned retry_after_s;

	job->looks = looks;
	job->key = key_of(picture, look);
	job->picture = pictures_hold(looks->pictures, picture);
	job->recolouring = (struct recolouring){.webp = picture->data, .look = look};
	list_init(&job->waiters);
	map_insert(&looks->under_way, &job->by_key, key_view(&job->key));
	job->job = (struct lane_job){
	    .account = account, .size = picture->data.length, .run = step, .done = on_done};
	if (lanes_submit(looks->loop, recolouring_lane(&job->recolouring), &job->job,
			 &retry_after_s) == 0)
		return job;
	look_job_finish(job);
	return NULL;
}

bool looks_make(struct looks *looks, const struct picture *picture, struct picture_look look,
		struct id account, struct look_waiter *waiter)
{
	struct look_key key = key_of(picture, look);
	struct map_node *node = map_find(&looks->under_way, key_view(&key));
	struct look_job *job = node ? container_of(node, struct look_job, by_key)
				    : look_job_start(looks, picture, look, account);

	if (!job)
		return false;
	list_append(&job->waiters, &waiter->node);
	return true;
}

void looks_finish(struct looks *looks)
{
	require(looks->under_way.count == 0);
	map_finish(&looks->under_way);
}
