/* Configuration of displayd: arguments, variables and a file. Lines before the first empty one are
 * arguments, or variables if they begin with "DISPLAYD_"; the rest is the file. For any input, the
 * result is a sentence for a person or settings within their bounds, and settings from the file are
 * the same after they are written and read again. */
#include "base/require.h"
#include "main/config.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORDS_MAX = 64, PATH_BYTES = 32 };

struct input {
	char *arguments[WORDS_MAX + 2];
	int argument_count;
	char *variables[WORDS_MAX + 3];
	int variable_count;
	struct str file;
};

static void sort(char *text, size_t size, struct input *ret)
{
	static char program[] = "displayd", home[] = "HOME=/nonexistent";
	char *end = text + size;

	*ret = (struct input){.arguments = {program}, .argument_count = 1};
	ret->variables[ret->variable_count++] = home;
	while (text < end && *text != '\n') {
		char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline)
			newline = end;
		*newline = 0; /* there is room after the end */
		if (strncmp(text, "DISPLAYD_", 9) == 0 && strchr(text, '=') &&
		    ret->variable_count <= WORDS_MAX)
			ret->variables[ret->variable_count++] = text;
		else if (ret->argument_count <= WORDS_MAX)
			ret->arguments[ret->argument_count++] = text;
		text = newline < end ? newline + 1 : end;
	}
	if (text < end)
		ret->file = (struct str){text + 1, (size_t)(end - text) - 1};
}

static void check(const struct config *config)
{
	bool is_sound = config->state_dir[0] == '/' && config->workers >= 1 &&
			config->workers <= CONFIG_WORKERS_MAX &&
			config->rate_limit <= CONFIG_RATE_MAX &&
			config->renderers <= CONFIG_RENDERERS_MAX &&
			config->listen_count <= CONFIG_LISTENERS_MAX &&
			config->tls_certificates.count == config->tls_keys.count &&
			config->cors_origins.count <= CONFIG_CORS_ORIGINS_MAX &&
			config->egress_allow.count <= CONFIG_EGRESS_MAX &&
			config->sandbox <= SANDBOX_BEST_EFFORT && config->log_level <= LOG_ERROR;

	for (unsigned i = 0; i < config->listen_count; i++)
		is_sound &= config->listen[i].text[0] && config->listen[i].scheme &&
			    config->listen[i].length > 0;
	if (config->public_url)
		is_sound &= strlen(config->public_url) <= CONFIG_PUBLIC_URL_BYTES &&
			    config->public_url[strlen(config->public_url) - 1] != '/';
	require(is_sound);
}

/* Prints as --check-config and --help do. */
static void print(const struct config *config)
{
	char hash[CONFIG_FIXED_BYTES], *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	require(out);
	if (config->action == ACTION_HELP)
		options_print_help(&config_set, NULL, out);
	else if (config->action < ACTION_HELP)
		options_print(&config->options, out);
	require(fclose(out) == 0 && (size > 0 || config->action == ACTION_VERSION));
	free(text);
	config_hash_fixed(config, hash);
	require(strlen(hash) == CONFIG_FIXED_BYTES - 1);
}

static bool read_it(struct config *ret, const struct input *input, struct str file)
{
	static int memory = -1;
	struct options_error why = {""};
	char path[PATH_BYTES];

	if (memory < 0)
		memory = memfd_create("displayd.conf", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	require(ftruncate(memory, 0) == 0 &&
		pwrite(memory, file.data, file.length, 0) == (ssize_t)file.length);
	if (config_read_with(ret, path, input->argument_count, input->arguments, &why) == 0)
		return true;
	require(why.text[0] && strlen(why.text) < sizeof(why.text));
	return false;
}

static void read_again(const struct config *config, const struct input *input)
{
	struct config again;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	require(out && config_write_file(config, out) && fclose(out) == 0);
	require(read_it(&again, input, (struct str){text, size}));
	for (const struct option *one = config_set.options; one->name; one++)
		require(!options_differ(&config->options, &again.options, one->name));
	config_finish(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char **environment = environ, *copy = malloc(size + 1);
	struct config config;
	struct input input;

	require(copy && sodium_init() >= 0);
	memcpy(copy, data, size);
	copy[size] = 0;
	sort(copy, size, &input);
	environ = input.variables;
	if (read_it(&config, &input, input.file)) {
		if (config.action < ACTION_HELP)
			check(&config);
		print(&config);
		if (config.action < ACTION_HELP)
			read_again(&config, &input);
	}
	config_finish(&config);
	environ = environment;
	free(copy);
	return 0;
}
