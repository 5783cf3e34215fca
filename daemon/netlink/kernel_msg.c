// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes to objects and back; Documentation/netlink/specs/uet.yaml defines
 * them.  A request that sets a FEP contains only the changed settings.  Level:
 * tool.
 */
#include <netlink/genl/genl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "kernel_msg.h"

static const struct nla_policy rail_policy[UET_A_RAIL_MAX + 1] = {
	[UET_A_RAIL_IFINDEX] = { .type = NLA_U32 },
	[UET_A_RAIL_IFNAME] = { .type = NLA_STRING, .maxlen = IF_NAMESIZE },
	[UET_A_RAIL_PLANE] = { .type = NLA_U32 },
	[UET_A_RAIL_INGRESS] = { .type = NLA_U8 },
};

static const struct nla_policy fep_policy[UET_A_FEP_MAX + 1] = {
	[UET_A_FEP_NAME] = {
		.type = NLA_STRING, .maxlen = UET_NAME_LEN_MAX + 1,
	},
	[UET_A_FEP_ADDR4] = { .type = NLA_U32 },
	[UET_A_FEP_ADDR6] = { .minlen = 16, .maxlen = 16 },
	[UET_A_FEP_SCOPE_ID] = { .type = NLA_U32 },
	[UET_A_FEP_MTU] = { .type = NLA_U32 },
	[UET_A_FEP_PORT] = { .type = NLA_U16 },
	[UET_A_FEP_PROTECT] = { .type = NLA_U8 },
	[UET_A_FEP_ENCAP] = { .type = NLA_U8 },
	[UET_A_FEP_PROTO] = { .type = NLA_U8 },
	[UET_A_FEP_DSCP_REQUEST] = { .type = NLA_U8 },
	[UET_A_FEP_DSCP_RETX] = { .type = NLA_U8 },
	[UET_A_FEP_DSCP_CONTROL] = { .type = NLA_U8 },
	[UET_A_FEP_DSCP_TRIMMED] = { .type = NLA_U8 },
	[UET_A_FEP_DSCP_TRIMMED_LASTHOP] = { .type = NLA_U8 },
	[UET_A_FEP_HEADERS] = { .type = NLA_U8 },
	[UET_A_FEP_CC] = { .type = NLA_U8 },
	[UET_A_FEP_PATHS] = { .type = NLA_U8 },
	[UET_A_FEP_SD] = {
		.type = NLA_STRING, .maxlen = UET_NAME_LEN_MAX + 1,
	},
#define NLA_COUNT	NLA_U32
#define NLA_POW2	NLA_U32
#define NLA_BYTES	NLA_U32
#define NLA_TIME	NLA_U64
#define NLA_SWITCH	NLA_U8
#define UET_PDC_PARAM(name, field, word, kind, min, max, dflt, doc) \
	[UET_A_FEP_##name] = { .type = NLA_##kind },
#include "core/pdc_param.def"
#undef UET_PDC_PARAM
};

static const struct nla_policy fep_rail_policy[UET_A_FEP_RAIL_MAX + 1] = {
	[UET_A_FEP_RAIL_IFINDEX] = { .type = NLA_U32 },
	[UET_A_FEP_RAIL_IFNAME] = { .type = NLA_STRING, .maxlen = IF_NAMESIZE },
	[UET_A_FEP_RAIL_PLANE] = { .type = NLA_U32 },
	[UET_A_FEP_RAIL_STATE] = { .type = NLA_U8 },
};

static const struct nla_policy job_policy[UET_A_JOB_MAX + 1] = {
	[UET_A_JOB_ID] = { .type = NLA_U32 },
	[UET_A_JOB_NAME] = {
		.type = NLA_STRING, .maxlen = UET_NAME_LEN_MAX + 1,
	},
	[UET_A_JOB_UID] = { .type = NLA_U32 },
	[UET_A_JOB_GID] = { .type = NLA_U32 },
	[UET_A_JOB_PID_MIN] = { .type = NLA_U16 },
	[UET_A_JOB_PID_MAX] = { .type = NLA_U16 },
	[UET_A_JOB_ENDPOINTS] = { .type = NLA_U32 },
	[UET_A_JOB_DESCRIPTORS] = { .type = NLA_U32 },
	[UET_A_JOB_INET_ONLY] = { .type = NLA_U8 },
};

static void get_u8(struct nlattr *attr, uint8_t *value)
{
	if (attr)
		*value = nla_get_u8(attr);
}

static void get_u16(struct nlattr *attr, uint16_t *value)
{
	if (attr)
		*value = nla_get_u16(attr);
}

static void get_u32(struct nlattr *attr, uint32_t *value)
{
	if (attr)
		*value = nla_get_u32(attr);
}

static void get_name(struct nlattr *attr, char *name, size_t size)
{
	if (attr)
		nla_strlcpy(name, attr, size);
}

static bool read_rail(struct uetd_model *model, struct nlmsghdr *nlh)
{
	struct nlattr *tb[UET_A_RAIL_MAX + 1];
	struct uetd_rail *rail;
	uint8_t ingress = 0;

	if (genlmsg_parse(nlh, 0, tb, UET_A_RAIL_MAX, rail_policy) ||
	    !tb[UET_A_RAIL_IFINDEX] || !tb[UET_A_RAIL_PLANE])
		return false;
	model->rails = uetd_grow(model->rails, model->nr_rails, sizeof(*rail));
	rail = &model->rails[model->nr_rails++];
	rail->ifindex = nla_get_u32(tb[UET_A_RAIL_IFINDEX]);
	rail->plane = nla_get_u32(tb[UET_A_RAIL_PLANE]);
	get_u8(tb[UET_A_RAIL_INGRESS], &ingress);
	rail->is_ingress = ingress;
	get_name(tb[UET_A_RAIL_IFNAME], rail->name, sizeof(rail->name));
	get_name(tb[UET_A_RAIL_IFNAME], rail->dev, sizeof(rail->dev));
	return true;
}

static bool read_fep_rail(struct uetd_fep *fep, struct nlattr *nest)
{
	struct nlattr *tb[UET_A_FEP_RAIL_MAX + 1];
	struct uetd_rail *gone;

	if (nla_parse_nested(tb, UET_A_FEP_RAIL_MAX, nest, fep_rail_policy) ||
	    !tb[UET_A_FEP_RAIL_IFINDEX] || !tb[UET_A_FEP_RAIL_STATE] ||
	    fep->nr_rails + fep->nr_gone == UET_FEP_RAILS_MAX)
		return false;
	if (nla_get_u8(tb[UET_A_FEP_RAIL_STATE]) != UET_RAIL_STATE_GONE) {
		fep->ifindex[fep->nr_rails++] =
			nla_get_u32(tb[UET_A_FEP_RAIL_IFINDEX]);
		return true;
	}
	gone = &fep->gone[fep->nr_gone++];
	gone->ifindex = nla_get_u32(tb[UET_A_FEP_RAIL_IFINDEX]);
	get_name(tb[UET_A_FEP_RAIL_IFNAME], gone->name, sizeof(gone->name));
	get_name(tb[UET_A_FEP_RAIL_IFNAME], gone->dev, sizeof(gone->dev));
	get_u32(tb[UET_A_FEP_RAIL_PLANE], &gone->plane);
	return true;
}

static void read_addr(struct uetd_fep *fep, struct nlattr **tb)
{
	struct nlattr *addr4 = tb[UET_A_FEP_ADDR4];
	struct nlattr *attr = addr4 ? addr4 : tb[UET_A_FEP_ADDR6];

	if (!attr)
		return;
	fep->addr.family = addr4 ? AF_INET : AF_INET6;
	memcpy(fep->addr.bytes, nla_data(attr), addr4 ? 4 : 16);
}

static void read_settings(struct uetd_fep *fep, struct nlattr **tb)
{
	struct nlattr *attr;
	unsigned int i;

	for (i = 0; i < UETD_DSCP_NR; i++)
		get_u8(tb[uetd_dscps[i].attr], &fep->dscp[i]);
	for (i = 0; i < UETD_CHOICE_NR; i++)
		get_u8(tb[uetd_choices[i].attr], &fep->choice[i]);
	for (i = 0; i < UETD_P_NR; i++) {
		attr = tb[uetd_params[i].attr];
		if (!attr)
			continue;
		switch (uetd_params[i].kind) {
		case UETD_KIND_TIME:
			fep->param[i] = nla_get_u64(attr);
			break;
		case UETD_KIND_SWITCH:
			fep->param[i] = nla_get_u8(attr);
			break;
		default:
			fep->param[i] = nla_get_u32(attr);
		}
	}
}

static bool read_fep(struct uetd_model *model, struct nlmsghdr *nlh)
{
	struct nlattr *tb[UET_A_FEP_MAX + 1], *attr;
	struct uetd_fep *fep;
	int rest;

	if (genlmsg_parse(nlh, 0, tb, UET_A_FEP_MAX, fep_policy) ||
	    !tb[UET_A_FEP_NAME])
		return false;
	model->feps = uetd_grow(model->feps, model->nr_feps, sizeof(*fep));
	fep = &model->feps[model->nr_feps++];
	uetd_fep_init(fep);
	fep->port = 0;
	get_name(tb[UET_A_FEP_NAME], fep->name, sizeof(fep->name));
	read_addr(fep, tb);
	get_u32(tb[UET_A_FEP_SCOPE_ID], &fep->scope_id);
	get_u32(tb[UET_A_FEP_MTU], &fep->mtu);
	get_u8(tb[UET_A_FEP_ENCAP], &fep->encap);
	get_u16(tb[UET_A_FEP_PORT], &fep->port);
	get_u8(tb[UET_A_FEP_PROTO], &fep->proto);
	get_u8(tb[UET_A_FEP_PROTECT], &fep->protect);
	get_name(tb[UET_A_FEP_SD], fep->sd, sizeof(fep->sd));
	read_settings(fep, tb);

	nla_for_each_attr(attr, genlmsg_attrdata(nlmsg_data(nlh), 0),
			  genlmsg_attrlen(nlmsg_data(nlh), 0), rest) {
		if (nla_type(attr) == UET_A_FEP_RAIL &&
		    !read_fep_rail(fep, attr))
			return false;
	}
	return true;
}

static bool read_job(struct uetd_model *model, struct nlmsghdr *nlh)
{
	struct nlattr *tb[UET_A_JOB_MAX + 1], *attr;
	struct uetd_job *job;
	uint8_t inet = 0;
	int rest;

	if (genlmsg_parse(nlh, 0, tb, UET_A_JOB_MAX, job_policy) ||
	    !tb[UET_A_JOB_ID])
		return false;
	model->jobs = uetd_grow(model->jobs, model->nr_jobs, sizeof(*job));
	job = &model->jobs[model->nr_jobs++];
	job->gid = UETD_NO_GROUP;
	get_u32(tb[UET_A_JOB_ID], &job->id);
	get_name(tb[UET_A_JOB_NAME], job->name, sizeof(job->name));
	get_u32(tb[UET_A_JOB_UID], &job->uid);
	get_u32(tb[UET_A_JOB_GID], &job->gid);
	get_u16(tb[UET_A_JOB_PID_MIN], &job->pid_min);
	get_u16(tb[UET_A_JOB_PID_MAX], &job->pid_max);
	get_u32(tb[UET_A_JOB_ENDPOINTS], &job->endpoints);
	get_u32(tb[UET_A_JOB_DESCRIPTORS], &job->descriptors);
	get_u8(tb[UET_A_JOB_INET_ONLY], &inet);
	job->is_inet_only = inet;

	nla_for_each_attr(attr, genlmsg_attrdata(nlmsg_data(nlh), 0),
			  genlmsg_attrlen(nlmsg_data(nlh), 0), rest) {
		if (nla_type(attr) != UET_A_JOB_FEP)
			continue;
		if (job->nr_feps == UET_JOB_FEPS_MAX)
			return false;
		get_name(attr, job->fep[job->nr_feps], sizeof(job->fep[0]));
		job->nr_feps++;
	}
	return true;
}

/**
 * uetd_msg_read() - add the object of a message
 * @model: to this
 * @nlh: message of a dump
 *
 * Return: false if the message is malformed.
 */
bool uetd_msg_read(struct uetd_model *model, struct nlmsghdr *nlh)
{
	if (!genlmsg_valid_hdr(nlh, 0))
		return false;
	switch (genlmsg_hdr(nlh)->cmd) {
	case UET_CMD_RAIL_GET:
		return read_rail(model, nlh);
	case UET_CMD_SD_GET:
		return uetd_msg_read_sd(model, nlh);
	case UET_CMD_FEP_GET:
		return read_fep(model, nlh);
	case UET_CMD_JOB_GET:
		return read_job(model, nlh);
	default:
		return false;
	}
}

/**
 * uetd_msg_cmd() - the command of a change
 * @kind: change
 *
 * Return: UET_CMD_*.
 */
uint8_t uetd_msg_cmd(enum uetd_op_kind kind)
{
	static const uint8_t cmds[] = {
		[UETD_OP_JOB_DEL] = UET_CMD_JOB_DEL,
		[UETD_OP_FEP_DEL] = UET_CMD_FEP_DEL,
		[UETD_OP_RAIL_DEL] = UET_CMD_RAIL_DEL,
		[UETD_OP_SD_DEL] = UET_CMD_SD_DEL,
		[UETD_OP_RAIL_ADD] = UET_CMD_RAIL_NEW,
		[UETD_OP_RAIL_SET] = UET_CMD_RAIL_SET,
		[UETD_OP_SD_ADD] = UET_CMD_SD_NEW,
		[UETD_OP_SD_KEYS] = UET_CMD_SD_SET,
		[UETD_OP_FEP_SET] = UET_CMD_FEP_SET,
		[UETD_OP_FEP_ADD] = UET_CMD_FEP_NEW,
		[UETD_OP_JOB_ADD] = UET_CMD_JOB_NEW,
	};

	return cmds[kind];
}

static int put_param(struct nl_msg *msg, unsigned int param, uint64_t value)
{
	const struct uetd_param_row *row = &uetd_params[param];

	switch (row->kind) {
	case UETD_KIND_TIME:
		return nla_put_u64(msg, row->attr, value);
	case UETD_KIND_SWITCH:
		return nla_put_u8(msg, row->attr, value);
	default:
		return nla_put_u32(msg, row->attr, value);
	}
}

/* The settings that differ from @was; with NULL, all. */
static int put_settings(struct nl_msg *msg, const struct uetd_fep *fep,
			const struct uetd_fep *was)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < UETD_DSCP_NR && !err; i++) {
		if (!was || was->dscp[i] != fep->dscp[i])
			err = nla_put_u8(msg, uetd_dscps[i].attr,
					 fep->dscp[i]);
	}
	for (i = 0; i < UETD_CHOICE_NR && !err; i++) {
		if (!was || was->choice[i] != fep->choice[i])
			err = nla_put_u8(msg, uetd_choices[i].attr,
					 fep->choice[i]);
	}
	for (i = 0; i < UETD_P_NR && !err; i++) {
		if (!was || was->param[i] != fep->param[i])
			err = put_param(msg, i, fep->param[i]);
	}
	return err;
}

