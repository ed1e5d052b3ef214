#include "cluster_private.h"
#include "db/cluster.h"

#include <stdint.h>
#include <sys/statvfs.h>

/* Four of the files into which PostgreSQL logs what it writes, 16 MiB each: it needs one whole
 * before it can go on. */
static const uint64_t room_min_bytes = 64 * 1024 * 1024;

bool cluster_is_short_of_room(const struct cluster *cluster)
{
	char path[CLUSTER_PATH_BYTES];
	struct statvfs disk;

	if (!cluster_path(cluster, cluster->data, path) || statvfs(path, &disk) == -1)
		return false;
	/* What is left for processes without rights, as PostgreSQL is one. */
	return (uint64_t)disk.f_bavail * disk.f_frsize < room_min_bytes;
}
