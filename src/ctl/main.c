#include "base/arguments.h"
#include "ctl/ctl.h"

#include <curl/curl.h>
#include <locale.h>
#include <sandbox/sandbox.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>

static int main_run(struct ctl *ctl, int argc, char **argv)
{
	enum ctl_wish wish = CTL_COMMAND;
	enum ctl_exit code = ctl_read_arguments(ctl, argc, argv, &wish);
	int rest = ctl->options.rest;

	if (code != CTL_DONE)
		return code;
	if (wish == CTL_HELP)
		return ctl_print_help(ctl);
	if (wish == CTL_VERSION) {
		printf("displayctl %s\nbuilt in: %s\n", DISPLAYD_VERSION, DISPLAYD_BUILT_IN);
		return CTL_DONE;
	}
	if (ctl->command->run_apart)
		return ctl->command->run_apart(argc - rest, argv + rest);
	code = ctl_prepare_key(ctl);
	return code == CTL_DONE ? ctl->command->run(ctl) : code;
}

/* Fails if a command that is done could not write all of its output. */
static int check_output(int code)
{
	if (code == CTL_DONE && (fflush(stdout) != 0 || ferror(stdout)))
		return ctl_fail(CTL_FAILED, "cannot write to stdout");
	return code;
}

int main(int argc, char **argv)
{
	struct ctl ctl = {.cluster = {.log_fd = -1, .socket_fd = -1}};
	char **arguments = arguments_hide_passwords(argc, argv);
	int code;

	(void)sandbox_refuse_io_uring();
	/* wcwidth() needs a UTF-8 locale; Debian always has this one. */
	setlocale(LC_CTYPE, "C.UTF-8");
	/* If the reader of stdout has closed it, write() fails instead. */
	signal(SIGPIPE, SIG_IGN);
	log_set_level(LOG_WARN);
	if (sodium_init() < 0)
		return ctl_fail(CTL_FAILED, "no source of random numbers");
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return ctl_fail(CTL_FAILED, "libcurl cannot be used");
	if (argc > 1 && strcmp(arguments[1], "__complete") == 0)
		code = ctl_complete(&ctl, argc - 2, arguments + 2);
	else
		code = check_output(main_run(&ctl, argc, arguments));
	if (ctl.connection)
		PQfinish(ctl.connection);
	cluster_close(&ctl.cluster);
	options_finish(&ctl.options);
	config_finish(&ctl.config);
	arena_finish(&ctl.arena);
	free(arguments);
	return code;
}
