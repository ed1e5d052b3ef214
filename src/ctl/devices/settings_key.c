#include "ctl/ctl.h"
#include "ctl/server/text.h"
#include "main/secret_key.h"
#include "main/secret_key_check.h"

#include <sodium.h>
#include <unistd.h>

static enum ctl_exit report(enum secret_key_check result, const struct reason *why)
{
	if (result == SECRET_KEY_FITS)
		return CTL_DONE;
	return ctl_fail(result == SECRET_KEY_REFUSED ? CTL_REFUSED : CTL_DATABASE, "%s", why->text);
}

static struct str name_file(struct ctl *ctl)
{
	if (ctl->config.secret_key_file)
		return str_from(ctl->config.secret_key_file);
	return ARENA_JOIN(&ctl->arena, str_from(ctl->config.state_dir), STR("/secret-key"));
}

/* Requires the lock of the state directory. */
static enum ctl_exit rekey(struct ctl *ctl, void *context)
{
	const struct config *config = &ctl->config;
	struct settings_key key;
	struct reason why;
	enum ctl_exit code;
	bool is_new;

	(void)context;
	if (secret_key_load(config->state_dir, config->secret_key_file, &key, &is_new, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	code = report(secret_key_accept(ctl->connection, &key, &why), &why);
	sodium_memzero(&key, sizeof(key));
	if (code == CTL_DONE)
		return ctl_print_members(ctl, CTL_MEMBERS(ctl_text("file", name_file(ctl))));
	if (is_new)
		secret_key_take_back(config->state_dir);
	return code;
}

enum ctl_exit ctl_database_rekey(struct ctl *ctl)
{
	enum ctl_exit code = ctl_look_for_database(ctl);

	if (code == CTL_DONE)
		code = ctl_confirm(ctl,
				   "Secret settings encrypted with a key other than the one in "
				   "%.*s must be entered again.",
				   STR_ARG(name_file(ctl)));
	return code == CTL_DONE ? ctl_with_database(ctl, /* alone= */ true, rekey, NULL) : code;
}
