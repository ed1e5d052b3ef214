#include "main/certificates.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SECOND_US = 1000 * 1000, DATE_BYTES = 32 };

struct file {
	const char *what; /* "certificate" */
	const char *path;
	size_t most; /* maximum, in bytes */
	char *text;
	size_t length;
	bool is_for_everybody; /* readable for everybody */
};

static int certificates_fail(const struct file *file, const char *why, struct reason *reterr)
{
	return reason_set(reterr, "the TLS %s %s: %s", file->what, file->path, why);
}

static int read_open_file(int fd, struct file *file, struct reason *reterr)
{
	struct stat info;
	ssize_t length;
	char why[80];

	if (fstat(fd, &info) < 0)
		return certificates_fail(file, strerror(errno), reterr);
	if (!S_ISREG(info.st_mode))
		return certificates_fail(
		    file, S_ISDIR(info.st_mode) ? "is a folder" : "is not a file", reterr);
	if ((uint64_t)info.st_size > file->most) {
		snprintf(why, sizeof(why), "is larger than %zu KiB", file->most / 1024);
		return certificates_fail(file, why, reterr);
	}
	if (info.st_size == 0)
		return certificates_fail(file, "is empty", reterr);
	file->is_for_everybody = info.st_mode & S_IROTH;
	file->text = memory_alloc((size_t)info.st_size);
	length = pread(fd, file->text, (size_t)info.st_size, 0);
	if (length < 0)
		return certificates_fail(file, strerror(errno), reterr);
	file->length = (size_t)length;
	return 0;
}

static int read_file(struct file *file, struct reason *reterr)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int result;

	if (fd < 0)
		return certificates_fail(file,
					 errno == ENOENT   ? "no such file"
					 : errno == EACCES ? "this user may not read it"
							   : strerror(errno),
					 reterr);
	result = read_open_file(fd, file, reterr);
	close(fd);
	return result;
}

static void wipe_file(struct file *file)
{
	if (file->text)
		sodium_memzero(file->text, file->length);
	free(file->text);
}

static void write_date(int64_t at_s, char ret_date[static DATE_BYTES])
{
	const time_t time = at_s;
	struct tm fields;

	ret_date[0] = 0;
	if (gmtime_r(&time, &fields))
		strftime(ret_date, DATE_BYTES, "%Y-%m-%d", &fields);
}

static void tell(const struct file files[2], const struct http_tls_facts *facts)
{
	const struct file *certificate = &files[0], *key = &files[1];
	char date[DATE_BYTES];

	write_date(facts->ends_at_s, date);
	if (facts->warning)
		log_warn("tls", "clients may reject a certificate",
			 LOG_TEXT("file", certificate->path), LOG_TEXT("reason", facts->warning),
			 LOG_TEXT("valid_until", date));
	else
		log_info("tls", "certificate", LOG_TEXT("file", certificate->path),
			 LOG_TEXT("name", facts->name), LOG_TEXT("valid_until", date));
	/* Only a warning: a renewal with such a file is better than letting the old certificate
	 * expire. */
	if (key->is_for_everybody)
		log_warn("tls", "key file readable by every user, run chmod o= on it",
			 LOG_TEXT("file", key->path));
}

/* The pair's views point into the files' texts. */
static int load_pair(struct file files[2], struct http_tls_pair *ret_pair,
		     struct http_tls_facts *ret_facts, struct reason *reterr)
{
	struct http_tls_fault fault;

	if (read_file(&files[0], reterr) < 0 || read_file(&files[1], reterr) < 0)
		return -1;
	*ret_pair = (struct http_tls_pair){.certificate = {files[0].text, files[0].length},
					   .key = {files[1].text, files[1].length}};
	if (http_tls_check(ret_pair, clock_wall_us() / SECOND_US, ret_facts, &fault) == 0)
		return 0;
	return certificates_fail(&files[fault.is_of_key], fault.text, reterr);
}

/* All configured pairs. Zeroed: nothing was read. */
struct set {
	unsigned count;
	struct file files[HTTP_TLS_PAIRS_MAX][2];
	struct http_tls_pair pairs[HTTP_TLS_PAIRS_MAX];
	struct http_tls_facts facts[HTTP_TLS_PAIRS_MAX];
};

/* Call wipe_set() in either case. */
static int load_set(const struct config *config, struct set *ret, struct reason *reterr)
{
	int result = 0;

	ret->count = config->tls_certificates.count;
	for (unsigned i = 0; i < ret->count && result == 0; i++) {
		ret->files[i][0] = (struct file){.what = "certificate",
						 .path = config->tls_certificates.values[i],
						 .most = HTTP_TLS_FILE_BYTES_MAX};
		ret->files[i][1] = (struct file){.what = "key",
						 .path = config->tls_keys.values[i],
						 .most = HTTP_TLS_FILE_BYTES_MAX};
		result = load_pair(ret->files[i], &ret->pairs[i], &ret->facts[i], reterr);
	}
	return result;
}

static void wipe_set(struct set *set)
{
	for (unsigned i = 0; i < set->count; i++) {
		wipe_file(&set->files[i][0]);
		wipe_file(&set->files[i][1]);
	}
}

int certificates_load(const struct config *config, struct region_map *shared,
		      char ret_name[static HTTP_TLS_NAME_BYTES], int64_t *ret_ends_at_s,
		      struct reason *reterr)
{
	struct set set = {0};
	int result = load_set(config, &set, reterr);
	bool is_new = result == 0 && !http_tls_has(shared, set.pairs, set.count);

	if (is_new && !http_tls_publish(shared, set.pairs, set.count, clock_wall_us() / SECOND_US))
		result = reason_set(reterr,
				    "the TLS certificates and keys together are larger than %d KiB",
				    HTTP_TLS_BYTES_MAX / 1024);
	wipe_set(&set);
	if (result < 0)
		return -1;
	*ret_ends_at_s = set.facts[0].ends_at_s;
	for (unsigned i = 0; i < set.count; i++) {
		tell(set.files[i], &set.facts[i]);
		if (set.facts[i].ends_at_s < *ret_ends_at_s)
			*ret_ends_at_s = set.facts[i].ends_at_s;
	}
	memcpy(ret_name, set.facts[0].name, sizeof(set.facts[0].name));
	return is_new;
}

static bool are_all_slow(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (!set->facts[i].is_slow)
			return false;
	return set->count > 0;
}

int certificates_report(const struct config *config, FILE *out, struct reason *reterr)
{
	struct set set = {0};
	int result = load_set(config, &set, reterr);

	wipe_set(&set);
	for (unsigned i = 0; i < set.count && result == 0; i++) {
		char date[DATE_BYTES];

		write_date(set.facts[i].ends_at_s, date);
		fprintf(out, "# %s: for %s, valid until %s%s%s\n", set.files[i][0].path,
			set.facts[i].name, date, set.facts[i].warning ? ": " : "",
			set.facts[i].warning ? set.facts[i].warning : "");
	}
	if (result == 0 && are_all_slow(&set))
		fputs(
		    "# no certificate with an ECDSA key on P-256: with one, a TLS handshake takes "
		    "0.2 ms of processor time, with others 0.6 to 4 ms\n",
		    out);
	return result;
}

uint64_t certificates_rotate_tickets(struct region_map *shared)
{
	int64_t now_s = clock_wall_us() / SECOND_US;
	int64_t next_s = http_tls_rotate_tickets(shared, now_s);

	return next_s > now_s ? (uint64_t)(next_s - now_s) * 1000 : 1000;
}
