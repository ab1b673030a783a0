/* SPDX-License-Identifier: GPL-2.0-only */
#include "help_map.h"

#include "core/field.h"
#include "core/patch.h"
#include "core/step.h"

struct kernel_place {
	const char *kernel, *file;
};

/* The numbers of the fields, in the order of field_infos. */
enum {
#define FIELD(scope, id, ...) MAP_##id,
#include "core/field.def"
#undef FIELD
	NR_MAP_FIELDS
};

enum {
#define MAP(id, kernel, file) ENTRY_##id,
#include "kernel_map.def"
#undef MAP
	NR_MAP_ENTRIES
};

static const struct kernel_place places[] = {
#define MAP(id, kernel, file) [MAP_##id] = { kernel, file },
#include "kernel_map.def"
#undef MAP
};

/* No entry stands twice (the compiler warns), so as many as there are fields are all of them. */
_Static_assert((int)NR_MAP_ENTRIES == (int)NR_MAP_FIELDS, "kernel_map.def lacks a field");

static void print_patches(FILE *out)
{
	fputs("## Patches\n\n| V2 | V3 | name | title |\n|---|---|---|---|\n", out);
	for (u32 id = 0; id < NR_PATCHES; id++) {
		int v2 = patch_number(SERIES_V2, (enum patch_id)id);
		int v3 = patch_number(SERIES_V3, (enum patch_id)id);

		fprintf(out, v2 ? "| %d " : "| - ", v2);
		fprintf(out, v3 ? "| %d " : "| - ", v3);
		fprintf(out, "| %s | %s |\n", patch_name((enum patch_id)id),
			patch_title((enum patch_id)id));
	}
}

/* The patches of a mask as people write them, with @before in front; nothing if there are none. */
static void print_mask(FILE *out, const char *before, u32 mask)
{
	for (u32 id = 0; id < NR_PATCHES; id++) {
		if (!(mask & PATCH_BIT(id)))
			continue;
		if (patch_number(SERIES_V2, (enum patch_id)id))
			fprintf(out, "%s%d", before, patch_number(SERIES_V2, (enum patch_id)id));
		else
			fprintf(out, "%s%s", before, patch_name((enum patch_id)id));
		before = " or ";
	}
}

static void print_fields(FILE *out, enum field_scope scope, const char *title)
{
	fprintf(out,
		"\n## %s\n\n| field | unit | with patch | what it is | in the kernel |\n"
		"|---|---|---|---|---|\n",
		title);
	for (size_t i = 0; field_infos[i].name; i++) {
		const struct field_info *info = &field_infos[i];

		if (info->scope != scope)
			continue;
		fprintf(out, "| `%s` | %s | ", info->name, info->unit);
		print_mask(out, "", info->patches);
		print_mask(out, "not with ", info->gone_with);
		fprintf(out, " | %s | ", info->help);
		if (places[i].file[0])
			fprintf(out, "%s (%s) |\n", places[i].kernel, places[i].file);
		else
			fputs("nothing: the model's own |\n", out);
	}
}

static void print_functions(FILE *out)
{
	fputs("\n## Functions and their steps\n\n"
	      "Numbers in braces stand for the values of the step; a patch number, for a step that is there because of it.\n",
	      out);
	for (u32 fn = 0; fn < NR_STEP_FUNCS; fn++) {
		const struct step_func_info *func = &step_funcs[fn];

		fprintf(out, "\n### %s\n\n", func->name);
		if (func->kernel_file[0])
			fprintf(out, "In the kernel: %s, %s; here: src/core/%s.\n", func->kernel,
				func->kernel_file, func->file);
		else
			fprintf(out, "Not in the kernel; here: src/core/%s.\n", func->file);
		fprintf(out, "It %s.\n\n", func->summary);
		for (u32 id = 0; id < NR_STEPS; id++) {
			if (step_infos[id].func != fn)
				continue;
			fprintf(out, "- `%s`", step_infos[id].text);
			if (step_infos[id].patch != P_NONE)
				print_mask(out, " - patch ", PATCH_BIT(step_infos[id].patch));
			fputc('\n', out);
		}
	}
}

void help_map_print(FILE *out)
{
	print_patches(out);
	print_fields(out, FIELD_PCP, "Fields of a pageset: cpu[C].zone[Z]");
	print_fields(out, FIELD_ZONE, "Fields of a zone: zone[Z]");
	print_fields(out, FIELD_STATS, "Counters: stats");
	print_functions(out);
}
