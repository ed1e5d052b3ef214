/* A panel for people without one: `displayctl panel`.
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

/* Makes secrets in a text unreadable, which keeps its length. */
typedef void panel_mask(char *text);

/* Runs the command; argv[0] is its name. What it says on standard error may quote an argument and
 * goes through the mask first, if that is not NULL. Returns the exit code: 0, 1 when something that
 * was asked for cannot be had (a file, a certificate), 2 for wrong usage. */
int panel_main(int argc, char **argv, panel_mask *mask);
