#include "base/arguments.h"
#include "base/log.h"
#include "main/config.h"
#include "main/config_report.h"
#include "main/exit_code.h"
#include "main/log_destination.h"
#include "main/supervisor.h"

#include <sandbox/sandbox.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef DISPLAYD_VERSION
#error "the build says which version this is"
#endif

/* Says why there is no log yet. */
static void complain(const char *why)
{
	fprintf(stderr, "%sdisplayd: %s\n", log_destination_is_journal() ? "<3>" : "", why);
}

/* Fails if not all of the output could be written. */
static int check_output(int code)
{
	if (code != EXIT_DONE || (fflush(stdout) == 0 && !ferror(stdout)))
		return code;
	complain("cannot write to stdout");
	return EXIT_FAILED;
}

static int act(const struct config *config, struct upgrade *upgrade)
{
	int code;

	switch (config->action) {
	case ACTION_HELP:
		options_print_help(&config_set, NULL, stdout);
		return check_output(EXIT_DONE);
	case ACTION_VERSION:
		printf("displayd %s\nbuilt in: %s\n", DISPLAYD_VERSION, DISPLAYD_BUILT_IN);
		return check_output(EXIT_DONE);
	case ACTION_CHECK_CONFIG:
		return check_output(config_report(config));
	case ACTION_CHECK_UPGRADE:
		return check_output(upgrade_check_print(config));
	case ACTION_RUN:
		break;
	}
	log_set_format(config->log_format);
	log_set_level(config->log_level);
	log_set_priorities(log_destination_is_journal());
	log_init();
	signal(SIGPIPE, SIG_IGN); /* of a log, too: nobody may read it any more */
	log_info("main", "starting", LOG_TEXT("version", DISPLAYD_VERSION),
		 LOG_TEXT("built_in", DISPLAYD_BUILT_IN));
	code = supervisor_run(config, upgrade);
	log_finish();
	return code;
}

int main(int argc, char *argv[])
{
	char **arguments = arguments_hide_passwords(argc, argv);
	struct config config;
	char path[64];
	struct upgrade upgrade;
	struct options_error why;
	struct reason handover;
	int code;

	(void)sandbox_refuse_io_uring();
	if (sodium_init() < 0) {
		complain("no source of random numbers");
		free(arguments);
		return EXIT_FAILED;
	}
	upgrade_init(&upgrade, argc, arguments);
	if (!upgrade_receive(&upgrade, &handover))
		upgrade_go_back(&upgrade, handover.text);
	if (config_read_with(&config, upgrade_config_file(&upgrade, path), argc, arguments, &why) <
		0 ||
	    (config.action < ACTION_HELP && config_check_variables(&config, &why) < 0)) {
		upgrade_go_back(&upgrade, why.text);
		complain(why.text);
		code = EXIT_CONFIG;
	} else {
		code = act(&config, &upgrade);
	}
	config_finish(&config);
	free(arguments);
	return code;
}
