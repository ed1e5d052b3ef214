#include "ctl/ctl.h"
#include "main/state_dir.h"

#include <signal.h>
#include <sodium.h>

static enum ctl_exit print_help(void)
{
	struct buffer text = {0};
	struct str view;
	bool written;

	ctl_print_help(&text);
	view = buffer_view(&text);
	written = fwrite(view.data, 1, view.length, stdout) == view.length && fflush(stdout) == 0;
	buffer_finish(&text);
	return written ? CTL_DONE : CTL_FAILED;
}

static int run(struct ctl *ctl, int argc, char **argv)
{
	bool help = false;
	int apart = 0;
	enum ctl_exit code = ctl_read_arguments(ctl, argc, argv, &help, &apart);

	if (code != CTL_DONE)
		return code;
	if (help)
		return print_help();
	if (ctl->command->run_apart)
		return ctl->command->run_apart(argc - apart, argv + apart);
	return ctl->command->run(ctl);
}

int main(int argc, char **argv)
{
	struct ctl ctl = {.cluster = {.log_fd = -1, .socket_fd = -1}};
	int code;

	/* A reader that left is told by write(). */
	signal(SIGPIPE, SIG_IGN);
	log_set_level(LOG_WARN);
	if (sodium_init() < 0)
		return ctl_fail(CTL_FAILED, "no source of random numbers");
	code = run(&ctl, argc, argv);
	if (ctl.connection)
		PQfinish(ctl.connection);
	cluster_close(&ctl.cluster);
	config_finish(&ctl.config);
	arena_finish(&ctl.arena);
	return code;
}
