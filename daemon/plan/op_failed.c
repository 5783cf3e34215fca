// SPDX-License-Identifier: GPL-2.0
/*
 * The changes of a plan that failed, and the later changes that depend on them.  A
 * change that fails leaves marks, each a kind of change with a name, number or
 * address.  A later change looks for the marks that would stop it.  Level: tool.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/index.h"
#include "plan.h"

/**
 * struct mark - one thing that a change was to do
 * @kind: kind of the change
 * @name: "fep NAME" or "sd NAME", or empty
 * @number: ifindex of a rail, or JobID, or 0
 * @addr: of a FEP, or none
 * @op: the change that failed; no part of the key
 */
struct mark {
	enum uetd_op_kind kind;
	char name[UET_NAME_LEN_MAX + 5];
	uint32_t number;
	struct uetd_addr addr;
	const struct uetd_op *op;
};

static int order_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	int order = (int)x->kind - (int)y->kind;

	if (!order)
		order = strcmp(x->name, y->name);
	if (!order)
		order = uetd_index_number(&x->number, &y->number);
	return order ? order : uetd_index_addr(&x->addr, &y->addr);
}

static struct mark mark_fep(enum uetd_op_kind kind, const char *name)
{
	struct mark mark = { .kind = kind };

	snprintf(mark.name, sizeof(mark.name), "fep %s", name);
	return mark;
}

static struct mark mark_sd(enum uetd_op_kind kind, const char *name)
{
	struct mark mark = { .kind = kind };

	snprintf(mark.name, sizeof(mark.name), "sd %s", name);
	return mark;
}

static struct mark mark_number(enum uetd_op_kind kind, uint32_t number)
{
	return (struct mark){ .kind = kind, .number = number };
}

static struct mark mark_addr(enum uetd_op_kind kind,
			     const struct uetd_addr *addr)
{
	return (struct mark){ .kind = kind, .addr = *addr };
}

static void leave(struct uetd_failed *failed, const struct uetd_op *op,
		  struct mark key)
{
	struct mark *mark = uetd_grow(NULL, 0, sizeof(*mark));

	*mark = key;
	mark->op = op;
	/* The first change that leaves a mark is the one to name. */
	if (uetd_index_add(&failed->marks, mark) != mark)
		free(mark);
}

static void leave_fep_del(struct uetd_failed *failed, const struct uetd_op *op)
{
	unsigned int i;

	leave(failed, op, mark_fep(op->kind, op->fep.name));
	leave(failed, op, mark_sd(op->kind, op->fep.sd));
	leave(failed, op, mark_addr(op->kind, &op->fep.addr));
	for (i = 0; i < op->fep.nr_rails; i++)
		leave(failed, op, mark_number(op->kind, op->fep.ifindex[i]));
}

static void leave_job_del(struct uetd_failed *failed, const struct uetd_op *op)
{
	unsigned int i;

	leave(failed, op, mark_number(op->kind, op->job.id));
	for (i = 0; i < op->job.nr_feps; i++)
		leave(failed, op, mark_fep(op->kind, op->job.fep[i]));
}

/**
 * uetd_failed_add() - record that a change failed
 * @failed: changes that failed, in the order of their plan
 * @op: the change, which stays where it is
 */
void uetd_failed_add(struct uetd_failed *failed, const struct uetd_op *op)
{
	failed->marks.order = order_marks;
	switch (op->kind) {
	case UETD_OP_JOB_DEL:
		leave_job_del(failed, op);
		break;
	case UETD_OP_FEP_DEL:
		leave_fep_del(failed, op);
		break;
	case UETD_OP_RAIL_DEL:
	case UETD_OP_RAIL_ADD:
		leave(failed, op, mark_number(op->kind, op->rail.ifindex));
		break;
	case UETD_OP_SD_DEL:
	case UETD_OP_SD_ADD:
	case UETD_OP_SD_KEYS:
		leave(failed, op, mark_sd(op->kind, op->sd.name));
		break;
	case UETD_OP_FEP_ADD:
		leave(failed, op, mark_fep(op->kind, op->fep.name));
		break;
	default:
		break;		/* nothing depends on a setting or on a job */
	}
}

