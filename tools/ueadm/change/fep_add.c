// SPDX-License-Identifier: GPL-2.0
/*
 * "fep add" and the MTU of rails: which rail is too narrow and what would fit, because
 * the text of the kernel has no numbers before 6.2; and what the kernel has chosen.
 */
#include <linux/genetlink.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "core/wire/wire_codes.h"
#include "model/model.h"
#include "ueadm.h"

/* Read the words of the request on which the length of packets depends. */
static void read_request(struct uetd_fep *fep, const struct nlmsghdr *request)
{
	const struct nlattr *attr;

	uetd_fep_init(fep);
	fep->mtu = 0;
	mnl_attr_for_each(attr, request, sizeof(struct genlmsghdr)) {
		switch (mnl_attr_get_type(attr)) {
		case UET_A_FEP_NAME:
			snprintf(fep->name, sizeof(fep->name), "%s",
				 mnl_attr_get_str(attr));
			break;
		case UET_A_FEP_MTU:
			fep->mtu = mnl_attr_get_u32(attr);
			break;
		case UET_A_FEP_ADDR4:
			fep->addr.family = AF_INET;
			break;
		case UET_A_FEP_ADDR6:
			fep->addr.family = AF_INET6;
			break;
		case UET_A_FEP_ENCAP:
			fep->encap = mnl_attr_get_u8(attr);
			break;
		case UET_A_FEP_PROTECT:
			fep->protect = mnl_attr_get_u8(attr);
			break;
		case UET_A_FEP_SD:
			fep->protect = UET_PROTECT_TSS;
			break;
		case UET_A_FEP_CC:
			fep->choice[UETD_CC] = mnl_attr_get_u8(attr);
			break;
		case UET_A_FEP_IFINDEX:
			if (fep->nr_rails < UET_FEP_RAILS_MAX)
				fep->ifindex[fep->nr_rails++] =
					mnl_attr_get_u32(attr);
			break;
		}
	}
}

static bool has_rail(const struct uetd_fep *fep, struct json_object *rail)
{
	return uetd_fep_has_ifindex(fep, uea_number_of(rail, "ifindex"));
}

/* The rail of the FEP with the smallest MTU, or NULL. */
static struct json_object *narrowest(const struct uetd_fep *fep,
				     struct json_object *rails)
{
	struct json_object *found = NULL, *rail;
	size_t i;

	for (i = 0; i < json_object_array_length(rails); i++) {
		rail = json_object_array_get_idx(rails, i);
		if (has_rail(fep, rail) &&
		    (!found || uea_number_of(rail, "mtu") <
				       uea_number_of(found, "mtu")))
			found = rail;
	}
	return found;
}

static void tell(struct uetd_fep *fep, const char *dev, uint32_t mtu)
{
	uint32_t wanted = fep->mtu ? fep->mtu : UET_MTU_MIN, need;

	fep->mtu = wanted;
	need = uetd_fep_need_mtu(fep);
	while (fep->mtu > UET_MTU_MIN && uetd_fep_need_mtu(fep) > mtu)
		fep->mtu = fep->mtu < 2 * UET_MTU_MIN ? UET_MTU_MIN :
							fep->mtu / 2;
	if (uetd_fep_need_mtu(fep) <= mtu)
		uea_fail(0, "fep %s: rail %s has MTU %u, mtu %u needs %u; the largest mtu that fits is %u, or: ip link set dev %s mtu %u",
			 fep->name, dev, mtu, wanted, need, fep->mtu, dev, need);
	else
		uea_fail(0, "fep %s: rail %s has MTU %u, the smallest mtu, %u, needs %u: ip link set dev %s mtu %u",
			 fep->name, dev, mtu, fep->mtu, uetd_fep_need_mtu(fep),
			 dev, uetd_fep_need_mtu(fep));
}

/**
 * uea_fep_explain() - explain why the kernel refused a new FEP
 * @ctx: run
 * @request: what was refused
 * @text: text of the kernel
 *
 * Return: whether a message was printed instead of @text.
 */
bool uea_fep_explain(struct uea_ctx *ctx, const struct nlmsghdr *request,
		     const char *text)
{
	struct json_object *rails = NULL, *rail;
	struct uetd_fep fep;

	if (strncmp(text, "fep: mtu ", 9) || !strstr(text, "does not fit"))
		return uea_conflict_explain(ctx, request, text);
	read_request(&fep, request);
	rail = uea_dump(ctx, &uea_rail, &rails) ? NULL : narrowest(&fep, rails);
	if (rail)
		tell(&fep, uea_text_of(rail, "dev"), uea_number_of(rail, "mtu"));
	json_object_put(rails);
	return rail;
}

/* The kernel has chosen less than usual: peers must have the same. */
static void note_mtu(struct uea_ctx *ctx, const char *name)
{
	struct json_object *feps = NULL, *rails = NULL, *one, *rail;
	struct uetd_fep fep = { .nr_rails = 0 };
	size_t i, k;

	if (uea_dump(ctx, &uea_fep, &feps) || uea_dump(ctx, &uea_rail, &rails))
		goto out;
	for (i = 0; i < json_object_array_length(feps); i++) {
		one = json_object_array_get_idx(feps, i);
		if (strcmp(uea_text_of(one, "name"), name) ||
		    uea_number_of(one, "mtu") >= UET_MTU_DEFAULT)
			continue;
		one = json_object_object_get(one, "rails");
		for (k = 0; k < json_object_array_length(one); k++)
			fep.ifindex[k] = uea_number_of(
				json_object_array_get_idx(one, k), "ifindex");
		fep.nr_rails = k;
		rail = narrowest(&fep, rails);
		if (rail)
			uea_note("fep %s: mtu %u is the largest that fits rail %s (MTU %u); peers need the same",
				 name, (unsigned int)uea_number_of(
				 json_object_array_get_idx(feps, i), "mtu"),
				 uea_text_of(rail, "dev"),
				 (unsigned int)uea_number_of(rail, "mtu"));
	}
out:
	json_object_put(feps);
	json_object_put(rails);
}

/**
 * uea_fep_run_add() - "fep add"
 * @ctx: run
 * @object: FEPs
 * @verb: add
 * @words: arguments
 *
 * Return: exit status.
 */
int uea_fep_run_add(struct uea_ctx *ctx, const struct uea_object *object,
		    const struct uea_verb *verb, char **words)
{
	const struct nlattr *attr;
	char buf[UEA_NL_BUF];
	struct nlmsghdr *args = uea_nl_request(ctx, buf, verb->cmd);
	const char *name = NULL;
	bool has_mtu = false;
	int status;

	status = uea_run_change(ctx, object, verb, words);
	if (status || uea_args(ctx, words, args))
		return status;
	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == UET_A_FEP_NAME)
			name = mnl_attr_get_str(attr);
		has_mtu |= mnl_attr_get_type(attr) == UET_A_FEP_MTU;
	}
	if (!has_mtu)
		note_mtu(ctx, name);
	return status;
}
