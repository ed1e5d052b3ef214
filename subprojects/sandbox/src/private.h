/* Declarations shared by the files of the library. */
#pragma once

#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>

struct sandbox_network;
struct sandbox_server;

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Each function activates a layer and returns whether it is active. */
bool sandbox_enter_landlock(int program, const struct sandbox_network *network);
bool sandbox_enter_landlock_server(const struct sandbox_server *server);
bool sandbox_enter_seccomp(bool has_network);
bool sandbox_enter_seccomp_server(const struct sandbox_server *server);

/* Version of Landlock; 0 or less: this kernel or container has none. */
int sandbox_landlock_abi(void);

/* A filter that refuses all but what every list has: threads, signals, clocks, open descriptors.
 * Returns NULL or sets *ret_status < 0 on failure. The caller must call seccomp_release(). */
scmp_filter_ctx sandbox_filter_create(int *ret_status);

/* Adds the calls of a program with a network. Returns 0 or a negative errno. */
int sandbox_filter_allow_network(scmp_filter_ctx filter);

/* Adds socket() or socketpair() for sockets of this machine that stay connected to one peer. A
 * datagram socket, even of a pair, could be connected to the socket of another process. Returns 0
 * or a negative errno. */
int sandbox_filter_allow_connected(scmp_filter_ctx filter, int call);

/* Adds calls without a condition. Returns 0 or a negative errno. */
int sandbox_filter_allow(scmp_filter_ctx filter, const int *calls, size_t count);
