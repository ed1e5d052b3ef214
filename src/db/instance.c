#include "db/hints.h"

struct instance {
	struct id id;
};

static void init(void *common)
{
	struct instance *instance = common;

	instance->id = id_new();
}

const struct region instance_region = {
    .name = "instance", .version = 1, .size = sizeof(struct instance), .init = init};

struct id instance_name(const void *common)
{
	const struct instance *instance = common;

	return instance->id;
}
