#include "cluster/cluster.h"
#include "private.h"

#include <sys/statvfs.h>

struct disk_room cluster_room(const struct cluster *cluster)
{
	char path[CLUSTER_PATH_BYTES];
	struct statvfs disk;

	if (!cluster_path(cluster, cluster->data, path) || statvfs(path, &disk) == -1)
		return (struct disk_room){.left_bytes = UINT64_MAX};
	/* Count the bytes left for processes without rights, such as PostgreSQL. */
	return (struct disk_room){
	    .left_bytes = (uint64_t)disk.f_bavail * disk.f_frsize,
	    .all_bytes = (uint64_t)disk.f_blocks * disk.f_frsize,
	};
}
