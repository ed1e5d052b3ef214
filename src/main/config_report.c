#include "main/config_report.h"
#include "base/users.h"
#include "main/certificates.h"
#include "main/config_secrets.h"
#include "main/exit_code.h"
#include "main/instance.h"
#include "main/metrics_token.h"
#include "main/secret_key.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <sodium.h>
#include <sys/prctl.h>
#include <unistd.h>

int config_check_variables(const struct config *config, struct options_error *reterr)
{
	/* Allowed variables: of displayctl, of programs that use the API, of the tests, and of
	 * Kubernetes services whose names begin with displayd. */
	static const char *const others[] = {
	    "CONFIG",	 "PANEL_URL",	   "URL",    "KEY",	"DEVICE",
	    "SERVICE_*", "*_SERVICE_HOST", "PORT",   "PORT_*",	"*_SERVICE_PORT*",
	    "*_PORT",	 "*_PORT_*",	   "TEST_*", "API_KEY", "SERVER",
	    NULL};

	return options_check_variables(&config->options, others, reterr);
}

/* Changes to the service's user, who cannot read everything as root can. Returns false if this is
 * not root, or not the service's configuration. */
static bool become_service(const struct config *config)
{
	struct process_user user;

	return geteuid() == 0 && config_is_of_service(config) && users_find(USERS_WORKER, &user) &&
	       setgroups(0, NULL) == 0 && setegid(user.gid) == 0 && seteuid(user.uid) == 0;
}

/* Changes back to root, since leak detectors cannot inspect a process that has changed its user. */
static void become_root(void)
{
	if (seteuid(0) == 0 && setegid(0) == 0)
		(void)prctl(PR_SET_DUMPABLE, 1);
}

/* Checks the files in which libpq looks for certificates and passwords. */
static int check_database_files(const char *database, struct reason *reterr)
{
	static const char *const names[] = {"sslcert", "sslkey", "sslrootcert", "sslcrl",
					    "passfile"};
	PQconninfoOption *parsed = database ? PQconninfoParse(database, NULL) : NULL;
	int result = 0;

	for (const PQconninfoOption *one = parsed; one && one->keyword && result == 0; one++) {
		bool is_file = false;

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			is_file |= strcmp(one->keyword, names[i]) == 0;
		if (is_file && one->val && one->val[0] && strcmp(one->val, "system") != 0 &&
		    faccessat(AT_FDCWD, one->val, R_OK, AT_EACCESS) < 0)
			result = reason_set(reterr, "the %s of the database, %s: %s", one->keyword,
					    one->val, strerror(errno));
	}
	PQconninfoFree(parsed);
	return result;
}

int config_check_files(const struct config *config, struct reason *reterr)
{
	uint8_t hash[METRICS_TOKEN_HASH_BYTES];
	struct config_secrets secrets;
	struct settings_key key;
	int result = 0;

	if (config->secret_key_file)
		result = secret_key_find(config->state_dir, config->secret_key_file, &key, reterr);
	sodium_memzero(&key, sizeof(key));
	if (result < 0)
		return -1;
	if (config->metrics_token_file &&
	    metrics_token_load(config->metrics_token_file, hash, reterr) < 0)
		return -1;
	if (config_load_secrets(config, &secrets, reterr) < 0)
		return -1;
	sodium_memzero(&secrets, sizeof(secrets));
	return check_database_files(config->database, reterr);
}

/* Writes the sockets that are given here. If there are none, TLS without an address is accepted for
 * the service, whose sockets only systemd knows. */
static int report_sockets(const struct config *config, FILE *out, struct reason *reterr)
{
	const struct options *options = &config->options;
	struct instance instance = {.config = config};

	if (instance_take_given_sockets(&instance, reterr) != EXIT_DONE)
		return -1;
	for (unsigned i = 0; i < instance.socket_count; i++)
		fprintf(out, "# the service manager gives %s, for %s\n",
			instance.sockets[i].address.text,
			instance.sockets[i].address.role == HTTP_ROLE_ADMIN
			    ? "metrics"
			    : instance.sockets[i].address.scheme);
	if (instance.socket_count == 0 && options_find_given(options, "tls-certificate") &&
	    !options_find_given(options, "tls-listen"))
		fputs(
		    "# no tls-listen: TLS needs a socket of systemd with FileDescriptorName=tls\n",
		    out);
	return 0;
}

static int report(const struct config *config, FILE *out, struct reason *reterr)
{
	bool is_service = become_service(config);
	int result = config_check_files(config, reterr);

	if (result == 0)
		result = certificates_report(config, out, reterr);
	if (is_service) {
		size_t length = strlen(reterr->text);

		if (result < 0)
			snprintf(reterr->text + length, sizeof(reterr->text) - length,
				 " (as the user " USERS_WORKER ")");
		become_root();
	}
	if (result == 0)
		result = report_sockets(config, out, reterr);
	options_print(&config->options, out);
	return result;
}

/* A faulty configuration is not shown, so that it is not copied. */
int config_report(const struct config *config)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct reason why = {0};
	int result = out ? report(config, out, &why) : -1;

	if (out && fclose(out) == 0 && result == 0)
		fputs(text, stdout);
	free(text);
	if (result == 0)
		return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
	fprintf(stderr, "displayd: %s\n", out ? why.text : strerror(errno));
	return EXIT_CONFIG;
}
