// SPDX-License-Identifier: GPL-2.0
/*
 * Choice of entropy values in the fabric simulator, those of the gates: always
 * the same one, all in turn, and those that came back without a mark (REPS,
 * without freezing).  Anything that keeps the interface may take their place.
 *
 * Spec: UE 1.0.1 3.6.16.  Level: test.
 */
#include "fabric.h"

/**
 * fab_path_init() - begin to choose
 * @fab: run
 * @path: result
 */
void fab_path_init(struct fab *fab, struct fab_path *path)
{
	*path = (struct fab_path) {
		.base = fab_rand(&fab->rng),
		.mask = fab_below(&fab->rng, fab->par.paths),
	};
	if (fab->par.path->init)
		fab->par.path->init(fab, path);
}

static u16 path_single(struct fab *fab, struct fab_path *path)
{
	return path->base % fab->par.paths;
}

/* UE 1.0.1 3.6.16: each once in a cycle, in another order each time. */
static u16 path_oblivious(struct fab *fab, struct fab_path *path)
{
	u16 ev = path->index ^ path->mask;

	if (++path->index == fab->par.paths) {
		path->index = 0;
		path->mask = fab_below(&fab->rng, fab->par.paths);
	}
	return ev;
}

static u16 path_reps(struct fab *fab, struct fab_path *path)
{
	u32 slot = (path->head + FAB_REPS - path->fresh) % FAB_REPS;

	if (!path->fresh)
		return fab_below(&fab->rng, fab->par.paths);
	path->valid &= ~BIT(slot);
	path->fresh--;
	return path->ring[slot];
}

static void path_reps_feedback(struct fab *fab, struct fab_path *path, u16 ev,
			       enum fab_news news)
{
	if (news != FAB_GOOD)
		return;
	path->ring[path->head] = ev;
	if (!(path->valid & BIT(path->head)))
		path->fresh++;
	path->valid |= BIT(path->head);
	path->head = (path->head + 1) % FAB_REPS;
}

static const struct fab_path_ops path_ops[] = {
	{ .name = "single", .next = path_single },
	{ .name = "oblivious", .next = path_oblivious },
	{ .name = "reps", .next = path_reps, .acks_each = true,
	  .feedback = path_reps_feedback },
};

/**
 * fab_path_find() - a way to choose entropy values
 * @name: its name
 *
 * Return: it, or NULL.
 */
const struct fab_path_ops *fab_path_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(path_ops); i++)
		if (!strcmp(path_ops[i].name, name))
			return &path_ops[i];
	return NULL;
}
