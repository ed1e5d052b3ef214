#include "compiler.h"
#include "sandboxed.h"

#include <sys/wait.h>

struct compiler {
	struct loop *loop;
	struct compilation *compilation;
	struct sandboxed *process;
	struct deadline deadline;
};

static void forget(struct compiler *compiler)
{
	compiler->compilation->compiler = NULL;
	deadline_clear(compiler->loop, &compiler->deadline);
	free(compiler);
}

static void on_started(struct sandboxed *process)
{
	struct compiler *compiler = sandboxed_context(process);

	sandboxed_write(process, &compiler->compilation->script);
	sandboxed_shut(process);
}

/* Ends the process. */
static void give_up(struct compiler *compiler, enum compiler_outcome outcome)
{
	struct compilation *compilation = compiler->compilation;

	sandboxed_end(compiler->process);
	forget(compiler);
	compilation->done(compilation, outcome, (struct str){0});
}

static void on_bytes(struct sandboxed *process, struct buffer *input)
{
	if (buffer_length(input) > COMPILER_OUTPUT_MAX)
		give_up(sandboxed_context(process), COMPILER_SPENT);
}

static void on_deadline(struct deadline *deadline)
{
	give_up(container_of(deadline, struct compiler, deadline), COMPILER_LATE);
}

/* Whether the kernel has killed the process because it had used all its time. */
static bool is_spent(const struct sandboxed *process, int status)
{
	enum { LEAST_MS = COMPILER_MS * 9 / 10 };

	return WIFSIGNALED(status) && sandboxed_cpu_ms(process) >= LEAST_MS;
}

static void on_gone(struct sandboxed *process, enum sandboxed_end end, int status)
{
	struct compiler *compiler = sandboxed_context(process);
	struct compilation *compilation = compiler->compilation;
	enum compiler_outcome outcome = COMPILER_LOST;

	compilation->cpu_ms = sandboxed_cpu_ms(process);
	if (end == SANDBOXED_ENDED)
		outcome = is_spent(process, status)  ? COMPILER_SPENT
			  : !WIFEXITED(status)	     ? COMPILER_CRASHED
			  : WEXITSTATUS(status) == 0 ? COMPILER_DONE
						     : COMPILER_COMPLAINED;
	forget(compiler);
	compilation->done(compilation, outcome, buffer_view(sandboxed_input(process)));
}

void compiler_start(struct loop *loop, struct host_link *host, struct compilation *compilation)
{
	static const struct sandboxed_events events = {
	    .on_started = on_started, .on_bytes = on_bytes, .on_gone = on_gone};
	struct compiler *compiler = memory_zalloc(sizeof(*compiler));

	compiler->loop = loop;
	compiler->compilation = compilation;
	compilation->compiler = compiler;
	deadline_init(&compiler->deadline, on_deadline);
	deadline_set(loop, &compiler->deadline, compilation->timeout_ms);
	compiler->process = sandboxed_start(loop, host, RENDER_COMPILER, &events, compiler);
}

void compiler_stop(struct compilation *compilation)
{
	if (!compilation->compiler)
		return;
	sandboxed_end(compilation->compiler->process);
	forget(compilation->compiler);
}
