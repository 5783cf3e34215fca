// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of secure domains to models and back.  Keys are only written; the
 * sender overwrites a request that contains a key.  Level: tool.
 */
#include <netlink/genl/genl.h>
#include <string.h>

#include "kernel_msg.h"
#include "model/secret.h"

static const struct nla_policy sd_policy[UET_A_SD_MAX + 1] = {
	[UET_A_SD_NAME] = {
		.type = NLA_STRING, .maxlen = UET_NAME_LEN_MAX + 1,
	},
	[UET_A_SD_SDI] = { .type = NLA_U32 },
	[UET_A_SD_MODE] = { .type = NLA_U8 },
	[UET_A_SD_CLIENT] = { .type = NLA_FLAG },
	[UET_A_SD_IPV6] = { .type = NLA_FLAG },
	[UET_A_SD_SSI] = { .type = NLA_U32 },
	[UET_A_SD_REKEY_MASK] = { .type = NLA_U64 },
	[UET_A_SD_REKEY_SHIFT] = { .type = NLA_U8 },
	[UET_A_SD_EPOCH_AGE] = { .type = NLA_U16 },
	[UET_A_SD_SEAL_LIMIT] = { .type = NLA_U64 },
	[UET_A_SD_FAIL_LIMIT] = { .type = NLA_U64 },
	[UET_A_SD_SHUT] = { .type = NLA_FLAG },
	[UET_A_SD_REVOKED] = { .type = NLA_U32 },
};

static const struct nla_policy sa_policy[UET_A_SD_SA_MAX + 1] = {
	[UET_A_SD_SA_AN] = { .type = NLA_U8 },
	[UET_A_SD_SA_USED] = { .type = NLA_FLAG },
	[UET_A_SD_SA_EPOCH] = { .type = NLA_U16 },
	[UET_A_SD_SA_NUMBER] = { .type = NLA_U32 },
	[UET_A_SD_SA_CHECK] = { .type = NLA_U32 },
};

static bool read_sa(struct uetd_sd *sd, struct nlattr *nest)
{
	struct nlattr *tb[UET_A_SD_SA_MAX + 1];
	struct uetd_sa *sa;

	if (nla_parse_nested(tb, UET_A_SD_SA_MAX, nest, sa_policy) ||
	    !tb[UET_A_SD_SA_AN] || !tb[UET_A_SD_SA_EPOCH] ||
	    !tb[UET_A_SD_SA_NUMBER] || !tb[UET_A_SD_SA_CHECK] ||
	    nla_get_u8(tb[UET_A_SD_SA_AN]) >= UETD_AN_NR)
		return false;
	sa = &sd->sa[nla_get_u8(tb[UET_A_SD_SA_AN])];
	sa->is_set = true;
	sa->is_used = tb[UET_A_SD_SA_USED];
	sa->epoch = nla_get_u16(tb[UET_A_SD_SA_EPOCH]);
	sa->number = nla_get_u32(tb[UET_A_SD_SA_NUMBER]);
	sa->check = nla_get_u32(tb[UET_A_SD_SA_CHECK]);
	return true;
}

/* Nested attributes that may repeat. */
static bool read_many(struct uetd_sd *sd, struct nlmsghdr *nlh)
{
	unsigned int nr_revoked = 0;
	struct nlattr *attr;
	int rest;

	nla_for_each_attr(attr, genlmsg_attrdata(nlmsg_data(nlh), 0),
			  genlmsg_attrlen(nlmsg_data(nlh), 0), rest) {
		if (nla_type(attr) == UET_A_SD_SA && !read_sa(sd, attr))
			return false;
		if (nla_type(attr) != UET_A_SD_REVOKED)
			continue;
		if (nr_revoked == UETD_AN_NR)
			return false;
		sd->revoked[nr_revoked++] = nla_get_u32(attr);
	}
	return true;
}

static void read_rules(struct uetd_rules *rules, struct nlattr **tb)
{
	rules->sdi = nla_get_u32(tb[UET_A_SD_SDI]);
	rules->mode = nla_get_u8(tb[UET_A_SD_MODE]);
	rules->is_client = tb[UET_A_SD_CLIENT];
	rules->is_v6 = tb[UET_A_SD_IPV6];
	rules->has_ssi = tb[UET_A_SD_SSI];
	if (rules->has_ssi)
		rules->ssi = nla_get_u32(tb[UET_A_SD_SSI]);
	rules->rekey_mask = nla_get_u64(tb[UET_A_SD_REKEY_MASK]);
	rules->rekey_shift = nla_get_u8(tb[UET_A_SD_REKEY_SHIFT]);
	rules->epoch_age = nla_get_u16(tb[UET_A_SD_EPOCH_AGE]);
	rules->seal_limit = nla_get_u64(tb[UET_A_SD_SEAL_LIMIT]);
	rules->fail_limit = nla_get_u64(tb[UET_A_SD_FAIL_LIMIT]);
}

