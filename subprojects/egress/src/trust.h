/* The certificates by which servers are checked. They are read once for all transfers, since
 * libcurl reads them for each connection: that takes 30 ms, and 1 MiB for as long as it is open. */
#pragma once

#include <curl/curl.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <sys/stat.h>

struct trust {
	const char *file;
	X509_STORE *store; /* NULL: libcurl reads them */
	struct stat about; /* the file when it was read */
};

/* file: NULL: the system's. It must stay valid. */
void trust_init(struct trust *trust, const char *file);
void trust_finish(struct trust *trust);
/* Reads the file again if it has changed. */
void trust_renew(struct trust *trust);
/* Lets the transfer check its servers by the certificates; trust must outlive it. Returns false if
 * there is no memory. */
bool trust_use(const struct trust *trust, CURL *easy) __attribute__((warn_unused_result));