static int put_addr(struct nl_msg *msg, const struct uetd_fep *fep)
{
	if (fep->addr.family == AF_INET)
		return nla_put(msg, UET_A_FEP_ADDR4, 4, fep->addr.bytes);
	if (nla_put(msg, UET_A_FEP_ADDR6, 16, fep->addr.bytes))
		return -1;
	return fep->scope_id ?
	       nla_put_u32(msg, UET_A_FEP_SCOPE_ID, fep->scope_id) : 0;
}

static int put_fep(struct nl_msg *msg, const struct uetd_fep *fep)
{
	bool is_native = fep->encap == UET_ENCAP_NATIVE;
	unsigned int i;

	if (put_addr(msg, fep) ||
	    nla_put_u32(msg, UET_A_FEP_MTU, fep->mtu) ||
	    nla_put_u8(msg, UET_A_FEP_PROTECT, fep->protect) ||
	    (*fep->sd && nla_put_string(msg, UET_A_FEP_SD, fep->sd)) ||
	    nla_put_u8(msg, UET_A_FEP_ENCAP, fep->encap) ||
	    (is_native ? nla_put_u8(msg, UET_A_FEP_PROTO, fep->proto) :
			 nla_put_u16(msg, UET_A_FEP_PORT, fep->port)))
		return -1;
	for (i = 0; i < fep->nr_rails; i++) {
		if (nla_put_u32(msg, UET_A_FEP_IFINDEX, fep->ifindex[i]))
			return -1;
	}
	return put_settings(msg, fep, NULL);
}