/**
 * uetd_msg_read_sd() - add a domain
 * @model: to this
 * @nlh: message of a dump
 *
 * Return: false if the message is malformed.
 */
bool uetd_msg_read_sd(struct uetd_model *model, struct nlmsghdr *nlh)
{
	static const uint8_t needed[] = {
		UET_A_SD_NAME, UET_A_SD_SDI, UET_A_SD_MODE,
		UET_A_SD_REKEY_MASK, UET_A_SD_REKEY_SHIFT, UET_A_SD_EPOCH_AGE,
		UET_A_SD_SEAL_LIMIT, UET_A_SD_FAIL_LIMIT,
	};
	struct nlattr *tb[UET_A_SD_MAX + 1];
	struct uetd_sd *sd;
	size_t i;

	if (genlmsg_parse(nlh, 0, tb, UET_A_SD_MAX, sd_policy))
		return false;
	for (i = 0; i < sizeof(needed); i++) {
		if (!tb[needed[i]])
			return false;
	}
	model->sds = uetd_grow(model->sds, model->nr_sds, sizeof(*sd));
	sd = &model->sds[model->nr_sds++];
	nla_strlcpy(sd->name, tb[UET_A_SD_NAME], sizeof(sd->name));
	read_rules(&sd->rules, tb);
	sd->is_shut = tb[UET_A_SD_SHUT];
	return read_many(sd, nlh);
}

static bool put_rules(struct nl_msg *msg, const struct uetd_rules *rules)
{
	return !nla_put_u32(msg, UET_A_SD_SDI, rules->sdi) &&
	       !nla_put_u8(msg, UET_A_SD_MODE, rules->mode) &&
	       !(rules->is_client && nla_put_flag(msg, UET_A_SD_CLIENT)) &&
	       !(rules->is_v6 && nla_put_flag(msg, UET_A_SD_IPV6)) &&
	       !(rules->has_ssi &&
		 nla_put_u32(msg, UET_A_SD_SSI, rules->ssi)) &&
	       !nla_put_u64(msg, UET_A_SD_REKEY_MASK, rules->rekey_mask) &&
	       !nla_put_u8(msg, UET_A_SD_REKEY_SHIFT, rules->rekey_shift) &&
	       !nla_put_u16(msg, UET_A_SD_EPOCH_AGE, rules->epoch_age) &&
	       !nla_put_u64(msg, UET_A_SD_SEAL_LIMIT, rules->seal_limit) &&
	       !nla_put_u64(msg, UET_A_SD_FAIL_LIMIT, rules->fail_limit);
}

/*
 * The key of a period is derived from the file's key; without periods, the
 * file's key itself.
 */
static bool put_key(struct nl_msg *msg, const struct uetd_sd *sd,
		    uint32_t number)
{
	const uint8_t *bytes = sd->secret->bytes;
	uint8_t key[UETD_KEY_LEN];
	bool is_good = true;

	if (sd->rotation)
		is_good = uetd_secret_period(sd->secret, sd->rules.sdi, number,
					     key);
	else
		memcpy(key, bytes, sizeof(key));
	is_good = is_good && !nla_put(msg, UET_A_SD_KEY, sizeof(key), key);
	explicit_bzero(key, sizeof(key));
	return is_good && !(sd->rules.is_client &&
			    nla_put(msg, UET_A_SD_MASK, UETD_MASK_LEN,
				    bytes + UETD_KEY_LEN));
}

static bool put_step(struct nl_msg *msg, const struct uetd_sd *sd,
		     const struct uetd_step *step)
{
	switch (step->kind) {
	case UETD_STEP_FORGET:
		return !nla_put_u8(msg, UET_A_SD_FORGET, step->an);
	case UETD_STEP_USE:
		return !nla_put_u8(msg, UET_A_SD_USE, step->an);
	default:
		return !nla_put_u8(msg, UET_A_SD_AN, step->an) &&
		       put_key(msg, sd, step->number) &&
		       !nla_put_u16(msg, UET_A_SD_EPOCH, step->epoch) &&
		       !nla_put_u32(msg, UET_A_SD_NUMBER, step->number) &&
		       !nla_put_u32(msg, UET_A_SD_CHECK, sd->check);
	}
}

/**
 * uetd_msg_write_sd() - put the arguments of a change of a domain into a request
 * @msg: request with its header; the caller overwrites the request after sending
 * @op: the change
 *
 * Return: false if it does not fit, or its key cannot be made.
 */
bool uetd_msg_write_sd(struct nl_msg *msg, const struct uetd_op *op)
{
	if (nla_put_string(msg, UET_A_SD_NAME, op->sd.name))
		return false;
	switch (op->kind) {
	case UETD_OP_SD_ADD:
		return put_rules(msg, &op->sd.rules);
	case UETD_OP_SD_KEYS:
		return put_step(msg, &op->sd, &op->step);
	default:
		return true;
	}
}
