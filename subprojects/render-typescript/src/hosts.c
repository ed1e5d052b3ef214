/* Hosts that scripts have asked, each once. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_MAX = 255 };

void hosts_note(struct run *run, const char *url)
{
	const char *from = strstr(url, "://"), *at;
	struct bytes *hosts = &run->hosts;
	size_t length;

	if (!from)
		return;
	from += 3;
	length = strcspn(from, "/?#\\");
	at = memchr(from, '@', length);
	if (at) {
		length -= (size_t)(at + 1 - from);
		from = at + 1;
	}
	if (*from != '[' && memchr(from, ':', length))
		length = (size_t)((const char *)memchr(from, ':', length) - from);
	if (length == 0 || length > HOST_MAX)
		return;
	for (size_t i = 0; i < run->host_count; i++)
		if (strlen(run->host_names[i]) == length &&
		    strncmp(run->host_names[i], from, length) == 0)
			return;
	run->host_names[run->host_count] = strndup(from, length);
	if (!run->host_names[run->host_count])
		return;
	run->host_count++;
	if (hosts->length > 0)
		bytes_add_text(hosts, ",");
	bytes_add_json(hosts, from, length);
}

void hosts_forget(struct run *run)
{
	for (size_t i = 0; i < run->host_count; i++)
		free(run->host_names[i]);
	run->host_count = 0;
}
