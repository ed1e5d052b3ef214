#include "cluster_private.h"
#include "db/cluster.h"

#include <sys/statvfs.h>

uint64_t cluster_room_bytes(const struct cluster *cluster)
{
	char path[CLUSTER_PATH_BYTES];
	struct statvfs disk;

	if (!cluster_path(cluster, cluster->data, path) || statvfs(path, &disk) == -1)
		return UINT64_MAX;
	/* What is left for processes without rights, as PostgreSQL is one. */
	return (uint64_t)disk.f_bavail * disk.f_frsize;
}
