#include "typescript.h"

#include "base/clock.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* As complaints call the script. */
#define SOLE_FILE "app.ts"

enum { OUTPUT_MAX = 4 << 20, PIECE = 64 * 1024 };

/* The child, and what it writes. */
struct compiler {
	pid_t process;
	int pipes[2]; /* standard output and error; -1: at its end */
	struct buffer outputs[2];
	const char *fault; /* why it was ended */
};

/* In the child. Standard input is the script; nothing else is read. */
static _Noreturn void become_compiler(char *launcher, int source, int output, int errors)
{
	static char *options[] = {
	    NULL,
	    "--best-effort",
	    "--data",
	    "256M",
	    DISPLAYD_ESBUILD,
	    "--loader=ts",
	    "--format=esm",
	    "--target=es2022",
	    "--charset=utf8",
	    "--sourcemap=inline",
	    "--sources-content=false",
	    "--sourcefile=app.ts",
	    "--log-level=error",
	    "--log-limit=1",
	    "--color=false",
	    NULL,
	};

	options[0] = launcher;
	if (dup2(source, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
	    dup2(errors, STDERR_FILENO) >= 0)
		execv(launcher, options);
	_exit(127);
}

/* The script as a file without a name. */
static int make_source(struct str source)
{
	int file = memfd_create("source", MFD_CLOEXEC);

	while (file >= 0 && source.length > 0) {
		ssize_t length = write(file, source.data, source.length);

		if (length < 0 && errno != EINTR) {
			close(file);
			return -1;
		}
		if (length > 0)
			source = str_from_offset(source, (size_t)length);
	}
	if (file >= 0)
		lseek(file, 0, SEEK_SET);
	return file;
}

static bool start(struct compiler *compiler, char *launcher, int source)
{
	int output[2], errors[2];

	if (pipe2(output, O_CLOEXEC) != 0)
		return false;
	if (pipe2(errors, O_CLOEXEC) != 0) {
		close(output[0]);
		close(output[1]);
		return false;
	}
	compiler->process = fork();
	if (compiler->process == 0)
		become_compiler(launcher, source, output[1], errors[1]);
	close(output[1]);
	close(errors[1]);
	compiler->pipes[0] = output[0];
	compiler->pipes[1] = errors[0];
	return compiler->process > 0;
}

/* Reads a piece of one pipe; closes it at its end. */
static void read_pipe(struct compiler *compiler, int number)
{
	struct buffer *output = &compiler->outputs[number];
	ssize_t length = read(compiler->pipes[number], buffer_reserve(output, PIECE), PIECE);

	if (length > 0) {
		buffer_commit(output, (size_t)length);
		if (buffer_length(output) > OUTPUT_MAX)
			compiler->fault = "the script becomes too large without its types";
	} else if (length == 0 || errno != EINTR) {
		close(compiler->pipes[number]);
		compiler->pipes[number] = -1;
	}
}

/* Until both pipes have ended. */
static void read_outputs(struct compiler *compiler)
{
	uint64_t deadline_ms = clock_monotonic_ms() + TYPESCRIPT_TIMEOUT_MS;

	while (!compiler->fault && (compiler->pipes[0] >= 0 || compiler->pipes[1] >= 0)) {
		struct pollfd waits[2] = {{.fd = compiler->pipes[0], .events = POLLIN},
					  {.fd = compiler->pipes[1], .events = POLLIN}};
		uint64_t now_ms = clock_monotonic_ms();

		if (now_ms >= deadline_ms) {
			compiler->fault = "stripping the script's types takes more than 10s";
		} else if (poll(waits, 2, (int)(deadline_ms - now_ms)) > 0) {
			for (int i = 0; i < 2; i++)
				if (waits[i].revents)
					read_pipe(compiler, i);
		}
	}
}

/* Ends the process. True where it has done what it was for. */
static bool finish(struct compiler *compiler)
{
	int status = 0;

	for (int i = 0; i < 2; i++)
		if (compiler->pipes[i] >= 0)
			close(compiler->pipes[i]);
	if (compiler->process <= 0)
		return false;
	if (compiler->fault)
		kill(compiler->process, SIGKILL);
	while (waitpid(compiler->process, &status, 0) < 0 && errno == EINTR)
		;
	return !compiler->fault && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A number, and what is behind it. */
static int read_number(const char **from)
{
	char *end;
	long number = strtol(*from, &end, 10);

	*from = end;
	return number > 0 && number < INT_MAX ? (int)number : 0;
}

/* Finds what esbuild complains of: "X [ERROR] MESSAGE\n\n    app.ts:LINE:COLUMN:", the column in
 * bytes from 0. */
static bool read_complaint(const char *text, struct str *ret_message, int *ret_line,
			   int *ret_column)
{
	static const char mark[] = "[ERROR] ", file[] = "\n    " SOLE_FILE ":";
	const char *message = strstr(text, mark), *place;

	if (!message)
		return false;
	message += sizeof(mark) - 1;
	*ret_message = (struct str){message, strcspn(message, "\n")};
	place = strstr(message, file);
	if (place) {
		place += sizeof(file) - 1;
		*ret_line = read_number(&place);
		place += *place == ':';
		*ret_column = read_number(&place);
	}
	return true;
}

static yyjson_doc *make_head(const struct str *message, int line, int column)
{
	yyjson_mut_doc *head = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(head);
	yyjson_doc *made;

	yyjson_mut_doc_set_root(head, root);
	if (message) {
		yyjson_mut_val *error = yyjson_mut_obj_add_obj(head, root, "error");

		yyjson_mut_obj_add_str(head, error, "kind", "script");
		yyjson_mut_obj_add_strn(head, error, "message", message->data, message->length);
		yyjson_mut_obj_add_str(head, error, "file", SOLE_FILE);
		if (line > 0) {
			yyjson_mut_obj_add_int(head, error, "line", line);
			yyjson_mut_obj_add_int(head, error, "column", column + 1);
		}
	}
	made = yyjson_mut_doc_imut_copy(head, NULL);
	yyjson_mut_doc_free(head);
	return made;
}

/* What the outputs say. */
static int read_result(struct compiler *compiler, bool done, struct renderer_answer *ret_answer,
		       char ret_why[static RENDERER_WHY_MAX])
{
	struct str message = {0};
	int line = 0, column = 0;
	const char *errors;

	buffer_append_char(&compiler->outputs[1], '\0');
	errors = buffer_view(&compiler->outputs[1]).data;
	if (done) {
		*ret_answer = (struct renderer_answer){.head = make_head(NULL, 0, 0)};
		buffer_append_str(&ret_answer->blob, buffer_view(&compiler->outputs[0]));
		return 0;
	}
	if (compiler->fault) {
		snprintf(ret_why, RENDERER_WHY_MAX, "%s", compiler->fault);
		return -1;
	}
	if (!read_complaint(errors, &message, &line, &column)) {
		snprintf(ret_why, RENDERER_WHY_MAX, "esbuild ended without a result: %.*s",
			 (int)strcspn(errors, "\n"), errors);
		return -1;
	}
	*ret_answer = (struct renderer_answer){.head = make_head(&message, line, column)};
	return 0;
}

int typescript_compile(struct str source, struct renderer_answer *ret_answer,
		       char ret_why[static RENDERER_WHY_MAX])
{
	struct compiler compiler = {.pipes = {-1, -1}};
	char launcher[PATH_MAX];
	int file, status;
	bool done;

	if (source.length > TYPESCRIPT_SOURCE_MAX) {
		snprintf(ret_why, RENDERER_WHY_MAX, "a script in TypeScript has 1 MiB at most");
		return -1;
	}
	if (!program_find_launcher(launcher) || access(DISPLAYD_ESBUILD, X_OK) != 0) {
		snprintf(ret_why, RENDERER_WHY_MAX,
			 "there is no %s: install esbuild, which strips the types of scripts",
			 DISPLAYD_ESBUILD);
		return -1;
	}
	file = make_source(source);
	if (file < 0 || !start(&compiler, launcher, file))
		compiler.fault = "cannot start esbuild";
	read_outputs(&compiler);
	done = finish(&compiler);
	status = read_result(&compiler, done, ret_answer, ret_why);
	if (file >= 0)
		close(file);
	for (int i = 0; i < 2; i++)
		buffer_finish(&compiler.outputs[i]);
	return status;
}
