/* The terminal as a screen of our own: entered, drawn on, and given back as it was, also when the
 * process is stopped, continued, or ended by a failed assertion. */
#pragma once

#include <stdbool.h>
#include <uv.h>

struct terminal;

struct terminal_events {
	/* The size changed or the screen was given back to us: all is to be drawn anew. */
	void (*on_redraw)(void *context);
	/* The last text has been taken: there is room for another. */
	void (*on_room)(void *context);
};

/* Takes over the terminal of standard output. 0 or a negative errno. One a process. */
int terminal_open(uv_loop_t *loop, const struct terminal_events *events, void *context,
		  struct terminal **ret_terminal);

/* Gives the terminal back at once and frees. NULL is fine. */
void terminal_close(struct terminal *terminal);

/* 0x0 if the terminal does not know. */
void terminal_size(const struct terminal *terminal, int *ret_columns, int *ret_rows);

/* False while a text is on its way to a slow terminal: then nothing is to be written. */
bool terminal_has_room(const struct terminal *terminal);

/* Writes a text, which is memory of malloc and taken. Only when there is room. */
void terminal_write(struct terminal *terminal, char *text, size_t size);
