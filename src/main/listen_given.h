/* Listening sockets that a service manager has opened for us: sd_listen_fds(3). They are the
 * descriptors from 3 on, $LISTEN_FDS of them, if $LISTEN_PID is this process.
 *
 * Their names in $LISTEN_FDNAMES (FileDescriptorName= of a socket unit) say what they are for:
 *
 *   admin   the operator, as --admin-listen
 *   proxy   proxies that speak the PROXY protocol, as --listen proxy:...
 *   tls     everybody over TLS, as --tls-listen
 *   others  everybody, as --listen
 *
 * A unix socket's file belongs to the manager: it stays when displayd ends. */
#pragma once

#include "main/listen_socket.h"

enum { LISTEN_GIVEN_FIRST_FD = 3, LISTEN_GIVEN_MAX = 16 };

/* Fills ret with at most LISTEN_GIVEN_MAX sockets and returns how many; 0 if none are given. Close
 * them with listen_socket_close(). Returns a negative number with a reason if a descriptor is not a
 * listening stream socket, or if there are too many. */
__attribute__((warn_unused_result)) int listen_given_take(struct listen_socket *ret,
							  struct reason *reterr);
