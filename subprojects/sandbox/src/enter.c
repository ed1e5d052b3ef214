/* Activates all layers except Landlock and seccomp, in an order in which each is still allowed. */

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "private.h"
#include "sandbox/sandbox.h"

/* systemd's range for users that exist only as long as their process. */
#define FIRST_USER 61184
#define USERS 4336

#define LINK_FD 3
#define PROGRAM_FD 4
#define MAX_FILES 16
/* The bridge to MQTT has up to six sockets for each of 1,200 connections. */
#define MAX_FILES_NETWORK 8192
#define MAX_THREADS 64

static bool limit(int resource, uint64_t value)
{
	struct rlimit both = {value, value};

	return setrlimit(resource, &both) == 0;
}

/* Sets the limit, or keeps a lower one that was given: what it is for then fails sooner. */
static bool limit_at_most(int resource, uint64_t value)
{
	struct rlimit present;

	if (getrlimit(resource, &present) != 0)
		return false;
	return limit(resource, present.rlim_max < value ? present.rlim_max : value);
}

static bool enter_limits(const struct sandbox_limits *limits, unsigned files)
{
	return limit(RLIMIT_DATA, limits->data_bytes) &&
	       limit_at_most(RLIMIT_STACK, limits->stack_bytes) &&
	       limit_at_most(RLIMIT_NOFILE, files) && limit(RLIMIT_CORE, 0) &&
	       limit(RLIMIT_MEMLOCK, 0) && limit(RLIMIT_MSGQUEUE, 0) &&
	       (limits->cpu_s == 0 || limit(RLIMIT_CPU, limits->cpu_s));
}

/* Switches to a user that no other process has, so that such processes cannot send each other
 * signals. The limit of threads counts per user, so it needs a user of its own. */
static bool enter_user(void)
{
	uid_t user = FIRST_USER + getpid() % USERS;

	if (geteuid() != 0 || getpwuid(user) || getgrgid(user))
		return false;
	return limit(RLIMIT_NPROC, MAX_THREADS) && setgroups(0, NULL) == 0 &&
	       setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
}

static bool enter_descriptors(int *program)
{
	if (*program != PROGRAM_FD) {
		if (dup3(*program, PROGRAM_FD, O_CLOEXEC) < 0)
			return false;
		*program = PROGRAM_FD;
	}
	return close_range(PROGRAM_FD + 1, ~0U, 0) == 0;
}

/* Call it after the change of the user, which resets it. */
static bool enter_death(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		return false;
	if (getppid() != parent)
		raise(SIGKILL); /* the parent ended before the call */
	return true;
}

unsigned sandbox_enter(const struct sandbox_limits *limits, const struct sandbox_network *network,
		       int *program)
{
	pid_t parent = getppid();
	unsigned layers = 0;

	if (enter_descriptors(program))
		layers |= SANDBOX_DESCRIPTORS;
	if (enter_limits(limits, network ? MAX_FILES_NETWORK : MAX_FILES))
		layers |= SANDBOX_LIMITS;
	if (enter_user())
		layers |= SANDBOX_USER;
	if (enter_death(parent))
		layers |= SANDBOX_DEATH;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
		layers |= SANDBOX_NO_NEW_PRIVS;
		if (sandbox_enter_landlock(*program, network))
			layers |= SANDBOX_LANDLOCK;
		if (sandbox_enter_seccomp(network))
			layers |= SANDBOX_SECCOMP;
	}
	return layers;
}

const char *sandbox_layer_names(unsigned layers, unsigned among)
{
	static const char *const names[] = {
	    "user", "descriptors", "limits", "no_new_privs", "landlock", "seccomp", "death",
	};
	static char text[128];
	char *end = text;

	*end = 0;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (among & 1U << i)
			end += sprintf(end, "%s%s%s", end > text ? " " : "",
				       layers & 1U << i ? "" : "-", names[i]);
	return text;
}
