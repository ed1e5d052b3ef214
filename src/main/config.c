#include "main/config.h"
#include "base/limits.h"
#include "base/memory.h"
#include "main/config_option.h"
#include "main/exit_code.h"
#include "main/state_dir.h"

#include <errno.h>
#include <sched.h>

static unsigned core_count(void)
{
	cpu_set_t cores;
	unsigned count = 1;

	if (sched_getaffinity(0, sizeof(cores), &cores) == 0)
		count = (unsigned)CPU_COUNT(&cores);
	return count < CONFIG_WORKERS_MAX ? count : CONFIG_WORKERS_MAX;
}

int option_take(struct config *config, enum config_option number, const char *value,
		struct config_origin origin, struct reason *reterr)
{
	const struct option *option = &config_settings[number];
	struct config_origin *now = &config->origins[number];

	if (now->source > origin.source)
		return 0;
	if (option->clear && now->source < origin.source)
		option->clear(config);
	*now = origin;
	return option->parse(config, value, reterr);
}

static void set_defaults(struct config *config)
{
	struct reason why;

	*config = (struct config){
	    .state_dir = state_dir_default(),
	    .workers = core_count(),
	    .rate_limit = LIMIT_RATE_PER_S,
	    .log_level = LOG_INFO,
	    .access_log = true,
	};
	if (listen_address_parse(STR("127.0.0.1:8080"), &config->listen[0], &why) == 0)
		config->listen_count = 1;
}

/* Takes "--name" or "--name=value" apart. */
static bool flag_is(const char *argument, const char *name, const char **ret_value)
{
	size_t length = strlen(name);

	if (strncmp(argument, "--", 2) != 0 || strncmp(argument + 2, name, length) != 0)
		return false;
	*ret_value = argument[2 + length] == '=' ? argument + 2 + length + 1 : NULL;
	return *ret_value || argument[2 + length] == 0;
}

/* One argument, as what the table says; the value may be the next one. */
struct flag {
	const struct option *option;
	unsigned number; /* of a setting; OPTION_COUNT for another flag */
	const char *value;
};

static bool find_flag(const char *argument, struct flag *ret)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		*ret = (struct flag){.option = &config_settings[i], .number = i};
		if (flag_is(argument, ret->option->name, &ret->value))
			return true;
	}
	for (unsigned i = 0; i < config_flag_count; i++) {
		*ret = (struct flag){.option = &config_flags[i], .number = OPTION_COUNT};
		if (flag_is(argument, ret->option->name, &ret->value))
			return true;
	}
	return false;
}

static int take_flag(struct config *config, const struct flag *flag, struct reason *reterr)
{
	struct config_origin origin = {.source = SOURCE_FLAG};
	struct reason why;

	if (!flag->option->argument) {
		/* --help wins over the others, wherever it stands. */
		if (config->action < flag->option->action)
			config->action = flag->option->action;
		return 0;
	}
	if (flag->number == OPTION_COUNT) {
		free(config->file);
		config->file = memory_strdup(flag->value);
		return 0;
	}
	if (option_take(config, (enum config_option)flag->number, flag->value, origin, &why) < 0)
		return reason_set(reterr, "--%s %s", flag->option->name, why.text);
	return 0;
}

static int read_flags(struct config *config, int argc, char *const argv[], struct reason *reterr)
{
	for (int i = 1; i < argc; i++) {
		struct flag flag;

		if (strcmp(argv[i], "-h") == 0) {
			config->action = ACTION_HELP;
			continue;
		}
		if (!find_flag(argv[i], &flag))
			return reason_set(reterr, "there is no option %s; see displayd --help",
					  argv[i]);
		if (!flag.option->argument && flag.value)
			return reason_set(reterr, "--%s takes no value", flag.option->name);
		if (flag.option->argument && !flag.value)
			flag.value = ++i < argc ? argv[i] : "";
		if (flag.option->argument && !flag.value[0])
			return reason_set(reterr, "--%s needs a value: %s", flag.option->name,
					  flag.option->argument);
		if (take_flag(config, &flag, reterr) < 0)
			return -1;
	}
	return 0;
}

/* Several addresses in one variable are separated by commas or white space. */
static int take_variable(struct config *config, enum config_option number, const char *name,
			 const char *value, struct reason *reterr)
{
	struct config_origin origin = {.source = SOURCE_VARIABLE};
	bool many = config_settings[number].clear != NULL;
	char *copy = memory_strdup(value), *rest = copy, *piece;
	struct reason why;
	int rc = 0;

	while (rc == 0 && (piece = many ? strsep(&rest, ", \t\n") : copy)) {
		if (!many || *piece)
			rc = option_take(config, number, piece, origin, &why);
		if (!many)
			break;
	}
	free(copy);
	return rc < 0 ? reason_set(reterr, "%s %s", name, why.text) : 0;
}

static int read_variables(struct config *config, struct reason *reterr)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		char name[OPTION_NAME_BYTES];
		const char *value;

		option_variable(&config_settings[i], name);
		value = getenv(name);
		/* Compose files and service managers set empty ones for "not set". */
		if (value && value[0] &&
		    take_variable(config, (enum config_option)i, name, value, reterr) < 0)
			return -1;
	}
	return 0;
}

int config_read(struct config *ret_config, int argc, char *const argv[], struct reason *reterr)
{
	const char *file = getenv("DISPLAYD_CONFIG");

	set_defaults(ret_config);
	if (read_flags(ret_config, argc, argv, reterr) < 0)
		return -1;
	if (ret_config->action >= ACTION_HELP)
		return 0;
	if (read_variables(ret_config, reterr) < 0)
		return -1;
	if (!ret_config->file && file && file[0])
		ret_config->file = memory_strdup(file);
	return ret_config->file ? config_read_file(ret_config, reterr) : 0;
}

void config_finish(struct config *config)
{
	free(config->file);
	free(config->state_dir);
	free(config->database);
	free(config->public_url);
	while (config->cors_origin_count > 0)
		free(config->cors_origins[--config->cors_origin_count]);
	*config = (struct config){0};
}
