/* displayctl backup: writes a backup (db/backup.h) to a file, perhaps encrypted with a pass phrase.
 */
#include "db/backup.h"
#include "ctl/ctl.h"
#include "ctl/exchange/backup_sql.h"
#include "ctl/exchange/new_file.h"
#include "ctl/exchange/pass_phrase.h"
#include "ctl/server/text.h"
#include "db/migrate.h"
#include "domain/age_file.h"
#include "main/secret_key.h"

struct backup {
	struct ctl *ctl;
	struct str phrase; /* data is NULL: it is not encrypted */
	struct new_file file;
	struct backup_dump dump;
	struct age_writer age;
	struct settings_key key;
	bool has_secret_key;
};

static enum ctl_exit find_key(struct backup *backup)
{
	const struct config *config = &backup->ctl->config;
	struct reason why;
	int found;

	if (config->secret_key_file)
		return CTL_DONE;
	found = secret_key_find(config->state_dir, NULL, &backup->key, &why);
	if (found < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	backup->has_secret_key = found;
	backup->dump.key = found ? backup->key.bytes : NULL;
	return CTL_DONE;
}

static enum ctl_exit fail_dump(const struct backup *backup)
{
	const struct backup_dump *dump = &backup->dump;

	if (dump->fault == BACKUP_STATEMENT)
		return ctl_fail_statement(backup->ctl, dump->result);
	return ctl_fail(dump->fault == BACKUP_VERSION_FAULT ? CTL_REFUSED : CTL_DATABASE, "%s",
			dump->why);
}

static enum ctl_exit write_all(struct backup *backup)
{
	struct backup_dump *dump = &backup->dump;
	int rc = 1;

	dump->pg = backup->ctl->connection;
	backup_dump_begin(dump);
	while (rc > 0 && !backup->file.error)
		rc = backup_dump_step(dump);
	if (rc < 0)
		return fail_dump(backup);
	if (rc == 0 && backup->phrase.data)
		age_finish(&backup->age);
	return CTL_DONE;
}

/* Lets the backup write to the file, or through the encryption. */
static enum ctl_exit choose_writer(struct backup *backup)
{
	struct age_key key;

	backup->dump.writer.write = new_file_write;
	backup->dump.writer.context = &backup->file;
	if (!backup->phrase.data)
		return CTL_DONE;
	if (!age_key_make(backup->phrase, &key))
		return pass_phrase_fail_memory();
	backup->age.write = new_file_write;
	backup->age.context = &backup->file;
	age_begin(&backup->age, &key);
	sodium_memzero(&key, sizeof(key));
	backup->dump.writer.write = age_write;
	backup->dump.writer.context = &backup->age;
	return CTL_DONE;
}

static enum ctl_exit write_file(struct backup *backup)
{
	struct reason why;
	enum ctl_exit code;

	if (new_file_open(&backup->file, backup->ctl->positionals[0].data, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	code = choose_writer(backup);
	if (code == CTL_DONE)
		code = write_all(backup);
	if (code != CTL_DONE && !backup->file.error) {
		new_file_drop(&backup->file);
		return code;
	}
	if (new_file_finish(&backup->file, &why) < 0)
		return ctl_fail(CTL_FAILED, "%s", why.text);
	return CTL_DONE;
}

/* Records the time for programs that watch the backup's age. The backup is complete, so a failure
 * is ignored: an older database lacks the column, and a standby or a full disk accepts no write. */
static void note_backup(const struct backup *backup)
{
	PGconn *pg = backup->ctl->connection;

	PQclear(PQexec(pg, "COMMIT"));
	PQclear(PQexec(pg, statements[STATEMENT_BACKUP_NOTE].text));
}

static enum ctl_exit run(struct ctl *ctl, void *context)
{
	struct backup *backup = context;
	enum ctl_exit code = find_key(backup);

	(void)ctl;
	if (code == CTL_DONE)
		code = write_file(backup);
	if (code == CTL_DONE)
		note_backup(backup);
	backup_dump_end(&backup->dump);
	sodium_memzero(&backup->key, sizeof(backup->key));
	return code;
}

enum ctl_exit ctl_backup(struct ctl *ctl)
{
	struct backup backup = {.ctl = ctl};
	enum ctl_exit code = pass_phrase_read(ctl, &backup.phrase);

	if (code == CTL_DONE)
		code = ctl_look_for_database(ctl);
	if (code == CTL_DONE)
		code = ctl_with_database(ctl, /* alone= */ false, run, &backup);
	if (code != CTL_DONE)
		return code;
	if (ctl->config.secret_key_file)
		fprintf(stderr,
			"displayctl: the key of --secret-key-file is not part of the backup; keep "
			"a copy of %s\n",
			ctl->config.secret_key_file);
	if (str_equal(ctl->positionals[0], STR("-")))
		return CTL_DONE;
	return ctl_print_members(ctl,
				 CTL_MEMBERS(ctl_text("file", ctl->positionals[0]),
					     ctl_number(ctl, "bytes", (int64_t)backup.file.bytes),
					     ctl_number(ctl, "schema", backup.dump.schema),
					     ctl_number(ctl, "tables", backup.dump.tables),
					     ctl_number(ctl, "rows", backup.dump.rows),
					     ctl_flag("hasSecretKey", backup.has_secret_key)));
}
