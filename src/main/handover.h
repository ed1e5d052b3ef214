/* Hands the supervisor's state to the program that replaces it by execve(): its children, which
 * stay children of this process, and its descriptors, which stay open.
 *
 *   handover_execute() -> execve() -> handover_read() -> ... it serves
 *                                                    \-> handover_return() -> execve() of the first
 *
 * The state is text in a memory file; DISPLAYD_HANDOVER has "PROCESS:DESCRIPTOR". The first line
 * has the version: a program with another version is not executed this way, see
 * main/upgrade_check.h. */
#pragma once

#include "http/listener.h"
#include "main/child.h"
#include "main/config.h"
#include "main/listen_given.h"
#include "main/reason.h"

#include <limits.h>

enum {
	HANDOVER_VERSION = 1,
	HANDOVER_SOCKETS_MAX = 2 * (CONFIG_LISTENERS_MAX + LISTEN_GIVEN_MAX),
	HANDOVER_CHILDREN_MAX = CONFIG_WORKER_SLOTS_MAX + 8,
};

struct handover_socket {
	int fd;
	int role;
	bool is_given; /* given by the service manager; other members are not set */
	char scheme[16];
	char text[128];
	dev_t device;
	ino_t inode;
};

struct handover_child {
	char name[32];
	unsigned index;
	pid_t pid;
	int role; /* enum child_role */
};

struct handover {
	unsigned long number;	/* number of the attempt: see main/upgrade_note.h */
	char program[PATH_MAX]; /* path of the program that an upgrade executes */
	char version[64];	/* version of the first program */
	char returned[256];	/* why the new program returned to the first; "": it did not */
	int unread_fd;		/* the whole handover, if it could not be read; else -1 */
	int first_fd;		/* the first program itself */
	int config_fd;		/* settings of the first program from its configuration file */
	int lock_fd;
	int shared_fd;
	pid_t postmaster; /* 0: none */
	int postmaster_log_fd;
	int postmaster_socket_fd;
	int host_sockets[CONFIG_WORKER_SLOTS_MAX];
	int worker_sockets[CONFIG_WORKER_SLOTS_MAX];
	struct handover_socket sockets[HANDOVER_SOCKETS_MAX];
	unsigned socket_count;
	struct handover_child children[HANDOVER_CHILDREN_MAX];
	unsigned child_count;
};

/* Makes an empty handover, without descriptors and children. */
void handover_init(struct handover *handover);

/* Executes the program with these arguments, in place of this one. Returns only on failure: a
 * negative errno, and nothing has changed. */
int handover_execute(const struct handover *handover, const char *program, char *const argv[]);

/* Called in the executed program: reads the handover. Its descriptors are closed on exec again.
 * Returns 0, -ENOENT if it was started normally, or -1 with a reason. */
__attribute__((warn_unused_result)) int handover_read(struct handover *ret, struct reason *reterr);

/* Executes the first program again, which takes its resources back. Returns only on failure. */
void handover_return(struct handover *handover, const char *why, char *const argv[]);

/* Call it when the new program stays: closes everything that only a return would need. */
void handover_finish(struct handover *handover);
