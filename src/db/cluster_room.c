#include "cluster_private.h"
#include "db/cluster.h"

#include <stdint.h>
#include <sys/statvfs.h>

/* Four of the files into which PostgreSQL logs what it writes, 16 MiB each: it needs one whole
 * before it can go on. */
static const uint64_t short_bytes = 64 * 1024 * 1024;
/* A table cannot grow by much any more. */
static const uint64_t none_bytes = 1024 * 1024;

enum storage_room cluster_room(const struct cluster *cluster)
{
	char path[CLUSTER_PATH_BYTES];
	struct statvfs disk;
	uint64_t left;

	if (!cluster_path(cluster, cluster->data, path) || statvfs(path, &disk) == -1)
		return STORAGE_ROOM_ENOUGH;
	/* What is left for processes without rights, as PostgreSQL is one. */
	left = (uint64_t)disk.f_bavail * disk.f_frsize;
	if (left < none_bytes)
		return STORAGE_ROOM_NONE;
	return left < short_bytes ? STORAGE_ROOM_SHORT : STORAGE_ROOM_ENOUGH;
}
