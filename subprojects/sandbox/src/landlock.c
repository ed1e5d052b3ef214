/*
 * Landlock: only the program, the system's shared libraries and the files that a network or a
 * server needs can be read; no file can be written.
 * https://docs.kernel.org/userspace-api/landlock.html The structures and numbers are those of the
 * newest kernel we know, since Debian 12's headers are older than many kernels that run it; a
 * kernel says which of them it has.
 */
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "private.h"
#include "sandbox/sandbox.h"

struct ruleset_attributes {
	uint64_t files;
	uint64_t net;	/* ABI 4 */
	uint64_t scope; /* ABI 6 */
};

/* Bits of net and scope. */
#define BIND_TCP 1
#define CONNECT_TCP 2
#define ABSTRACT_SOCKETS 1
#define SIGNALS 2

#define READ (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE)
#define READ_TREE (READ | LANDLOCK_ACCESS_FS_READ_DIR)

/* Highest access right for files that each ABI knows, indexed by the ABI. */
static uint64_t file_rights(int abi)
{
	static const int bits[] = {0, 13, 14, 15, 15, 16};
	int newest = (int)(sizeof(bits) / sizeof(*bits)) - 1;

	return (UINT64_C(1) << bits[abi < newest ? abi : newest]) - 1;
}

static bool allow(int ruleset, int fd, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};

	return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

/* Allows rights for a path. A missing path counts as a success. */
static bool allow_path(int ruleset, const char *path, uint64_t rights)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return true;
	done = allow(ruleset, fd, rights);
	close(fd);
	return done;
}

int sandbox_landlock_abi(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/* Creates a ruleset that forbids all known rights until rules allow them. Returns a descriptor, or
 * less than 0.
 */
static int create_ruleset(uint64_t net, uint64_t scope)
{
	int abi = sandbox_landlock_abi();
	struct ruleset_attributes attributes = {.net = net, .scope = scope};
	size_t size = abi >= 6 ? sizeof(attributes) : abi >= 4 ? 16 : 8;

	if (abi < 1)
		return -1;
	attributes.files = file_rights(abi);
	return (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
}

/* A rule for a file must not contain the right to list a folder. */
static bool allow_reading(int ruleset, const char *path)
{
	struct stat info;
	bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);

	return allow_path(ruleset, path,
			  LANDLOCK_ACCESS_FS_READ_FILE |
			      (is_folder ? LANDLOCK_ACCESS_FS_READ_DIR : 0));
}

/* Allows the files for looking up names and certificates. */
static bool allow_network(int ruleset, const struct sandbox_network *network)
{
	static const char *const places[] = {
	    "/etc/resolv.conf",
	    "/run/systemd/resolve", /* target of that symbolic link on some systems */
	    "/run/resolvconf",
	    "/etc/hosts",
	    "/etc/host.conf",
	    "/etc/nsswitch.conf",
	    "/etc/gai.conf",
	    "/etc/services",
	    "/etc/ssl",
	    "/usr/share/ca-certificates",
	    "/usr/local/share/ca-certificates",
	    NULL,
	};
	bool done = true;

	for (const char *const *path = places; done && *path; path++)
		done = allow_reading(ruleset, *path);
	for (const char *const *path = network->readable; done && path && *path; path++)
		done = allow_reading(ruleset, *path);
	return done;
}

bool sandbox_enter_landlock(int program, const struct sandbox_network *network)
{
	uint64_t net = network ? BIND_TCP : BIND_TCP | CONNECT_TCP;
	int ruleset = create_ruleset(net, ABSTRACT_SOCKETS | SIGNALS);
	bool done;

	if (ruleset < 0)
		return false;
	done = allow(ruleset, program, READ) && allow_path(ruleset, "/usr/lib", READ_TREE) &&
	       allow_path(ruleset, "/usr/lib64", READ_TREE) &&
	       allow_path(ruleset, "/lib", READ_TREE) && allow_path(ruleset, "/lib64", READ_TREE) &&
	       allow_path(ruleset, "/etc/ld.so.cache", LANDLOCK_ACCESS_FS_READ_FILE) &&
	       (!network || allow_network(ruleset, network)) &&
	       syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	close(ruleset);
	return done;
}

bool sandbox_enter_landlock_server(const struct sandbox_server *server)
{
	uint64_t net = server->is_client ? BIND_TCP : BIND_TCP | CONNECT_TCP;
	uint64_t scope = server->is_client ? SIGNALS : ABSTRACT_SOCKETS | SIGNALS;
	int ruleset = create_ruleset(net, scope);
	bool done = ruleset >= 0;

	for (const char *const *path = server->readable; done && path && *path; path++)
		done = allow_reading(ruleset, *path);
	done = done && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	if (ruleset >= 0)
		close(ruleset);
	return done;
}
