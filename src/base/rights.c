#include "base/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS _LINUX_CAPABILITY_U32S_3

/* The kernel's structures; the C library has no function for them. */
struct sets {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct data[WORDS];
};

static int read_sets(struct sets *ret)
{
	*ret = (struct sets){.header = {.version = _LINUX_CAPABILITY_VERSION_3}};
	return syscall(SYS_capget, &ret->header, ret->data) < 0 ? -errno : 0;
}

/* The bounding set limits what a program that is executed later can have. It can be reduced only
 * with CAP_SETPCAP; for others it does not matter once no_new_privs is set. */
static int limit_programs(uint64_t kept)
{
	for (int one = 0; prctl(PR_CAPBSET_READ, one) >= 0; one++)
		if (!(kept & RIGHT(one)) && prctl(PR_CAPBSET_DROP, one) < 0 && errno != EPERM)
			return -errno;
	return 0;
}

/* Skips the system call if there is nothing to give up: a service of systemd may not be allowed to
 * make it. */
int rights_keep(uint64_t kept)
{
	bool has_more = false;
	struct sets sets;
	int error = read_sets(&sets);

	if (error == 0)
		error = limit_programs(kept);
	for (int i = 0; error == 0 && i < WORDS; i++) {
		uint32_t word = (uint32_t)(kept >> (32 * i));

		has_more |= (sets.data[i].permitted & ~word) || sets.data[i].inheritable;
		sets.data[i].permitted &= word;
		sets.data[i].effective &= word;
		sets.data[i].inheritable = 0;
	}
	if (error == 0 && has_more && syscall(SYS_capset, &sets.header, sets.data) < 0)
		error = -errno;
	return error;
}

int rights_bound(void)
{
	return limit_programs(0);
}

int rights_give_up(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return rights_keep(0);
}
