/* Replaces the C library's: a name server that is silent for the names of .silent. */
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("default"))) int getaddrinfo(const char *restrict name,
						       const char *restrict service,
						       const struct addrinfo *restrict hints,
						       struct addrinfo **restrict ret_addresses)
{
	int (*look_up)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	size_t length = name ? strlen(name) : 0;

	while (length > 7 && strcmp(name + length - 7, ".silent") == 0)
		pause();
	*(void **)&look_up = dlsym(RTLD_NEXT, "getaddrinfo");
	return look_up(name, service, hints, ret_addresses);
}
