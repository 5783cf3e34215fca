// SPDX-License-Identifier: GPL-2.0
/*
 * Consistency of the objects of a configuration: referenced names exist,
 * addresses and netdevs are used once, rails of a FEP are on different planes,
 * settings are in order.  Every configuration that the kernel would refuse on
 * any host is refused here.  Level: tool.
 */
#include <netinet/in.h>
#include <string.h>

#include "conf.h"

/* IP protocols that the kernel refuses for a FEP, as in kernel/carrier/native.c. */
static const uint8_t reserved_protos[] = {
	IPPROTO_ICMP, IPPROTO_IGMP, IPPROTO_IPIP, IPPROTO_TCP, IPPROTO_EGP,
	IPPROTO_PUP, IPPROTO_UDP, IPPROTO_IDP, IPPROTO_TP, IPPROTO_DCCP,
	IPPROTO_IPV6, IPPROTO_ROUTING, IPPROTO_FRAGMENT, IPPROTO_RSVP,
	IPPROTO_GRE, IPPROTO_ESP, IPPROTO_AH, IPPROTO_ICMPV6, IPPROTO_NONE,
	IPPROTO_DSTOPTS, 88 /* EIGRP */, 89 /* OSPF */, IPPROTO_MTP,
	IPPROTO_BEETPH, IPPROTO_ENCAP, IPPROTO_PIM, IPPROTO_COMP,
	112 /* VRRP */, 115 /* L2TP */, 124 /* IS-IS */, IPPROTO_SCTP,
	IPPROTO_MH, IPPROTO_UDPLITE, IPPROTO_MPLS, 139 /* HIP */,
	140 /* Shim6 */, 143 /* Ethernet */,
};

static bool is_same_match(const struct uetd_rail *a, const struct uetd_rail *b)
{
	if (a->match != b->match)
		return false;
	switch (a->match) {
	case UETD_MATCH_NAME:
		return !strcmp(a->dev, b->dev);
	case UETD_MATCH_MAC:
		return !memcmp(a->mac, b->mac, sizeof(a->mac));
	default:
		return a->prefix == b->prefix &&
		       uetd_addr_equal(&a->addr, &b->addr);
	}
}

static void check_rail(const struct uetd_model *model, size_t nr,
		       struct uetd_diag *diag)
{
	const struct uetd_rail *rail = &model->rails[nr];
	static const char *const keys[] = { "interface", "mac", "address" };
	size_t i;

	for (i = 0; i < nr; i++) {
		if (is_same_match(&model->rails[i], rail))
			uetd_conf_error(diag, rail->section, keys[rail->match],
					"is that of [rail %s]",
					model->rails[i].name);
	}
}

/* Look up the rails of a FEP by name; NULL for a rail that does not exist. */
static void check_fep_rails(const struct uetd_model *model,
			    const struct uetd_fep *fep,
			    struct uetd_diag *diag)
{
	const struct uetd_rail *rails[UET_FEP_RAILS_MAX];
	unsigned int i, k;

	for (i = 0; i < fep->nr_rails; i++) {
		rails[i] = uetd_model_rail(model, fep->rail[i]);
		if (!rails[i])
			uetd_conf_error(diag, fep->section, "rails",
					"there is no [rail %s]", fep->rail[i]);
		for (k = 0; rails[i] && k < i; k++) {
			if (rails[k] == rails[i])
				uetd_conf_error(diag, fep->section, "rails",
						"%s is there twice",
						fep->rail[i]);
			else if (rails[k] && rails[k]->plane == rails[i]->plane)
				uetd_conf_error(diag, fep->section, "rails",
						"must be on different planes, %s and %s are on plane %u",
						fep->rail[k], fep->rail[i],
						rails[i]->plane);
		}
	}
	if (uetd_addr_is_link_local(&fep->addr) && fep->nr_rails > 1)
		uetd_conf_error(diag, fep->section, "addr",
				"is link-local: there can be one rail only");
}

static void check_fep_encap(const struct uetd_fep *fep,
			    struct uetd_diag *diag)
{
	const char *key = fep->encap == UET_ENCAP_NATIVE ? "port" : "proto";
	size_t i;

