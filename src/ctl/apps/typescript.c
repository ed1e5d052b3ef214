#include "typescript.h"

#include "base/clock.h"
#include "domain/app_files.h"
#include "main/program.h"
#include "render/complaint.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_MAX = 4 << 20, PIECE = 64 * 1024 };

static const char too_long[] = "stripping the script's types takes more than 10 s of the processor";

/* The child, and what it writes. */
struct compiler {
	pid_t process;
	int pipes[2]; /* standard output and error; -1: at its end */
	struct buffer outputs[2];
	const char *fault; /* why it was ended */
};

/* Runs in the child. Standard input is the script; nothing else is read. */
static _Noreturn void become_compiler(const struct program *program, int source, int output,
				      int errors)
{
	if (dup2(source, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
	    dup2(errors, STDERR_FILENO) >= 0)
		execv(program->launcher, (char *const *)program->arguments);
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

static bool start(struct compiler *compiler, const struct program *program, int source)
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
		become_compiler(program, source, output[1], errors[1]);
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
	uint64_t deadline_ms = clock_monotonic_ms() + TYPESCRIPT_CLOCK_MS;

	while (!compiler->fault && (compiler->pipes[0] >= 0 || compiler->pipes[1] >= 0)) {
		struct pollfd waits[2] = {{.fd = compiler->pipes[0], .events = POLLIN},
					  {.fd = compiler->pipes[1], .events = POLLIN}};
		uint64_t now_ms = clock_monotonic_ms();

		if (now_ms >= deadline_ms) {
			compiler->fault =
			    "the script's types are not stripped yet: the machine is too busy";
		} else if (poll(waits, 2, (int)(deadline_ms - now_ms)) > 0) {
			for (int i = 0; i < 2; i++)
				if (waits[i].revents)
					read_pipe(compiler, i);
		}
	}
}

/* Ends the process. True if it has done what it was for. */
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
	if (!compiler->fault && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		compiler->fault = too_long; /* by the sandbox's limit */
	return !compiler->fault && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static yyjson_doc *make_head(const struct complaint *complaint, struct str file)
{
	yyjson_mut_doc *head = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(head);
	yyjson_doc *made;

	yyjson_mut_doc_set_root(head, root);
	if (complaint) {
		yyjson_mut_val *error = yyjson_mut_obj_add_obj(head, root, "error");

		yyjson_mut_obj_add_str(head, error, "kind", "script");
		yyjson_mut_obj_add_strn(head, error, "message", complaint->message.data,
					complaint->message.length);
		yyjson_mut_obj_add_strn(head, error, "file", file.data, file.length);
		if (complaint->line > 0) {
			yyjson_mut_obj_add_int(head, error, "line", complaint->line);
			yyjson_mut_obj_add_int(head, error, "column", complaint->column);
		}
	}
	made = yyjson_mut_doc_imut_copy(head, NULL);
	yyjson_mut_doc_free(head);
	return made;
}

/* Parses the outputs. */
static int read_result(struct compiler *compiler, bool done, struct str file,
		       struct renderer_answer *ret_answer, char ret_why[static RENDERER_WHY_MAX])
{
	struct str errors = buffer_view(&compiler->outputs[1]);
	struct complaint complaint;

	if (done) {
		*ret_answer = (struct renderer_answer){.head = make_head(NULL, file)};
		buffer_append_str(&ret_answer->blob, buffer_view(&compiler->outputs[0]));
		return 0;
	}
	if (compiler->fault) {
		snprintf(ret_why, RENDERER_WHY_MAX, "%s", compiler->fault);
		return -1;
	}
	if (!complaint_read(errors, &complaint)) {
		snprintf(ret_why, RENDERER_WHY_MAX, "esbuild ended without a result: %.*s",
			 (int)str_find(errors, '\n'), errors.length ? errors.data : "");
		return -1;
	}
	*ret_answer = (struct renderer_answer){.head = make_head(&complaint, file)};
	return 0;
}

/* Compiles one script; name is its author's name for it. */
static int compile(struct str source, struct str name, struct renderer_answer *ret_answer,
		   char ret_why[static RENDERER_WHY_MAX])
{
	struct compiler compiler = {.pipes = {-1, -1}};
	struct program program;
	int file, status;
	bool done;

	if (source.length > TYPESCRIPT_SOURCE_MAX) {
		snprintf(ret_why, RENDERER_WHY_MAX, "a script in TypeScript has 1 MiB at most");
		return -1;
	}
	if (!program_find(RENDER_COMPILER, false, &program)) {
		snprintf(ret_why, RENDERER_WHY_MAX, "%s", program_missing(RENDER_COMPILER));
		return -1;
	}
	file = make_source(source);
	if (file < 0 || !start(&compiler, &program, file))
		compiler.fault = "cannot start esbuild";
	read_outputs(&compiler);
	done = finish(&compiler);
	status = read_result(&compiler, done, name, ret_answer, ret_why);
	if (file >= 0)
		close(file);
	for (int i = 0; i < 2; i++)
		buffer_finish(&compiler.outputs[i]);
	return status;
}

/* CPU time of all compilers that have ended. */
static int64_t used_ms(void)
{
	struct rusage used;

	getrusage(RUSAGE_CHILDREN, &used);
	return (int64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

/* Compiles the scripts among the files; the answer is that of the first that does not compile, or
 * all of them as one archive. */
static int compile_all(const struct app_files *files, struct renderer_answer *ret_answer,
		       char ret_why[static RENDERER_WHY_MAX])
{
	struct renderer_answer all = {0}, one;
	int64_t began_ms = used_ms();

	for (unsigned i = 0; i < files->count; i++) {
		const struct txtar_file *file = &files->list[i];

		if (!app_file_is_script(file)) {
			if (!app_file_is_declaration(file))
				app_files_append(&all.blob, file, file->data);
			continue;
		}
		if (used_ms() - began_ms >= TYPESCRIPT_MS) {
			snprintf(ret_why, RENDERER_WHY_MAX, "%s", too_long);
			buffer_finish(&all.blob);
			return -1;
		}
		if (compile(file->data, file->name, &one, ret_why) < 0) {
			buffer_finish(&all.blob);
			return -1;
		}
		if (yyjson_obj_get(yyjson_doc_get_root(one.head), "error")) {
			buffer_finish(&all.blob);
			*ret_answer = one;
			return 0;
		}
		app_files_append(&all.blob, file, buffer_view(&one.blob));
		yyjson_doc_free(one.head);
		buffer_finish(&one.blob);
	}
	all.head = make_head(NULL, (struct str){0});
	*ret_answer = all;
	return 0;
}

int typescript_compile(struct str source, struct renderer_answer *ret_answer,
		       char ret_why[static RENDERER_WHY_MAX])
{
	struct app_files files;
	int status;

	if (!txtar_is_archive(source))
		return compile(source, STR(COMPLAINT_SOLE_FILE), ret_answer, ret_why);
	status = app_files_read(source, &files, ret_why);
	if (status == 0)
		status = compile_all(&files, ret_answer, ret_why);
	app_files_finish(&files);
	return status;
}