/* The earlier of @first, which may be NULL, and the change that left a mark. */
static const struct uetd_op *earlier(const struct uetd_failed *failed,
				     const struct uetd_op *first,
				     struct mark key)
{
	const struct mark *mark = uetd_index_find(&failed->marks, &key);

	return mark && (!first || mark->op < first) ? mark->op : first;
}

static const struct uetd_op *find_fep_add(const struct uetd_failed *failed,
					  const struct uetd_fep *fep)
{
	const struct uetd_op *first = NULL;
	unsigned int i;

	first = earlier(failed, first, mark_fep(UETD_OP_FEP_DEL, fep->name));
	first = earlier(failed, first, mark_addr(UETD_OP_FEP_DEL, &fep->addr));
	for (i = 0; i < fep->nr_rails; i++)
		first = earlier(failed, first, mark_number(UETD_OP_RAIL_ADD,
							   fep->ifindex[i]));
	return earlier(failed, first, mark_sd(UETD_OP_SD_ADD, fep->sd));
}

/* The steps of a rotation are ordered; each depends on the steps before it. */
static const struct uetd_op *find_sd(const struct uetd_failed *failed,
				     const char *name)
{
	const struct uetd_op *first = NULL;

	first = earlier(failed, first, mark_sd(UETD_OP_SD_DEL, name));
	first = earlier(failed, first, mark_sd(UETD_OP_SD_ADD, name));
	return earlier(failed, first, mark_sd(UETD_OP_SD_KEYS, name));
}

static const struct uetd_op *find_job_add(const struct uetd_failed *failed,
					  const struct uetd_job *job)
{
	const struct uetd_op *first = NULL;
	unsigned int i;

	first = earlier(failed, first, mark_number(UETD_OP_JOB_DEL, job->id));
	for (i = 0; i < job->nr_feps; i++)
		first = earlier(failed, first,
				mark_fep(UETD_OP_FEP_ADD, job->fep[i]));
	return first;
}

/**
 * uetd_failed_find() - find the failed change that a change depends on
 * @failed: changes that failed, all of them in front of @op in its plan
 * @op: the change
 *
 * Return: the first of them, or NULL.
 */
const struct uetd_op *uetd_failed_find(const struct uetd_failed *failed,
				       const struct uetd_op *op)
{
	if (!failed->marks.root)
		return NULL;
	switch (op->kind) {
	case UETD_OP_FEP_DEL:
		return earlier(failed, NULL,
			       mark_fep(UETD_OP_JOB_DEL, op->fep.name));
	case UETD_OP_RAIL_DEL:
		return earlier(failed, NULL,
			       mark_number(UETD_OP_FEP_DEL, op->rail.ifindex));
	case UETD_OP_SD_DEL:
		return earlier(failed, NULL,
			       mark_sd(UETD_OP_FEP_DEL, op->sd.name));
	case UETD_OP_RAIL_ADD:
		return earlier(failed, NULL,
			       mark_number(UETD_OP_RAIL_DEL, op->rail.ifindex));
	case UETD_OP_RAIL_SET:
		return earlier(failed, NULL,
			       mark_number(UETD_OP_RAIL_ADD, op->rail.ifindex));
	case UETD_OP_SD_ADD:
	case UETD_OP_SD_KEYS:
		return find_sd(failed, op->sd.name);
	case UETD_OP_FEP_ADD:
		return find_fep_add(failed, &op->fep);
	case UETD_OP_JOB_ADD:
		return find_job_add(failed, &op->job);
	default:
		return NULL;
	}
}

/**
 * uetd_failed_free() - forget all failed changes
 * @failed: emptied
 */
void uetd_failed_free(struct uetd_failed *failed)
{
	uetd_index_free_all(&failed->marks);
}