	if (uetd_raw_entry(fep->section, key))
		uetd_conf_error(diag, fep->section, key,
				"is for encap = %s only",
				fep->encap == UET_ENCAP_NATIVE ? "udp" : "native");
	if (fep->encap != UET_ENCAP_NATIVE)
		return;
	for (i = 0; i < sizeof(reserved_protos); i++) {
		if (fep->proto == reserved_protos[i])
			uetd_conf_error(diag, fep->section, "proto",
					"%u is the number of another protocol",
					fep->proto);
	}
}

static bool is_whole_dscp(const struct uetd_fep *fep, uint8_t dscp)
{
	return dscp == fep->dscp[UETD_DSCP_REQUEST] ||
	       dscp == fep->dscp[UETD_DSCP_RETX] ||
	       dscp == fep->dscp[UETD_DSCP_CONTROL];
}

static void check_fep_settings(const struct uetd_fep *fep,
			       struct uetd_diag *diag)
{
	const char *wrong = uetd_param_order(fep->param);
	unsigned int i;

	if (wrong)
		uetd_conf_error(diag, fep->section, NULL, "%s", wrong);
	for (i = UETD_DSCP_TRIMMED; i < UETD_DSCP_NR; i++) {
		if (is_whole_dscp(fep, fep->dscp[i]))
			uetd_conf_error(diag, fep->section, uetd_dscps[i].word,
					"must differ from dscp-request, dscp-retx and dscp-control, %u does not",
					fep->dscp[i]);
	}
	if (fep->dscp[UETD_DSCP_TRIMMED] != UET_DSCP_NONE &&
	    fep->dscp[UETD_DSCP_TRIMMED] ==
	    fep->dscp[UETD_DSCP_TRIMMED_LASTHOP])
		uetd_conf_error(diag, fep->section, "dscp-trimmed-lasthop",
				"must differ from dscp-trimmed");
}

static void check_fep(const struct uetd_model *model, size_t nr,
		      struct uetd_diag *diag)
{
	const struct uetd_fep *fep = &model->feps[nr];
	size_t i;

	check_fep_rails(model, fep, diag);
	check_fep_encap(fep, diag);
	check_fep_settings(fep, diag);
	uetd_conf_check_sd(model, fep, diag);
	/* The same link-local address may be on several netdevs. */
	if (!fep->addr.family || uetd_addr_is_link_local(&fep->addr))
		return;
	for (i = 0; i < nr; i++) {
		if (uetd_addr_equal(&model->feps[i].addr, &fep->addr))
			uetd_conf_error(diag, fep->section, "addr",
					"is that of [fep %s]",
					model->feps[i].name);
	}
}

static void check_job(const struct uetd_model *model, size_t nr,
		      struct uetd_diag *diag)
{
	const struct uetd_job *job = &model->jobs[nr];
	unsigned int i, k;

	/* [job 7] and [job 07] are two sections of one JobID. */
	if (uetd_model_job(model, job->id) != job)
		uetd_conf_error(diag, job->section, NULL,
				"another section has this JobID");
	for (i = 0; i < job->nr_feps; i++) {
		if (!uetd_model_fep(model, job->fep[i]))
			uetd_conf_error(diag, job->section, "feps",
					"there is no [fep %s]", job->fep[i]);
		for (k = 0; k < i; k++) {
			if (!strcmp(job->fep[k], job->fep[i]))
				uetd_conf_error(diag, job->section, "feps",
						"%s is there twice", job->fep[i]);
		}
	}
}

/**
 * uetd_conf_check() - check that the objects are consistent
 * @conf: configuration; malformed objects were reported before
 * @diag: receives errors
 */
void uetd_conf_check(const struct uetd_conf *conf, struct uetd_diag *diag)
{
	const struct uetd_model *model = &conf->model;
	size_t i;

	for (i = 0; i < model->nr_rails; i++)
		check_rail(model, i, diag);
	uetd_conf_check_sds(model, diag);
	for (i = 0; i < model->nr_feps; i++)
		check_fep(model, i, diag);
	for (i = 0; i < model->nr_jobs; i++)
		check_job(model, i, diag);
	uetd_conf_check_peers(model, diag);
}
