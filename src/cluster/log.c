#include "base/log.h"
#include "private.h"

#include <string.h>
#include <unistd.h>

/* PostgreSQL may write without end, and the caller has other work: a turn reads what a pipe holds.
 */
enum { CHUNK_BYTES = 2048, CHUNKS_A_TURN = (64 << 10) / CHUNK_BYTES };

/* "LOG:  database system is ready": the word before the colon is the severity. */
static enum log_level level_of(struct str line)
{
	if (str_starts_with(line, STR("FATAL:")) || str_starts_with(line, STR("PANIC:")))
		return LOG_ERROR;
	if (str_starts_with(line, STR("WARNING:")))
		return LOG_WARN;
	return LOG_INFO;
}

static void log_line(struct cluster *cluster)
{
	static const char no_room[] = "No space left on device";
	struct str line = {cluster->log_line, cluster->log_length};
	enum log_level level = level_of(line);

	cluster->log_length = 0;
	if (line.length == 0)
		return;
	/* PostgreSQL logs these for clients that connect while it starts or stops, for those that
	 * it disconnects then, and for those that end while it answers: they are expected. */
	if (str_starts_with(line, STR("FATAL:  the database system is ")) ||
	    str_starts_with(line, STR("FATAL:  terminating connection ")) ||
	    str_starts_with(line, STR("FATAL:  connection to client lost")))
		level = LOG_DEBUG;
	else if (level == LOG_ERROR)
		snprintf(cluster->last_fatal, sizeof(cluster->last_fatal), "%.*s", STR_ARG(line));
	LOG_AT(level, "cluster", "PostgreSQL", LOG_STR("line", line));
	if (level == LOG_ERROR && memmem(line.data, line.length, no_room, strlen(no_room)))
		log_error("cluster", "database disk is full", LOG_TEXT("folder", cluster->folder));
}

bool cluster_read_log(struct cluster *cluster)
{
	for (unsigned read_count = 0; read_count < CHUNKS_A_TURN; read_count++) {
		char chunk[CHUNK_BYTES];
		ssize_t got;

		if (cluster->log_fd < 0)
			return false;
		got = read(cluster->log_fd, chunk, sizeof(chunk));
		if (got <= 0)
			return got < 0;
		for (ssize_t i = 0; i < got; i++) {
			/* A longer line is logged in pieces. */
			if (chunk[i] == '\n' || cluster->log_length == sizeof(cluster->log_line))
				log_line(cluster);
			if (chunk[i] != '\n')
				cluster->log_line[cluster->log_length++] = chunk[i];
		}
	}
	return true;
}

void cluster_close_log(struct cluster *cluster)
{
	if (cluster->log_fd > 0)
		close(cluster->log_fd);
	cluster->log_fd = -1;
}
