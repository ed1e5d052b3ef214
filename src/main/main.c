#include "main/config.h"
#include "main/exit_code.h"
#include "main/supervisor.h"

#include <sodium.h>
#include <stdio.h>
#include <unistd.h>

#ifndef DISPLAYD_VERSION
#error "the build says which version this is"
#endif

static int print(struct buffer *text)
{
	struct str view = buffer_view(text);
	int code = fwrite(view.data, 1, view.length, stdout) == view.length && fflush(stdout) == 0
		       ? EXIT_DONE
		       : EXIT_FAILED;

	buffer_finish(text);
	return code;
}

static int act(const struct config *config)
{
	struct buffer text = {0};

	switch (config->action) {
	case ACTION_HELP:
		config_print_help(&text);
		return print(&text);
	case ACTION_VERSION:
		buffer_printf(&text, "displayd %s\n", DISPLAYD_VERSION);
		return print(&text);
	case ACTION_CHECK_CONFIG:
		config_print(config, &text);
		return print(&text);
	case ACTION_RUN:
		break;
	}
	log_set_format(config->log_format);
	log_set_level(config->log_level);
	return supervisor_run(config);
}

int main(int argc, char *argv[])
{
	struct config config;
	struct reason why;
	int code;

	if (sodium_init() < 0) {
		fprintf(stderr, "displayd: no source of random numbers\n");
		return EXIT_FAILED;
	}
	if (config_read(&config, argc, argv, &why) < 0) {
		fprintf(stderr, "displayd: %s\n", why.text);
		code = EXIT_CONFIG;
	} else {
		code = act(&config);
	}
	config_finish(&config);
	return code;
}
