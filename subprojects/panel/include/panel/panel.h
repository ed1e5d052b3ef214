/* A panel for people without one: `displayctl panel`.
 *
 *   terminal, PNG files, event log
 *        ^
 *      player      one picture on screen, one queued (as the firmware holds them)
 *        ^
 *   link | poll    the device link by WebSocket, or by HTTP polling
 *        ^
 *    transport     TCP, with TLS where the URL says so
 */
#pragma once

/* Runs the command; argv[0] is its name. Returns the exit code: 0, 1 when something that was asked
 * for cannot be had (a file, a certificate), 2 for wrong usage. */
int panel_main(int argc, char **argv);
