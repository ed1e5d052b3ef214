#include "ctl/exchange/pass_phrase.h"
#include "ctl/shell/input.h"
#include "ctl/shell/prompt.h"

enum { PHRASE_MIN = 8, PHRASE_MAX = 1024, PASSES = 3, MEMORY_BYTES = 64 * 1024 * 1024 };

enum ctl_exit pass_phrase_read(struct ctl *ctl, struct str *ret_phrase)
{
	const char *path = ctl_value(ctl, "pass-phrase-file").data;
	enum ctl_exit code = CTL_DONE;

	*ret_phrase = (struct str){0};
	if (path)
		code = ctl_read_line(ctl, path, ret_phrase);
	if (!path || code != CTL_DONE)
		return code;
	if (ret_phrase->length < PHRASE_MIN || ret_phrase->length > PHRASE_MAX)
		return ctl_fail(CTL_USAGE, "the pass phrase must have %d to %d bytes", PHRASE_MIN,
				PHRASE_MAX);
	return CTL_DONE;
}

enum ctl_exit pass_phrase_ask(struct ctl *ctl, struct str *ret_phrase)
{
	enum ctl_exit code = pass_phrase_read(ctl, ret_phrase);

	if (code != CTL_DONE || ret_phrase->data)
		return code;
	return ctl_ask_line(ctl, "Pass phrase of the backup", true, "--pass-phrase-file FILE",
			    ret_phrase);
}

enum ctl_exit pass_phrase_fail_memory(void)
{
	return ctl_fail(CTL_FAILED, "not enough memory for the pass phrase, which needs 64 MiB");
}

enum ctl_exit pass_phrase_key(struct str phrase, const uint8_t salt[static ACCOUNT_SALT_BYTES],
			      struct settings_key *ret_key)
{
	if (crypto_pwhash(ret_key->bytes, sizeof(ret_key->bytes), phrase.data, phrase.length, salt,
			  PASSES, MEMORY_BYTES, crypto_pwhash_ALG_ARGON2ID13) == 0)
		return CTL_DONE;
	return pass_phrase_fail_memory();
}
