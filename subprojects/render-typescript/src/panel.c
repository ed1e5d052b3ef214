/* The module "panel": one function per widget, named as in the library that paints them. A widget
 * is an object of a class of its own, which scripts cannot make otherwise; the library interprets
 * its fields. */
#include "run.h"

#include <string.h>

static const char *const widgets[] = {"Animation", "Arc",      "Box",	  "Circle",	"Column",
				      "Emoji",	   "Image",    "Line",	  "Marquee",	"Padding",
				      "Plot",	   "PieChart", "Polygon", "Root",	"Row",
				      "Sequence",  "Stack",    "Text",	  "WrappedText"};

static const char *const animations[] = {"animation.AnimatedPositioned",
					 "animation.Keyframe",
					 "animation.Origin",
					 "animation.Rotate",
					 "animation.Scale",
					 "animation.Shear",
					 "animation.Transformation",
					 "animation.Translate"};

static const char *const filters[] = {
    "filter.Blur",     "filter.Brightness",	"filter.Contrast",     "filter.EdgeDetection",
    "filter.Emboss",   "filter.FlipHorizontal", "filter.FlipVertical", "filter.Gamma",
    "filter.Hue",      "filter.Grayscale",	"filter.Invert",       "filter.Rotate",
    "filter.Sepia",    "filter.Saturation",	"filter.Sharpen",      "filter.Shear",
    "filter.Threshold"};

static const char *const forms[] = {"form.Color",     "form.DateTime",	  "form.Dropdown",
				    "form.Generated", "form.Location",	  "form.LocationBased",
				    "form.Option",    "form.PhotoSelect", "form.Schema",
				    "form.Text",      "form.Toggle",	  "form.Typeahead"};

static const struct group {
	const char *name; /* the export with these members; those of the first group are exports
			     themselves, too */
	const char *const *members;
	unsigned count;
} groups[] = {
#define GROUP(name, members)                                                                       \
	{                                                                                          \
		name, members, sizeof(members) / sizeof(*(members))                                \
	}
    GROUP("render", widgets),
    GROUP("animation", animations),
    GROUP("filter", filters),
    GROUP("form", forms),
};

enum { GROUPS = sizeof(groups) / sizeof(*groups), GROUP_SHIFT = 8 };

static const char *short_name(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? dot + 1 : name;
}

static JSValue make_widget(JSContext *context, JSValueConst self, int count, JSValueConst *values,
			   int which)
{
	struct run *run = JS_GetContextOpaque(context);
	const char *name = groups[which >> GROUP_SHIFT].members[which & ((1 << GROUP_SHIFT) - 1)];
	const struct site *site;
	struct source_location location;
	JSValue widget, fields;

	(void)self;
	if (count > 1 || (count == 1 && (!JS_IsObject(values[0]) || JS_IsArray(values[0]) ||
					 panel_widget_name(run, values[0]))))
		return JS_ThrowTypeError(context, "%s takes its fields as one object", name);
	if (location_of_call(run, &location) < 0)
		return JS_EXCEPTION;
	site = sites_find(run, name, &location);
	if (!site)
		return JS_ThrowOutOfMemory(context);
	widget = JS_NewObjectClass(context, (int)run->widget_class);
	if (JS_IsException(widget))
		return widget;
	JS_SetOpaque(widget, (void *)site);
	fields = count ? JS_DupValue(context, values[0]) : JS_NewObject(context);
	if (JS_DefinePropertyValueStr(context, widget, "fields", fields, JS_PROP_ENUMERABLE) < 0) {
		JS_FreeValue(context, widget);
		return JS_EXCEPTION;
	}
	return widget;
}

const struct site *panel_site(struct run *run, JSValueConst value)
{
	return JS_GetOpaque(value, run->widget_class);
}

const char *panel_widget_name(struct run *run, JSValueConst value)
{
	const struct site *site = panel_site(run, value);

	return site ? site->name : NULL;
}

bool panel_is_form(const char *widget_name)
{
	return strncmp(widget_name, "form.", 5) == 0;
}

/* Makes an object with all members of the group; if the module is given, each is an export, too. */
static JSValue make_group(JSContext *context, unsigned number, JSModuleDef *module)
{
	const struct group *group = &groups[number];
	JSValue object = JS_NewObject(context);
	int status = JS_IsException(object) ? -1 : 0;

	for (unsigned i = 0; i < group->count && status >= 0; i++) {
		const char *name = short_name(group->members[i]);
		JSValue function =
		    JS_NewCFunctionMagic(context, make_widget, name, 1, JS_CFUNC_generic_magic,
					 (int)(number << GROUP_SHIFT | i));

		if (module)
			status = JS_SetModuleExport(context, module, name,
						    JS_DupValue(context, function));
		if (status >= 0)
			status = JS_SetPropertyStr(context, object, name, function);
		else
			JS_FreeValue(context, function);
	}
	if (status >= 0)
		return object;
	JS_FreeValue(context, object);
	return JS_EXCEPTION;
}

static int fill_module(JSContext *context, JSModuleDef *module)
{
	for (unsigned i = 0; i < GROUPS; i++) {
		JSValue group = make_group(context, i, i == 0 ? module : NULL);

		if (JS_IsException(group) ||
		    JS_SetModuleExport(context, module, groups[i].name, group) < 0)
			return -1;
	}
	return 0;
}

int panel_define(struct run *run)
{
	static const JSClassDef class = {.class_name = "Widget"};
	JSContext *context = run->context;
	JSModuleDef *module;

	JS_NewClassID(run->runtime, &run->widget_class);
	if (JS_NewClass(run->runtime, run->widget_class, &class) < 0)
		return -1;
	module = JS_NewCModule(context, "panel", fill_module);
	if (!module)
		return -1;
	for (unsigned i = 0; i < GROUPS; i++)
		if (JS_AddModuleExport(context, module, groups[i].name) < 0)
			return -1;
	for (unsigned i = 0; i < groups[0].count; i++)
		if (JS_AddModuleExport(context, module, groups[0].members[i]) < 0)
			return -1;
	return 0;
}