static int put_job(struct nl_msg *msg, const struct uetd_job *job)
{
	unsigned int i;

	if ((*job->name && nla_put_string(msg, UET_A_JOB_NAME, job->name)) ||
	    nla_put_u32(msg, UET_A_JOB_UID, job->uid) ||
	    (job->gid != UETD_NO_GROUP &&
	     nla_put_u32(msg, UET_A_JOB_GID, job->gid)) ||
	    nla_put_u16(msg, UET_A_JOB_PID_MIN, job->pid_min) ||
	    nla_put_u16(msg, UET_A_JOB_PID_MAX, job->pid_max) ||
	    (job->is_inet_only && nla_put_u8(msg, UET_A_JOB_INET_ONLY, 1)))
		return -1;
	for (i = 0; i < job->nr_feps; i++) {
		if (nla_put_string(msg, UET_A_JOB_FEP, job->fep[i]))
			return -1;
	}
	return 0;
}

/**
 * uetd_msg_write() - put the arguments of a change into a request
 * @msg: request, with its header
 * @op: the change
 *
 * Return: false if it does not fit.
 */
bool uetd_msg_write(struct nl_msg *msg, const struct uetd_op *op)
{
	switch (op->kind) {
	case UETD_OP_RAIL_DEL:
		return !nla_put_u32(msg, UET_A_RAIL_IFINDEX, op->rail.ifindex);
	case UETD_OP_RAIL_ADD:
		return !nla_put_u32(msg, UET_A_RAIL_IFINDEX,
				    op->rail.ifindex) &&
		       !nla_put_u32(msg, UET_A_RAIL_PLANE, op->rail.plane);
	case UETD_OP_RAIL_SET:
		return !nla_put_u32(msg, UET_A_RAIL_IFINDEX,
				    op->rail.ifindex) &&
		       !nla_put_u8(msg, UET_A_RAIL_INGRESS,
				   op->rail.is_ingress);
	case UETD_OP_SD_DEL:
	case UETD_OP_SD_ADD:
	case UETD_OP_SD_KEYS:
		return uetd_msg_write_sd(msg, op);
	case UETD_OP_FEP_DEL:
		return !nla_put_string(msg, UET_A_FEP_NAME, op->fep.name);
	case UETD_OP_FEP_SET:
		return !nla_put_string(msg, UET_A_FEP_NAME, op->fep.name) &&
		       !put_settings(msg, &op->fep, &op->was);
	case UETD_OP_FEP_ADD:
		return !nla_put_string(msg, UET_A_FEP_NAME, op->fep.name) &&
		       !put_fep(msg, &op->fep);
	case UETD_OP_JOB_DEL:
		return !nla_put_u32(msg, UET_A_JOB_ID, op->job.id);
	case UETD_OP_JOB_ADD:
		return !nla_put_u32(msg, UET_A_JOB_ID, op->job.id) &&
		       !put_job(msg, &op->job);
	}
	return false;
}
