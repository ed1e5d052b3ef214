#include "base/memory.h"
#include "panels.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct str scheme = {"ws://", 5};

static struct str map_file(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes;

	if (fd < 0 || fstat(fd, &status) != 0 || status.st_size == 0) {
		fprintf(stderr, "panels: cannot read %s\n", path);
		exit(2);
	}
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED) {
		perror("panels: mmap");
		exit(2);
	}
	return (struct str){bytes, (size_t)status.st_size};
}

struct str url_host(struct str url)
{
	struct str rest = str_from_offset(url, scheme.length);

	return (struct str){rest.data, str_find(rest, '/')};
}

struct str url_target(struct str url)
{
	struct str rest = str_from_offset(url, scheme.length);

	return str_from_offset(rest, str_find(rest, '/'));
}

static void read_server(struct urls *urls)
{
	struct str host = url_host(urls->lines[0]);
	size_t colon = str_find(host, ':');
	unsigned long long port = 0;
	char address[INET_ADDRSTRLEN];

	snprintf(address, sizeof(address), "%.*s", (int)colon, host.data);
	urls->server.sin_family = AF_INET;
	if (colon == host.length ||
	    !str_to_uint64(str_from_offset(host, colon + 1), 65535, &port) ||
	    inet_pton(AF_INET, address, &urls->server.sin_addr) != 1) {
		fprintf(stderr, "panels: not ws://ADDRESS:PORT/...: %.*s\n",
			STR_ARG(urls->lines[0]));
		exit(2);
	}
	urls->server.sin_port = htons((uint16_t)port);
}

void urls_read(struct urls *urls, const char *path)
{
	struct str rest = map_file(path);
	unsigned room = 0;
	struct str line;

	while (str_next(&rest, '\n', &line)) {
		if (line.length == 0)
			continue;
		if (!str_starts_with(line, scheme)) {
			fprintf(stderr, "panels: not a ws:// URL: %.*s\n", STR_ARG(line));
			exit(2);
		}
		if (urls->count == room) {
			room = room ? room * 2 : 1024;
			urls->lines = memory_realloc(urls->lines, room * sizeof(urls->lines[0]));
		}
		urls->lines[urls->count++] = line;
	}
	if (urls->count == 0) {
		fprintf(stderr, "panels: no URL in %s\n", path);
		exit(2);
	}
	read_server(urls);
}
