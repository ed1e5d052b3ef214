#include "app_network.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

void app_network_init(struct app_network *network, const struct options *options)
{
	unsigned count = 0;

	*network = (struct app_network){.link = -1};
	for (unsigned i = 0; i < options->given_count && count < APP_NETWORK_RANGES_MAX; i++)
		if (strcmp(options->given[i].option->name, "egress-allow") == 0)
			network->ranges[count++] = options->given[i].value;
	network->allow = (struct option_list){network->ranges, count};
}

void app_network_leave(struct app_network *network)
{
	if (network->link >= 0) {
		close(network->link);
		close(network->egress.nothing);
		host_shared_leave(&network->egress);
	}
	network->link = -1;
	network->has_greeted = false;
	buffer_finish(&network->input);
	buffer_finish(&network->output);
}

static const char *start(struct app_network *network)
{
	int links[2];
	pid_t pid;

	if (!program_find(RENDER_EGRESS, false, &network->program))
		return program_missing(RENDER_EGRESS);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, links) != 0)
		return "no socket for the network";
	network->egress = (struct host_shared){.program = &network->program,
					       .allow = &network->allow,
					       .nothing = open("/dev/null", O_RDWR | O_CLOEXEC)};
	pid = host_shared_link(&network->egress, links[1]);
	close(links[1]);
	network->link = links[0];
	if (pid >= 0)
		return NULL;
	app_network_leave(network);
	return "the egress cannot be started";
}

const char *app_network_ask(struct app_network *network, struct str frame)
{
	const char *why = network->link < 0 ? start(network) : NULL;

	if (!why)
		buffer_append_str(&network->output, frame);
	return why;
}
