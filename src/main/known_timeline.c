#include "main/known_timeline.h"
#include "base/log.h"
#include "main/instance.h"
#include "main/state_dir.h"

static bool is_same(struct timeline one, struct timeline other)
{
	return one.system == other.system && one.number == other.number;
}

void known_timeline_load(const struct instance *instance, struct timeline *saved)
{
	struct timeline_known *known = region_common(instance->shared, &timeline_region);
	struct timeline timeline = state_dir_read_timeline(instance->config->state_dir);

	if (!timeline.system)
		return;
	if (!timeline_get(known).system || (saved->system && !is_same(timeline, *saved)))
		timeline_set(known, timeline);
	*saved = timeline;
}

void known_timeline_save(const struct instance *instance, struct timeline *saved)
{
	struct timeline timeline = timeline_get(region_common(instance->shared, &timeline_region));

	if (!timeline.system || is_same(timeline, *saved))
		return;
	if (saved->system)
		log_info("supervisor", "the database has a newer timeline",
			 LOG_INT("timeline", timeline.number), LOG_INT("before", saved->number));
	*saved = timeline;
	if (state_dir_write_timeline(instance->config->state_dir, timeline) < 0)
		log_warn("supervisor", "cannot write the file timeline to the state directory");
}
