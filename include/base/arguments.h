/* The command line of a process, which every user of the machine can read (proc(5), cmdline). */
#pragma once

/* Copies the arguments, with NULL at the end, and then overwrites the passwords of connection
 * strings (PostgreSQL's documentation, "Connection Strings", both forms), the keys in URLs of
 * panels (?key=) and the tokens of one-time links (/link#) in argv itself, so that the list of
 * processes shows asterisks. Before this call the list shows the secrets; only a variable, a file,
 * standard input or ~/.pgpass avoids that. The copy is one block: free() it when nothing points
 * into it any more. */
char **arguments_hide_passwords(int argc, char **argv);

/* Overwrites the same secrets in one argument. */
void argument_hide_passwords(char *argument);
