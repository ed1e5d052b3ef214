#include "main/program.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LAUNCHER "sandbox-launch"

#define NO_RENDERER_FOR_STARLARK                                                                   \
	"this program was built without the Starlark renderer: Go 1.26.2, libseccomp or libwebp "  \
	"1.5 was missing, or it was disabled; run tools/setup and rebuild with -Dstarlark=enabled"
#define RENDERER_FOR_STARLARK                                                                      \
	{                                                                                          \
		.name = "render-starlark", .data = "256M", .missing = NO_RENDERER_FOR_STARLARK,    \
	}

enum { OPTIONS_MAX = 12 };

static const struct kind {
	const char *name;  /* name, also of its subproject; a path that begins with /: a program
			    * from elsewhere */
	const char *data;  /* maximum of writable memory */
	const char *stack; /* maximum of its first thread's stack; NULL: 1 MiB */
	const char *cpu_s; /* CPU time after which it is killed; NULL: it ends itself */
	const char *options[OPTIONS_MAX];
	bool has_network;
	const char *missing;
} kinds[RENDER_PROGRAM_COUNT] = {
    [RENDER_STARLARK] = RENDERER_FOR_STARLARK,
    [RENDER_MESSAGE] = RENDERER_FOR_STARLARK,
    [RENDER_COLLECTION] =
	{
	    .name = "render-starlark",
	    .data = "256M",
	    .cpu_s = "300", /* an archive of the largest size takes a tenth */
	    .options = {"collection"},
	    .missing = NO_RENDERER_FOR_STARLARK,
	},
    [RENDER_TYPESCRIPT] =
	{
	    .name = "render-typescript",
	    .data = "40M",
	    .stack = "8M",
	    .missing = "this program was built without the TypeScript renderer: esbuild, the "
		       "source of QuickJS-ng or the Starlark renderer, which paints, was missing, "
		       "or it was disabled; run tools/setup and rebuild with -Dtypescript=enabled",
	},
    [RENDER_COMPILER] =
	{
	    .name = DISPLAYD_ESBUILD,
	    .data = "256M", /* also a program in Go */
	    .cpu_s = "10",  /* as COMPILER_MS */
	    .options = {"--loader=ts", "--format=esm", "--target=es2022", "--charset=utf8",
			"--sourcemap=inline", "--sources-content=false", "--sourcefile=app.ts",
			"--log-level=error", "--log-limit=1", "--color=false"},
	    .missing =
		DISPLAYD_ESBUILD " is missing: install esbuild, which strips the types of scripts",
	},
    [RENDER_EGRESS] =
	{
	    .name = "egress",
	    .data = "384M",
	    .has_network = true,
	    .missing = "this program was built without the network of apps: libcurl 7.88, "
		       "OpenSSL or libseccomp was missing, or it was disabled; run tools/setup and "
		       "rebuild with -Degress=enabled",
	},
    [RENDER_MQTT] =
	{
	    .name = "mqtt",
	    .data = "512M",
	    .has_network = true,
	    .missing =
		"this program was built without MQTT: libmosquitto 2.0, libcurl 7.88, OpenSSL or "
		"libseccomp was missing, or it was disabled; run tools/setup and rebuild with "
		"-Dmqtt=enabled",
	},
};

static bool join(char to[static PATH_MAX], const char *folder, const char *name)
{
	return snprintf(to, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && access(to, X_OK) == 0;
}

/* Finds the folder of this program. */
static bool find_folder(char ret_folder[static PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", ret_folder, PATH_MAX - 1);
	char *slash;

	if (length < 0)
		return false;
	ret_folder[length] = '\0';
	slash = strrchr(ret_folder, '/');
	if (slash)
		*slash = '\0';
	return slash;
}

/* Whether the folder is one of a build tree. An installed program takes nothing from neighbouring
 * folders except libexec: others may write there. */
static bool is_in_build_tree(const char *own)
{
	static const char *const folders[] = {"/src/main", "/src/ctl", "/test/render"};
	size_t length = strlen(own);

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		size_t end = strlen(folders[i]);

		if (length > end && strcmp(own + length - end, folders[i]) == 0)
			return true;
	}
	return false;
}

static bool find(const char *folder, const char *name, char ret_path[static PATH_MAX])
{
	char own[PATH_MAX], other[2 * PATH_MAX];

	if (!find_folder(own))
		return false;
	if (is_in_build_tree(own)) {
		snprintf(other, sizeof(other), "%s/../../subprojects/%s", own, folder);
		if (join(ret_path, other, name))
			return true;
	}
	snprintf(other, sizeof(other), "%s/../libexec/displayd", own);
	return join(ret_path, other, name) || join(ret_path, DISPLAYD_LIBEXECDIR, name);
}

bool program_renders(enum render_program name)
{
	return name != RENDER_EGRESS && name != RENDER_MQTT;
}

bool program_find(enum render_program name, bool is_required, struct program *ret)
{
	const struct kind *kind = &kinds[name];
	unsigned count = 0;

	if (!find("sandbox", LAUNCHER, ret->launcher))
		return false;
	if (kind->name[0] == '/') {
		snprintf(ret->path, sizeof(ret->path), "%s", kind->name);
		if (access(ret->path, X_OK) != 0)
			return false;
	} else if (!find(kind->name, kind->name, ret->path)) {
		return false;
	}
	ret->arguments[count++] = ret->launcher;
	ret->arguments[count++] = is_required ? "--required" : "--best-effort";
	ret->arguments[count++] = "--data";
	ret->arguments[count++] = kind->data;
	if (kind->stack) {
		ret->arguments[count++] = "--stack";
		ret->arguments[count++] = kind->stack;
	}
	if (kind->cpu_s) {
		ret->arguments[count++] = "--cpu";
		ret->arguments[count++] = kind->cpu_s;
	}
	if (kind->has_network)
		ret->arguments[count++] = "--network";
	ret->arguments[count++] = ret->path;
	for (unsigned i = 0; i < OPTIONS_MAX && kind->options[i]; i++)
		ret->arguments[count++] = kind->options[i];
	ret->arguments[count] = NULL;
	return true;
}

const char *program_missing(enum render_program name)
{
	return kinds[name].missing;
}
