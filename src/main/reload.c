#include "main/reload.h"
#include "base/log.h"
#include "base/memory.h"
#include "main/certificates.h"
#include "main/config_report.h"
#include "main/state_dir.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_BYTES = 512 };

/* Settings that a running instance cannot change: its folder, its database and its key, the layout
 * of shared memory, its processes, and layers of the sandbox. */
static const char *const fixed[] = {"database",	 "sandbox", "secret-key-file",
				    "state-dir", "workers", NULL};

static bool is_fixed(const char *name)
{
	for (const char *const *one = fixed; *one; one++)
		if (strcmp(*one, name) == 0)
			return true;
	return false;
}

void reload_init(struct reload *reload, const struct config *first)
{
	*reload = (struct reload){.first = first};
}

static void destroy(struct config *config)
{
	if (config)
		config_finish(config);
	free(config);
}

void reload_finish(struct reload *reload)
{
	destroy(reload->current);
	destroy(reload->next);
	*reload = (struct reload){0};
}

static const struct config *in_force(const struct reload *reload)
{
	return reload->current ? reload->current : reload->first;
}

/* Writes the note, the only result that a waiting program sees. */
static void write_note(struct reload *reload, enum upgrade_state state)
{
	reload->note.state = state;
	if (upgrade_note_write(reload->first->state_dir, RELOAD_NOTE, &reload->note) < 0)
		log_warn("supervisor", "cannot write the file reload");
}

static void begin_note(struct reload *reload)
{
	struct upgrade_note last;

	(void)upgrade_note_read(reload->first->state_dir, RELOAD_NOTE, &last);
	reload->note = (struct upgrade_note){.number = last.number + 1};
	write_note(reload, UPGRADE_CHECKING);
}

static void tell_restart(struct reload *reload, const char *setting)
{
	char *reason = reload->note.reason;
	size_t length = strlen(reason);

	snprintf(reason + length, sizeof(reload->note.reason) - length, "%s%s",
		 length ? ", " : "these settings need a restart: ", setting);
	log_warn("supervisor", "changed setting needs a restart", LOG_TEXT("setting", setting));
}

/* Restores settings that cannot change, and logs them. */
static void keep_fixed(struct reload *reload, struct config *next)
{
	const struct config *first = reload->first;

	for (const char *const *name = fixed; *name; name++)
		if (options_differ(&next->options, &first->options, *name))
			tell_restart(reload, *name);
	next->state_dir = first->state_dir;
	next->database = first->database;
	next->secret_key_file = first->secret_key_file;
	next->workers = first->workers;
	next->sandbox = first->sandbox;
	/* The render host's programs were looked up at the start. */
	if ((next->renderers == 0) != (first->renderers == 0)) {
		tell_restart(reload, "renderers");
		next->renderers = in_force(reload)->renderers;
	}
}

/* Lists the names of changed settings that can change; "" if there are none. */
static void find_changes(const struct config *left, const struct config *right,
			 char ret_names[static NAMES_BYTES])
{
	ret_names[0] = 0;
	for (const struct option *option = config_set.options; option->name; option++) {
		size_t length = strlen(ret_names);

		if (option->argument_only || is_fixed(option->name) ||
		    !options_differ(&left->options, &right->options, option->name))
			continue;
		if (strcmp(option->name, "renderers") == 0 && left->renderers == right->renderers)
			continue;
		snprintf(ret_names + length, NAMES_BYTES - length, "%s%s", length ? "," : "",
			 option->name);
	}
}

static enum reload_outcome reload_refuse(struct reload *reload, struct config *next,
					 const char *why)
{
	snprintf(reload->note.reason, sizeof(reload->note.reason), "%s", why);
	write_note(reload, UPGRADE_REFUSED);
	log_error("supervisor", "configuration rejected, keeping the previous one",
		  LOG_TEXT("reason", why));
	destroy(next);
	return RELOAD_REFUSED;
}

static void set_log(const struct config *config)
{
	log_set_format(config->log_format);
	log_set_level(config->log_level);
}

/* Other certificates need no new workers, unless displayd's URLs get another name. Returns 1 if
 * they changed, 0 if not, or -1 with a reason. */
