/* A simulated panel: `displayctl panel`.
 *
 *   terminal, PNG files, event log
 *        ^
 *      player      one picture on screen, one queued (as the firmware holds them)
 *        ^
 *   link | poll    the device link by WebSocket, or by HTTP polling
 *        ^
 *    transport     TCP, with TLS if the URL says so
 */
#pragma once

/* Masks secrets in a text in place, without changing its length. */
typedef void panel_mask(char *text);

/* Runs the command; argv[0] is its name. Messages on standard error may quote an argument and go
 * through the mask first, unless that is NULL. Returns the exit code: 0; 1 if something that was
 * requested is not available (a file, a certificate); 2 for wrong usage. */
int panel_main(int argc, char **argv, panel_mask *mask);
