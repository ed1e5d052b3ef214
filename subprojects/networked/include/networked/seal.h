/* The last step into the sandbox, of a program that sandbox-launch has started with --network. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Takes from the process what it needed to start. 0 with the layers of the sandbox that are active
 * (without the launcher there are none), or a negative errno. */
int networked_seal(char *layers, size_t size) __attribute__((warn_unused_result));

/* Receives like recv(), with the descriptor that came with the bytes, or -1: there was none. */
ssize_t networked_receive(int from, void *ret_data, size_t size, int *ret_socket);
/* Takes the descriptor that comes with the next message of a socket, or -1: none came with it.
 * False at the end of the socket. Never waits if the socket does not. */
bool networked_receive_socket(int from, int *ret_socket);