static int reload_certificates(struct instance *instance, const struct config *config,
			       char ret_names[static NAMES_BYTES], struct reason *reterr)
{
	char name[HTTP_TLS_NAME_BYTES];
	int result;

	if (config->tls_certificates.count == 0)
		return 0;
	result =
	    certificates_load(config, instance->shared, name, &instance->tls_ends_at_s, reterr);
	if (result >= 0 && !config->public_url && strcmp(name, instance->tls_name) != 0)
		snprintf(ret_names, NAMES_BYTES, "tls-certificate");
	return result;
}

static int look_at_token(const struct instance *instance, const struct config *next,
			 char ret_names[static NAMES_BYTES], struct reason *reterr)
{
	uint8_t hash[METRICS_TOKEN_HASH_BYTES];

	if (!next->metrics_token_file)
		return 0;
	if (metrics_token_load(next->metrics_token_file, hash, reterr) < 0)
		return -1;
	if (memcmp(hash, instance->metrics_token_hash, sizeof(hash)) != 0)
		snprintf(ret_names, NAMES_BYTES, "metrics-token-file");
	return 0;
}

static int look_at_password(const struct instance *instance, const struct config *next,
			    char ret_names[static NAMES_BYTES], struct reason *reterr)
{
	struct config_secrets secrets;

	if (config_load_secrets(next, &secrets, reterr) < 0)
		return -1;
	if (strcmp(secrets.mqtt_password, instance->secrets.mqtt_password) != 0)
		snprintf(ret_names, NAMES_BYTES, "mqtt-password-file");
	else if (strcmp(secrets.oidc_secret, instance->secrets.oidc_secret) != 0)
		snprintf(ret_names, NAMES_BYTES, "oidc-secret-file");
	sodium_memzero(&secrets, sizeof(secrets));
	return 0;
}

/* Other contents of a file whose name stays also count as a change. */
static int look_at_secrets(const struct instance *instance, const struct config *next,
			   char ret_names[static NAMES_BYTES], struct reason *reterr)
{
	if (look_at_token(instance, next, ret_names, reterr) < 0)
		return -1;
	return ret_names[0] ? 0 : look_at_password(instance, next, ret_names, reterr);
}

enum reload_outcome reload_begin(struct reload *reload, struct instance *instance, int argc,
				 char *const argv[])
{
	struct config *next = memory_zalloc(sizeof(*next));
	char names[NAMES_BYTES];
	struct options_error error;
	struct reason why;
	int certificates = 0;

	begin_note(reload);
	if (config_read(next, argc, argv, &error) < 0)
		return reload_refuse(reload, next, error.text);
	/* Also those that a restart will need: it would fail. */
	if (config_check_files(next, &why) < 0)
		return reload_refuse(reload, next, why.text);
	keep_fixed(reload, next);
	find_changes(in_force(reload), next, names);
	if (!names[0] && look_at_secrets(instance, next, names, &why) < 0)
		return reload_refuse(reload, next, why.text);
	if (!names[0])
		certificates = reload_certificates(instance, next, names, &why);
	if (certificates < 0)
		return reload_refuse(reload, next, why.text);
	if (!names[0]) {
		log_info("supervisor", certificates ? "new certificates in force"
						    : "configuration reloaded, nothing changed");
		write_note(reload, UPGRADE_DONE);
		destroy(next);
		return RELOAD_UNCHANGED;
	}
	if (instance_change(instance, next, &reload->before, &why) < 0)
		return reload_refuse(reload, next, why.text);
	log_info("supervisor", "configuration changed", LOG_TEXT("settings", names));
	reload->changes_host =
	    options_differ(&in_force(reload)->options, &next->options, "egress-allow");
	reload->next = next;
	set_log(next);
	return RELOAD_BEGUN;
}

static void undo(struct reload *reload, struct instance *instance)
{
	static const char why[] = "its workers did not start";

	instance_undo(instance, &reload->before);
	set_log(in_force(reload));
	reload_refuse(reload, reload->next, why);
	reload->next = NULL;
	reload->changes_host = false;
}

void reload_end(struct reload *reload, struct instance *instance, bool is_done)
{
	if (!is_done) {
		undo(reload, instance);
		return;
	}
	if (state_dir_write_urls(instance->config->state_dir, instance->public_url,
				 instance->panel_url) < 0)
		log_warn("supervisor", "cannot write the files public-url and panel-url");
	instance_keep(instance, &reload->before);
	destroy(reload->current);
	reload->current = reload->next;
	reload->next = NULL;
	log_info("supervisor", "new configuration in force", LOG_TEXT("url", instance->public_url));
	write_note(reload, UPGRADE_DONE);
}
